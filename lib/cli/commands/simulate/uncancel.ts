/**
 * `cli simulate uncancel`.
 *
 * @module
 */

import { act } from "./action.ts";
import { uncancelSubscription } from "../../../simulator/subscriptions.ts";

/** Switches renewal on again. */
export const uncancel = act("Switch renewal on again", {
  send: uncancelSubscription,
  done: () => "Renewal is on again",
});
