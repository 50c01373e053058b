/**
 * `cli simulate cancel`.
 *
 * @module
 */

import { act } from "./action.ts";
import { cancelSubscription } from "../../../simulator/subscriptions.ts";

/** Switches renewal off. */
export const cancel = act("Switch renewal off", {
  send: cancelSubscription,
  done: () => "Cancelled",
});
