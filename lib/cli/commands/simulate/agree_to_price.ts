/**
 * `cli simulate agree-to-price`.
 *
 * @module
 */

import { act } from "./action.ts";
import { agreeToPrice } from "../../../simulator/subscriptions.ts";

/** Accepts a higher price. */
export const agree = act("Accept a higher price", {
  send: agreeToPrice,
  done: () => "The customer agreed to the price",
});
