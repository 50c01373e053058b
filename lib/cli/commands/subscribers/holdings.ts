/**
 * What gives a subscriber an entitlement: the subscriptions and purchases behind it.
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

/** Something that gives a subscriber entitlements. */
export type Holding = Subscription | Purchase;

/** All that a subscriber ever got. */
export async function readHoldings(client: Client, id: string): Promise<Holding[]> {
  const [subscriptions, purchases] = await Promise.all([
    readSubscriptions(client, id),
    readPurchases(client, id),
  ]);
  return [...subscriptions, ...purchases];
}

/** All subscriptions of a subscriber, and what was granted by hand. */
export function readSubscriptions(client: Client, id: string): Promise<Subscription[]> {
  const first = listCustomerSubscriptions(client, id, { limit: LARGEST_PAGE });
  return Array.fromAsync(each(client, first));
}

/** All that a subscriber bought once. */
export function readPurchases(client: Client, id: string): Promise<Purchase[]> {
  const first = listCustomerPurchases(client, id, { limit: LARGEST_PAGE });
  return Array.fromAsync(each(client, first));
}

/** Whether it gives access now. */
export function givesAccess(holding: Holding): boolean {
  return holding.object === "subscription" ? holding.gives_access : holding.status === "owned";
}

/** Whether it is an entitlement that was given by hand. */
export function isGrant(holding: Holding): boolean {
  return holding.store === "promotional";
}

/** The entitlement among those that it gives, by its lookup key or id. */
export function entitlementIn(holding: Holding, key: string): Entitlement | undefined {
  const items = nestedItems(holding.entitlements);
  return items.find(({ id }) => id === key) ?? items.find(({ lookup_key }) => lookup_key === key);
}

/** When it ends as things stand, in milliseconds since 1970, or null if it does not. */
export function endOf(holding: Holding): number | null {
  if (holding.object === "purchase") return null;
  return holding.ends_at ?? holding.current_period_ends_at ?? null;
}

/** Of several, the one that lasts longest. */
export function longest(holdings: readonly Holding[]): Holding | undefined {
  return holdings.toSorted((a, b) => (endOf(b) ?? Infinity) - (endOf(a) ?? Infinity))[0];
}

/**
 * Of those that give an entitlement, the one through which it ends at a moment. Only in its grace
 * period a subscription gives access for longer than it says.
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

/** The names for a table of found holdings; none for JSON, which is printed as it came. */
export async function namesFor(
  { out }: Context,
  client: Client,
  found: Page<Holding>,
): Promise<ReadonlyMap<string, string>> {
  if (out.format === "json") return new Map();
  return await permitted(productNames(client, itemsOf(found))) ?? new Map();
}

/** What was bought, in a few words. */
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

/** The same of all entitlements there are; of none where they may not be read. */
export async function entitlementKeys(client: Client): Promise<ReadonlyMap<string, string>> {
  const all = each(client, listEntitlements(client, { limit: LARGEST_PAGE }));
  return keysOf(await permitted(Array.fromAsync(all)) ?? []);
}

/** What a request gives; undefined where the permission for it is missing. */
export async function permitted<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}
