/**
 * The schema of a customer's history, held against the library's type.
 *
 * @module
 */

import { z } from "zod";
import type { CustomerHistory } from "../../../simulator/history.ts";
import { component, millis } from "../../contract/schemas.ts";

const seq = z.int();
const text = z.string();
const amount = z.number();

const customer = z.object({
  seq,
  id: text,
  first_seen_at: millis,
  aliases: z.array(z.object({ seq, alias: text, created_at: millis })),
  attributes: z.array(z.object({ name: text, value: text, updated_at: millis })),
  access: z.array(text),
  balances: z.record(text, z.int()),
});

const subscription = z.object({
  seq,
  id: text,
  customer_id: text,
  original_customer_id: text,
  product_id: text.nullable(),
  entitlement: text.nullable(),
  store: text,
  environment: text,
  ownership: text,
  status: text,
  starts_at: millis,
  period_ends_at: millis.nullable(),
  duration: text.nullable(),
  grace_duration: text.nullable(),
  trial_duration: text.nullable(),
  currency: text,
  price: amount,
  pending_price: amount.nullable(),
  country: text.nullable(),
  transaction_id: text,
  shared_from_id: text.nullable(),
});

const transaction = z.object({
  seq,
  id: text,
  subscription_id: text,
  status: text,
  refunded_at: millis.nullable(),
  price: amount,
});

const purchase = z.object({
  seq,
  id: text,
  customer_id: text,
  original_customer_id: text,
  product_id: text,
  environment: text,
  ownership: text,
  quantity: z.int(),
  transaction_id: text,
  currency: text,
  price: amount,
  country: text.nullable(),
});

const adjustment = z.object({
  seq,
  customer_id: text,
  currency: text,
  amount: z.int(),
  reference: text.nullable(),
  created_at: millis,
});

const event = z.object({
  object: z.literal("event"),
  seq,
  id: text,
  type: text,
  customer_id: text,
  app_id: text.nullable(),
  environment: text,
  created_at: millis,
  delivery: z.unknown(),
});

const product = z.object({
  id: text,
  app_id: text,
  store_identifier: text,
  type: text,
  duration: text.nullable(),
  trial_duration: text.nullable(),
  grace_duration: text.nullable(),
  price: amount.nullable(),
  currency: text.nullable(),
  entitlements: z.array(text),
});

const currency = z.object({
  code: text,
  name: text,
  grants: z.array(z.object({ product_id: text, amount: z.int(), trial_amount: z.int() })),
});

/** All records of a customer. */
export const customerHistory: z.ZodType<CustomerHistory> = component(
  "CustomerHistory",
  z.object({
    object: z.literal("customer_history"),
    now: millis,
    customers: z.array(customer),
    subscriptions: z.array(subscription),
    transactions: z.array(transaction),
    purchases: z.array(purchase),
    adjustments: z.array(adjustment),
    events: z.array(event),
    apps: z.array(z.object({ id: text, name: text, type: text })),
    products: z.array(product),
    currencies: z.array(currency),
  }),
);
