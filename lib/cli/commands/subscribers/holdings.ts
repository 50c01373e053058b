/**
 * The subscriptions and purchases that give a subscriber an entitlement.
 *
 * @module
 */

import type { Client } from "../../../client.ts";
import { ApiError } from "../../../errors.ts";
import { each, itemsOf, LARGEST_PAGE, nestedItems, type Page } from "../../../page.ts";
import {
  type ActiveEntitlement,
  listCustomerPurchases,
  listCustomerSubscriptions,
} from "../../../resources/customers.ts";
import { type Entitlement, listEntitlements } from "../../../resources/entitlements.ts";
import { listProducts } from "../../../resources/products.ts";
import type { Purchase } from "../../../resources/purchases.ts";
import type { Subscription } from "../../../resources/subscriptions.ts";
import type { Context } from "../../context.ts";

/** A subscription or purchase of a subscriber. */
export type Holding = Subscription | Purchase;

/** All subscriptions and purchases of a subscriber. */
export async function readHoldings(client: Client, id: string): Promise<Holding[]> {
  const [subscriptions, purchases] = await Promise.all([
    readSubscriptions(client, id),
    readPurchases(client, id),
  ]);
  return [...subscriptions, ...purchases];
}

/** All subscriptions of a subscriber, including promotional grants. */
export function readSubscriptions(client: Client, id: string): Promise<Subscription[]> {
  const first = listCustomerSubscriptions(client, id, { limit: LARGEST_PAGE });
  return Array.fromAsync(each(client, first));
}

/** All one-time purchases of a subscriber. */
export function readPurchases(client: Client, id: string): Promise<Purchase[]> {
  const first = listCustomerPurchases(client, id, { limit: LARGEST_PAGE });
  return Array.fromAsync(each(client, first));
}

/** Whether it gives access now. */
export function givesAccess(holding: Holding): boolean {
  return holding.object === "subscription" ? holding.gives_access : holding.status === "owned";
}

/** Whether it is a promotional grant. */
export function isGrant(holding: Holding): boolean {
  return holding.store === "promotional";
}

/** Its entitlement with a given lookup key or id. */
export function entitlementIn(holding: Holding, key: string): Entitlement | undefined {
  const items = nestedItems(holding.entitlements);
  return items.find(({ id }) => id === key) ?? items.find(({ lookup_key }) => lookup_key === key);
}

/** Its expected end, in milliseconds since 1970, or null for none. */
export function endOf(holding: Holding): number | null {
  if (holding.object === "purchase") return null;
  return holding.ends_at ?? holding.current_period_ends_at ?? null;
}

/** Of several, the one that lasts longest. */
export function longest(holdings: readonly Holding[]): Holding | undefined {
  return holdings.toSorted((a, b) => (endOf(b) ?? Infinity) - (endOf(a) ?? Infinity))[0];
}

/**
 * The one through which an entitlement ends at a given time. Only in its grace period a
 * subscription gives access longer than its end.
 */
export function sourceOf(
  holdings: readonly Holding[],
  { entitlement_id, expires_at }: ActiveEntitlement,
): Holding | undefined {
  const giving = holdings.filter((one) => givesAccess(one) && entitlementIn(one, entitlement_id));
  const inGrace = giving.filter((one) => one.status === "in_grace_period");
  return giving.find((one) => endOf(one) === (expires_at ?? null)) ??
    (expires_at ? longest(inGrace) : undefined);
}

/** The stores' names of the products of holdings, by the products' ids. */
export async function productNames(
  client: Client,
  holdings: readonly Holding[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(holdings.flatMap(({ product_id }) => product_id ?? []));
  const names = new Map<string, string>();
  if (wanted.size === 0) return names;
  for await (const product of each(client, listProducts(client, { limit: LARGEST_PAGE }))) {
    if (wanted.has(product.id)) names.set(product.id, product.store_identifier);
    if (names.size === wanted.size) break;
  }
  return names;
}

/** The names for a table of results; none for JSON, which is printed unchanged. */
export async function namesFor(
  { out }: Context,
  client: Client,
  found: Page<Holding>,
): Promise<ReadonlyMap<string, string>> {
  if (out.format === "json") return new Map();
  return await permitted(productNames(client, itemsOf(found))) ?? new Map();
}

/** A short description of a purchase. */
export function nameOf(holding: Holding, names: ReadonlyMap<string, string>): string {
  const { product_id } = holding;
  if (product_id) return names.get(product_id) ?? product_id;
  const keys = nestedItems(holding.entitlements).flatMap(({ lookup_key }) => lookup_key ?? []);
  if (!isGrant(holding)) return "an unnamed product";
  return `grant of ${keys.join(", ") || "nothing"}`;
}

/** Lookup keys of entitlements by their ids. */
export function keysOf(entitlements: readonly Entitlement[]): ReadonlyMap<string, string> {
  return new Map(entitlements.map(({ id, lookup_key }) => [id, lookup_key]));
}

/** The same for all entitlements; none without the permission to read them. */
export async function entitlementKeys(client: Client): Promise<ReadonlyMap<string, string>> {
  const all = each(client, listEntitlements(client, { limit: LARGEST_PAGE }));
  return keysOf(await permitted(Array.fromAsync(all)) ?? []);
}

/** The result of a request; undefined without the permission for it. */
export async function permitted<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}
