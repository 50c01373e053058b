/**
 * `cli simulate price`.
 *
 * @module
 */

import { amountText } from "../../screen/amount.ts";
import { argument, code, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { cardFields, showOne } from "../../words/plain.ts";
import { openSimulator, orNull, parsePrice, period, periodOrNone } from "../../local/simulator.ts";
import { setProductPrice } from "../../../simulator/catalogue.ts";

const PRODUCT = "The product's id or store identifier";

/** Sets the price of a product in its store. */
export const price = command({
  brief: "Set the price of a product in its store",
  details: "Sets its terms, too. They apply to new purchases and product changes.",
  args: { product_id: argument(PRODUCT), price: argument("The price, such as 9.99") },
  flags: {
    currency: code("The currency (default: USD)"),
    duration: period("The length of a period", "--duration"),
    trial_duration: periodOrNone("The length of the trial", "--trial-duration"),
    grace: periodOrNone("The grace period", "--grace"),
    ...dataFlag,
  },
  async run(context, { product_id, data, currency, duration, ...input }) {
    const body = {
      price: parsePrice(input.price),
      currency,
      duration,
      trial_duration: orNull(input.trial_duration),
      grace_period_duration: orNull(input.grace),
    };
    const simulator = await openSimulator(context, data);
    const answer = await setProductPrice(simulator, product_id, body);
    const { out } = context;
    if (out.format === "json") return showOne(context, answer);
    const { product, currency: code } = answer;
    const amount = amountText(answer.price, code);
    const shown = { ...product, price: amount, currency: code };
    out.card(shown, cardFields(shown));
    out.done(`${product.store_identifier} costs ${amount} ${code}`);
  },
});
