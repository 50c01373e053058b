/**
 * `cli simulate recover`.
 *
 * @module
 */

import { act } from "./action.ts";
import { recoverCharge } from "../../../simulator/subscriptions.ts";

/** Let charges go through again. */
export const recover = act("Let charges go through again", {
  send: recoverCharge,
  details: "And make the one that is outstanding.",
  told: () => "Charges go through again",
});
