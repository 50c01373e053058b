/**
 * `cli simulate recover`.
 *
 * @module
 */

import { act } from "./action.ts";
import { recoverCharge } from "../../../simulator/subscriptions.ts";

/** Makes charges succeed again. */
export const recover = act("Make charges succeed again", {
  send: recoverCharge,
  details: "Also makes the outstanding charge.",
  done: () => "Charges succeed again",
});
