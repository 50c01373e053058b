/**
 * `cli simulate change-product`.
 *
 * @module
 */

import { act } from "./action.ts";
import { UsageError } from "../../../errors.ts";
import { argument, toggle } from "../../words/command.ts";
import { quoted } from "../../screen/command_lines.ts";
import { period, price } from "../../local/simulator.ts";
import { changeProduct, type ProductChange } from "../../../simulator/subscriptions.ts";

/** Changes to another product of the app. */
export const change = act("Change to another product of the app", {
  send: changeProduct,
  details:
    "A product without its own price or length needs --price or --duration. A change at the " +
    "end of the period uses the product's own length.",
  examples: [
    "cli simulate change-product sub1ab2c3d4e5 notes.pro.annual --price 59.99",
    "cli simulate change-product sub1ab2c3d4e5 weekly --price 2.99 --duration P1W",
  ],
  args: { product_id: argument("The product's id or store identifier") },
  flags: {
    at_period_end: toggle("Change at the end of the period (default: now)"),
    price: price("The price (default: the product's own)"),
    duration: period("The length of a period (default: the product's own)", "--duration"),
  },
  body: changeOf,
  done: ({ product_id, at_period_end }) =>
    at_period_end ? `It will change to ${product_id}` : `Changed to ${product_id}`,
});

/** The input of a product change. */
interface ChangeInput {
  /** The product's id or store identifier. */
  product_id: string;
  /** Whether it happens at the end of the period. */
  at_period_end: boolean | undefined;
  /** The price, in main units. */
  price: number | undefined;
  /** The length of a period. */
  duration: string | undefined;
}

/** The body of a change to another product. */
function changeOf(input: ChangeInput): ProductChange {
  const { product_id, at_period_end, price, duration } = input;
  if (at_period_end && duration !== undefined) {
    throw new UsageError(
      "Cannot use --duration with --at-period-end: it applies only to an immediate change",
      {
        hint: `Set the product's own: cli simulate price ${
          quoted(product_id)
        } <price> --duration P1M`,
      },
    );
  }
  return { product_id, when: at_period_end ? "period_end" : "now", price, duration };
}
