/**
 * `cli simulate raise-price`.
 *
 * @module
 */

import { act } from "./action.ts";
import { argument } from "../../words/command.ts";
import { parsePrice } from "../../local/simulator.ts";
import { raisePrice } from "../../../simulator/subscriptions.ts";

/** Announces a higher price. */
export const raise = act("Announce a higher price", {
  send: raisePrice,
  details: "Unless the customer agrees, the subscription ends with its period.",
  args: { price: argument("The new price, in the subscription's currency") },
  body: ({ price }) => ({ price: parsePrice(price) }),
  done: ({ price }) => `Announced the price ${price}`,
});
