/**
 * `cli simulate renew`.
 *
 * @module
 */

import { act } from "./action.ts";
import { renewSubscription } from "../../../simulator/subscriptions.ts";

/** Charges for the next period now. */
export const renew = act("Charge for the next period now", {
  send: renewSubscription,
  details:
    "A trial becomes paid; a paid subscription renews early. Due renewals happen by themselves " +
    "when the clock reaches them.",
  done: () => "Renewed",
});
