/**
 * `cli simulate purchase`.
 *
 * @module
 */

import { argument, code, command, parsed, text, toggle } from "../../words/command.ts";
import { parseCount } from "../../input/input.ts";
import { dataFlag } from "../../local/local_service.ts";
import {
  moment,
  openSimulator,
  orNull,
  period,
  periodOrNone,
  price as priceFlag,
  userId,
} from "../../local/simulator.ts";
import { showResult } from "./result.ts";
import {
  buyProduct,
  type NewSale,
  type PrintedReceipt,
  printReceipt,
} from "../../../simulator/purchases.ts";
import type { Context } from "../../context.ts";
import { showOne } from "../../words/plain.ts";

const PRODUCT = "The product's id or store identifier";

/** Simulates a purchase. */
export const purchase = command({
  brief: "Simulate a purchase",
  details: "Buys a subscription or a one-time product in the store of the product's app. Creates " +
    "the customer if there is none. A product without its own price or length needs --price " +
    "or --duration; set both with: cli simulate price <product-id> <price> --duration P1M",
  examples: [
    "cli simulate purchase ada notes.pro.monthly --price 9.99",
    "cli simulate purchase ada notes.pro.annual --price 60 --currency EUR --trial",
    "cli simulate purchase ada notes_web_monthly --price 9.99 --unpaid",
    "cli simulate purchase ada notes.pro.monthly --price 9.99 --receipt",
  ],
  args: { user_id: argument("The customer's app user id"), product_id: argument(PRODUCT) },
  flags: {
    price: priceFlag("The price (default: the product's own)"),
    currency: code("The currency (default: the product's, else USD)"),
    country: code("The country, such as GB (default: the customer's)"),
    trial: toggle("Start with a trial (of the product's length, else a week)"),
    trial_duration: period("Start with a trial of this length", "--trial-duration"),
    offering: text("The offering shown to the customer", { placeholder: "id" }),
    quantity: parsed(
      "The quantity, for one-time products (default: 1)",
      (value) => parseCount(value, "--quantity", { min: 1, max: 100 }),
      { placeholder: "n" },
    ),
    sandbox: toggle("Buy in the sandbox, without real money"),
    duration: period(
      "The length of a period (default: the product's; required if it has none)",
      "--duration",
    ),
    grace: periodOrNone("The grace period (default: the product's)", "--grace"),
    starts_at: moment("The start (default: now)", "--starts-at"),
    unpaid: toggle("Leave its invoice unpaid for now (web billing)"),
    unverified: toggle("Buy while the store is unreachable: access for a day, and no payment"),
    family_shared: toggle("Buy as a member of a family that shares the product"),
    transaction_id: text("The store's transaction id", { placeholder: "id" }),
    receipt: toggle("Print the store's receipt; the purchase counts once the app sends it"),
    ...dataFlag,
  },
  async run(context, { data, ...input }) {
    const { product_id, trial, trial_duration } = input;
    const user_id = userId(input.user_id);
    const simulator = await openSimulator(context, data);
    const sale: NewSale = {
      customer_id: user_id,
      product_id,
      trial: trial_duration ?? trial,
      price: input.price,
      currency: input.currency,
      country: input.country,
      environment: input.sandbox ? "sandbox" : undefined,
      ownership: input.family_shared ? "family_shared" : undefined,
      offering_id: input.offering,
      quantity: input.quantity,
      duration: input.duration,
      grace_period_duration: orNull(input.grace),
      starts_at: input.starts_at,
      paid: input.unpaid ? false : undefined,
      verified: input.unverified ? false : undefined,
      store_transaction_id: input.transaction_id,
    };
    if (input.receipt) return showReceipt(context, await printReceipt(simulator, sale));
    const bought = await buyProduct(simulator, sale);
    showResult(context, data, bought, `${user_id} bought ${product_id}`);
  },
});

/** Prints a receipt: alone on standard output, for a pipe. */
function showReceipt(context: Context, receipt: PrintedReceipt): void {
  const { out } = context;
  if (out.format === "json") return showOne(context, receipt);
  const { fetch_token, customer_id, product_id, app_id } = receipt;
  out.text(fetch_token);
  out.done(`The store sold ${product_id} to ${customer_id}`);
  out.note(
    "The service records the purchase when the app sends the receipt, with a key of: " +
      `cli apps public-keys ${app_id}`,
  );
}
