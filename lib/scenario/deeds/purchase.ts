/**
 * Buying: the fields of a purchase and its request.
 *
 * @module
 */

import { buyProduct, type NewSale } from "../../simulator/purchases.ts";
import type { Deed } from "./deed.ts";
import {
  code,
  customer,
  moment,
  number,
  oneOf,
  period,
  periodOrNone,
  text,
  trial,
  truth,
  whole,
} from "../values/kinds.ts";
import { sold } from "../values/names.ts";

/** The highest price, in main units. */
const MOST = 100_000_000;

/** Lets a customer buy a product. */
export const purchase: Deed = {
  brief: "A customer buys a product. An unknown customer is created.",
  makes: "subscription",
  fields: {
    customer: { brief: "Who buys", kind: customer, required: true },
    product: {
      brief: "The product's store identifier",
      kind: sold("product", "a product"),
      required: true,
    },
    trial: { brief: "Begin with a trial, or one of this length", kind: trial },
    price: { brief: "The price (default: the product's)", kind: number(0, MOST) },
    currency: { brief: "The currency of the price", kind: code(3, "a currency") },
    country: { brief: "The country", kind: code(2, "a country") },
    environment: {
      brief: "Whether money is real",
      kind: oneOf("production", "sandbox"),
    },
    ownership: {
      brief: "Whether a member of the family bought it",
      kind: oneOf("purchased", "family_shared"),
    },
    offering: { brief: "The offering that was shown", kind: text(200) },
    quantity: { brief: "How many, of what is bought once", kind: whole(1, 100) },
    duration: { brief: "The length of a period", kind: period },
    grace: { brief: "The grace period, or none", kind: periodOrNone },
    starts_at: { brief: "When it starts, if not now", kind: moment },
    paid: { brief: "false: it waits for its invoice to be paid", kind: truth },
    verified: { brief: "false: the store cannot be reached", kind: truth },
    transaction_id: { brief: "The store's id of the transaction", kind: text(250) },
  },
  perform({ simulator, values }) {
    const { customer, product, grace, offering, transaction_id, ...rest } = values;
    const sale = {
      customer_id: customer,
      product_id: product,
      grace_period_duration: grace,
      offering_id: offering,
      store_transaction_id: transaction_id,
      ...rest,
    };
    // The kinds of the fields have checked the values.
    return buyProduct(simulator, sale as NewSale);
  },
};
