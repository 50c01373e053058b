/**
 * All records of a customer, from which a scenario can be written that repeats its history.
 *
 * @module
 */

import type {
  CustomerHistory,
  HistoryAdjustment,
  HistoryCustomer,
  HistoryEvent,
  HistoryPurchase,
  HistorySubscription,
  HistoryTransaction,
} from "../../../simulator/history.ts";
import { fromMicros } from "../../domain/money.ts";
import { findCustomer } from "../../records/find.ts";
import { activeListing } from "../../records/holdings.ts";
import { showEvent } from "../events/events.ts";
import { type Doing, simRoute } from "../route.ts";
import { customerHistory } from "./answer.ts";
import { readSold } from "./sold.ts";
import { connectedCustomers } from "./people.ts";

const getCustomerHistory = simRoute({
  name: "getCustomerHistory",
  summary:
    "Reads all records of a customer and of those who shared or exchanged purchases with it.",
  method: "GET",
  path: "/customers/{id}/history",
  response: customerHistory,
}, async (call): Promise<CustomerHistory> => {
  const { id } = await findCustomer(call, call.params.id);
  const ids = await connectedCustomers(call, id);
  const customers: HistoryCustomer[] = [];
  for (const one of ids) customers.push(await readCustomer(call, one));
  const subscriptions = await readSubscriptions(call, ids);
  const purchases = await readPurchases(call, ids);
  const adjustments = await readAdjustments(call, ids);
  const products = [...subscriptions, ...purchases].flatMap(({ product_id }) => product_id ?? []);
  return {
    object: "customer_history",
    now: call.now,
    customers,
    subscriptions,
    transactions: await readTransactions(call, subscriptions.map((row) => row.id)),
    purchases,
    adjustments,
    // What one customer was before it became another one has events under its former ids.
    events: await readEvents(call, customers.flatMap(({ aliases }) => aliases.map(aliasOf))),
    ...await readSold(call, products, adjustments.map(({ currency }) => currency)),
  };
});

/** The route of histories. */
export const historyRoutes = [getCustomerHistory];

function aliasOf({ alias }: { alias: string }): string {
  return alias;
}

async function readCustomer(call: Doing, id: string): Promise<HistoryCustomer> {
  const { tx } = call;
  const row = await findCustomer(call, id);
  const aliases = await tx.selectFrom("customer_aliases").select(["seq", "alias", "created_at"])
    .where("customer_id", "=", id).orderBy("seq").execute();
  const attributes = await tx.selectFrom("customer_attributes")
    .select(["name", "value", "updated_at"])
    .where("customer_id", "=", id).orderBy("name").execute();
  const active = await activeListing(call, id).rowsAfter(undefined, MOST_ENTITLEMENTS);
  const entitlements = await tx.selectFrom("entitlements").select("lookup_key")
    .where("id", "in", [...active.map((one) => one.entitlement_id), ""]).execute();
  const access = entitlements.map(({ lookup_key }) => lookup_key).sort();
  const held = await tx.selectFrom("currency_balances").select(["currency_id", "balance"])
    .where("customer_id", "=", id).orderBy("currency_id").execute();
  const balances = Object.fromEntries(held.map((one) => [one.currency_id, one.balance]));
  const { seq, first_seen_at } = row;
  return { seq, id, first_seen_at, aliases, attributes, access, balances };
}

/** More entitlements than a customer can have. */
const MOST_ENTITLEMENTS = 1_000_000;

async function readSubscriptions(
  { tx }: Doing,
  owners: readonly string[],
): Promise<HistorySubscription[]> {
  const rows = await tx.selectFrom("subscriptions").selectAll()
    .where("customer_id", "in", owners).orderBy("seq").execute();
  const granted = rows.flatMap(({ entitlement_id }) => entitlement_id ?? []);
  const entitlements = await tx.selectFrom("entitlements").select(["id", "lookup_key"])
    .where("id", "in", [...granted, ""]).execute();
  const keys = new Map(entitlements.map(({ id, lookup_key }) => [id, lookup_key]));
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    customer_id: row.customer_id,
    original_customer_id: row.original_customer_id,
    product_id: row.product_id,
    entitlement: keys.get(row.entitlement_id ?? "") ?? null,
    store: row.store,
    environment: row.environment,
    ownership: row.ownership,
    status: row.status,
    starts_at: row.starts_at,
    period_ends_at: row.period_ends_at,
    duration: row.duration,
    grace_duration: row.grace_duration,
    trial_duration: row.trial_duration,
    currency: row.currency,
    price: fromMicros(row.price_micros),
    pending_price: row.pending_price_micros === null ? null : fromMicros(row.pending_price_micros),
    country: row.country,
    transaction_id: row.transaction_id,
    shared_from_id: row.shared_from_id,
  }));
}

async function readTransactions(
  { tx }: Doing,
  subscriptions: readonly string[],
): Promise<HistoryTransaction[]> {
  const rows = await tx.selectFrom("transactions").selectAll()
    .where("subscription_id", "in", [...subscriptions, ""]).orderBy("seq").execute();
  return rows.map(({ seq, id, subscription_id, status, refunded_at, gross_micros }) => ({
    seq,
    id,
    subscription_id,
    status,
    refunded_at,
    price: fromMicros(gross_micros),
  }));
}

async function readPurchases(
  { tx }: Doing,
  owners: readonly string[],
): Promise<HistoryPurchase[]> {
  const rows = await tx.selectFrom("purchases").selectAll()
    .where("customer_id", "in", owners).orderBy("seq").execute();
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    customer_id: row.customer_id,
    original_customer_id: row.original_customer_id,
    product_id: row.product_id,
    environment: row.environment,
    ownership: row.ownership,
    quantity: row.quantity,
    transaction_id: row.store_purchase_identifier,
    currency: row.currency,
    price: fromMicros(Math.round(row.gross_micros / row.quantity)),
    country: row.country,
  }));
}

async function readAdjustments(
  { tx }: Doing,
  owners: readonly string[],
): Promise<HistoryAdjustment[]> {
  const rows = await tx.selectFrom("currency_entries").selectAll()
    .where("customer_id", "in", owners).where("source", "=", "admin_api")
    .orderBy("seq").execute();
  return rows.map(({ seq, customer_id, currency_id, amount, reference, created_at }) => ({
    seq,
    customer_id,
    currency: currency_id,
    amount,
    reference,
    created_at,
  }));
}

async function readEvents(
  { tx }: Doing,
  customers: readonly string[],
): Promise<HistoryEvent[]> {
  const rows = await tx.selectFrom("events").selectAll()
    .where("customer_id", "in", customers).orderBy("seq").execute();
  return rows.map((row) => ({ ...showEvent(row), seq: row.seq }));
}
