/**
 * `cli simulate cancel`.
 *
 * @module
 */

import { act } from "./action.ts";
import { cancelSubscription } from "../../../simulator/subscriptions.ts";

/** Switches renewal off, as the customer does. */
export const cancel = act("Switch renewal off, as the customer does", {
  send: cancelSubscription,
  done: () => "Cancelled",
});
