/**
 * `cli simulate renew`.
 *
 * @module
 */

import { act } from "./action.ts";
import { renewSubscription } from "../../../simulator/subscriptions.ts";

/** Charge for the next period now. */
export const renew = act("Charge for the next period now", {
  send: renewSubscription,
  details: "A trial becomes paid; a paid period is paid for early. Renewals that are due happen " +
    "by themselves when the clock gets there.",
  told: () => "Renewed",
});
