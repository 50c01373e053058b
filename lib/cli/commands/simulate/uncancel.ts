/**
 * `cli simulate uncancel`.
 *
 * @module
 */

import { act } from "./action.ts";
import { uncancelSubscription } from "../../../simulator/subscriptions.ts";

/** Switch the renewal on again. */
export const uncancel = act("Switch the renewal on again", {
  send: uncancelSubscription,
  told: () => "The renewal is on again",
});
