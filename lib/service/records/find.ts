/**
 * Finds the objects in paths and bodies, in one project.
 *
 * @module
 */

import type { SelectQueryBuilder } from "kysely";
import { invalid, missing } from "../contract/errors.ts";
import type { Call } from "../contract/route.ts";
import {
  findRow,
  findRowByKey,
  type FoundTable,
  type KeyedTable,
  type ProjectTx,
  rowsWith,
} from "../store/mod.ts";
import type { Row, Tables } from "../store/tables.ts";

/** The part of a call for finding objects. */
export type ProjectCall = Pick<Call, "tx" | "project">;

/** Finds an app by its id. */
export function findApp(call: ProjectCall, id: string, param?: string): Promise<Row<"apps">> {
  return byId(call, "apps", "app", id, param);
}

/** Finds a product by its id. */
export function findProduct(
  call: ProjectCall,
  id: string,
  param?: string,
): Promise<Row<"products">> {
  return byId(call, "products", "product", id, param);
}

/** Finds a package by its id. */
export function findPackage(call: ProjectCall, id: string): Promise<Row<"packages">> {
  return byId(call, "packages", "package", id);
}

/** Finds an entitlement by its id, else by its lookup key. */
export function findEntitlement(
  call: ProjectCall,
  key: string,
  param?: string,
): Promise<Row<"entitlements">> {
  return byKey(call, "entitlements", "entitlement", key, param);
}

/** Finds an offering by its id, else by its lookup key. */
export function findOffering(
  call: ProjectCall,
  key: string,
  param?: string,
): Promise<Row<"offerings">> {
  return byKey(call, "offerings", "offering", key, param);
}

/** Finds a paywall by its id. */
export function findPaywall(call: ProjectCall, id: string): Promise<Row<"paywalls">> {
  return byId(call, "paywalls", "paywall", id);
}

/** Finds a virtual currency by its code. */
export function findVirtualCurrency(
  call: ProjectCall,
  code: string,
  param?: string,
): Promise<Row<"virtual_currencies">> {
  return byId(call, "virtual_currencies", "virtual currency", code, param);
}

/** Finds a webhook integration by its id. */
export function findWebhook(
  call: ProjectCall,
  id: string,
  param?: string,
): Promise<Row<"webhook_integrations">> {
  return byId(call, "webhook_integrations", "webhook integration", id, param);
}

/** Finds a subscription or promotional grant by its id. */
export function findSubscription(call: ProjectCall, id: string): Promise<Row<"subscriptions">> {
  return byId(call, "subscriptions", "subscription", id);
}

/** Finds a payment for a subscription by the store's id. */
export async function findTransaction(
  call: ProjectCall,
  subscriptionId: string,
  id: string,
): Promise<Row<"transactions">> {
  const row = await byId(call, "transactions", "transaction", id, "transaction_id");
  if (row.subscription_id === subscriptionId) return row;
  throw missing("transaction", id, "transaction_id");
}

/**
 * A query for the ids of subscriptions with a payment of the store's id. A promotional grant, or a
 * subscription that has yet to start, has such an id without a payment.
 */
export function idsByTransaction(
  tx: ProjectTx,
  id: string,
): SelectQueryBuilder<Pick<Tables, "transactions">, "transactions", { id: string }> {
  return tx.selectFrom("transactions").select("subscription_id as id").where("id", "=", id)
    .unionAll(
      // An index has this condition.
      tx.selectFrom("subscriptions").select("id").where("transaction_id", "=", id)
        .where((eb) => eb("transaction_count", "=", eb.lit(0))),
    );
}

/** Finds a one-time purchase by its id. */
export function findPurchase(call: ProjectCall, id: string): Promise<Row<"purchases">> {
  return byId(call, "purchases", "purchase", id);
}

/** Finds an invoice by its id. */
export function findInvoice(call: ProjectCall, id: string): Promise<Row<"invoices">> {
  return byId(call, "invoices", "invoice", id);
}

/**
 * The longest id of a customer, in bytes of UTF-8. An index of PostgreSQL holds 2,704 bytes in a row, and
 * the id is in indexes with other texts.
 */
export const LONGEST_CUSTOMER_ID = 1500;

/** Whether a text is too long for the id of a customer. */
export function isTooLong(id: string): boolean {
  return id.length * 3 > LONGEST_CUSTOMER_ID &&
    new TextEncoder().encode(id).length > LONGEST_CUSTOMER_ID;
}

/** Finds a customer by its id or any other of its aliases. */
export async function findCustomer(
  { tx }: ProjectCall,
  alias: string,
  param?: string,
): Promise<Row<"customers">> {
  if (isTooLong(alias)) {
    const message = `A customer id must have at most ${LONGEST_CUSTOMER_ID} bytes in UTF-8`;
    throw invalid(param ?? "customer_id", message);
  }
  // A customer's id is one of its aliases, and most requests name that one.
  const row = await findRow(tx, "customers", alias) ?? await findByAlias(tx, alias);
  if (row) return row;
  throw missing("customer", alias, param);
}

/** The customer that an alias belongs to. */
async function findByAlias(
  tx: ProjectCall["tx"],
  alias: string,
): Promise<Row<"customers"> | undefined> {
  const [known] = await rowsWith(tx, "customer_aliases", { alias });
  return known && await findRow(tx, "customers", known.customer_id);
}

/** Finds a row by its id, or answers 404. */
async function byId<T extends FoundTable>(
  { tx }: ProjectCall,
  table: T,
  what: string,
  id: string,
  param?: string,
): Promise<Row<T>> {
  const row = await findRow(tx, table, id);
  if (row) return row;
  throw missing(what, id, param);
}

/** Finds a row by its id, else by its lookup key, or answers 404. */
async function byKey<T extends KeyedTable>(
  { tx }: ProjectCall,
  table: T,
  what: string,
  key: string,
  param?: string,
): Promise<Row<T>> {
  const row = await findRow(tx, table, key) ?? await findRowByKey(tx, table, key);
  if (row) return row;
  throw missing(what, key, param);
}
