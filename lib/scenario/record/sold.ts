/**
 * The catalogue of a recorded scenario: what the customers bought, under names that a file can use.
 *
 * @module
 */

import type { CustomerHistory, HistoryProduct } from "../../simulator/history.ts";
import type { Catalogue } from "../file/catalogue.ts";
import type { Json } from "../values/tree.ts";

/** What was sold. */
export interface Sold {
  /** The catalogue. */
  readonly catalogue: Catalogue;
  /** The same as the value that stands in a file. */
  readonly value: Json;
  /** The name of a product in the file, by its id. */
  readonly names: ReadonlyMap<string, string>;
  /** What the file cannot say. */
  readonly notes: readonly string[];
}

/** The catalogue of a history. */
export function soldIn(history: CustomerHistory): Sold {
  const notes: string[] = [];
  const products = usedProducts(history);
  const names = productNames(products, history, notes);
  const apps = history.apps.filter(({ id }) => products.some(({ app_id }) => app_id === id));
  const appNames = uniqueNames(apps.map(({ id, type }) => [id, type]));
  const catalogue: Catalogue = {
    apps: Object.fromEntries(apps.map(({ id, type }) => [appNames.get(id) ?? id, type])),
    products: Object.fromEntries(
      products.map((product) => [
        names.get(product.id) ?? product.id,
        termsOf(product, appNames.get(product.app_id) ?? ""),
      ]),
    ),
    coins: coinsOf(history, names, notes),
    entitlements: grantedOnly(history, products),
  };
  const { coins, entitlements, ...rest } = catalogue;
  const value = {
    ...rest,
    ...Object.keys(coins).length > 0 && { coins },
    ...entitlements.length > 0 && { entitlements },
  };
  // Undefined fields are left out.
  return { catalogue, value: JSON.parse(JSON.stringify(value)), names, notes };
}

/** The products that were bought or changed to, and no others of their apps. */
function usedProducts(
  { products, subscriptions, purchases, events }: CustomerHistory,
): HistoryProduct[] {
  const ids = new Set([...subscriptions, ...purchases].map(({ product_id }) => product_id));
  const named = new Set(events.flatMap(({ app_id, delivery }) => {
    const { event } = delivery as { event?: Record<string, unknown> };
    return [event?.product_id, event?.new_product_id].map((name) => `${app_id} ${name}`);
  }));
  return products.filter(({ id, app_id, store_identifier }) =>
    ids.has(id) || named.has(`${app_id} ${store_identifier}`)
  );
}

/** A name for each product: a file has one for each store identifier. */
function productNames(
  products: readonly HistoryProduct[],
  { apps }: CustomerHistory,
  notes: string[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, app_id, store_identifier } of products) {
    const taken = [...names.values()].includes(store_identifier);
    const store = apps.find((app) => app.id === app_id)?.type ?? "";
    const name = taken ? `${store_identifier}.${store}.${names.size}` : store_identifier;
    if (taken) notes.push(`Several apps sell ${store_identifier}; here one is named ${name}`);
    names.set(id, name);
  }
  return names;
}

/** Names by id: the wanted ones, numbered where several are the same. */
function uniqueNames(wanted: readonly (readonly [string, string])[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const [id, name] of wanted) {
    const taken = [...names.values()].includes(name);
    names.set(id, taken ? `${name}_${names.size + 1}` : name);
  }
  return names;
}

/** A product as a file has it. */
function termsOf(product: HistoryProduct, app: string): Catalogue["products"][string] {
  const { type, duration, trial_duration, grace_duration, price, currency } = product;
  return {
    app,
    ...type !== "subscription" && { type },
    ...duration !== null && { duration },
    ...trial_duration !== null && { trial: trial_duration },
    ...grace_duration !== null && { grace: grace_duration },
    price: price ?? 0,
    ...currency !== null && currency !== "USD" && { currency },
    ...product.entitlements.length > 0 && { entitlements: product.entitlements },
  };
}

/** The virtual currencies as a file has them. */
function coinsOf(
  { currencies, customers }: CustomerHistory,
  names: ReadonlyMap<string, string>,
  notes: string[],
): Catalogue["coins"] {
  const used = currencies.filter(({ code, grants }) =>
    customers.some(({ balances }) => balances[code] !== undefined) ||
    grants.some(({ product_id }) => names.has(product_id))
  );
  return Object.fromEntries(used.map(({ code, name, grants }) => {
    const products: Record<string, number> = {};
    for (const { product_id, amount, trial_amount } of grants) {
      const product = names.get(product_id);
      if (product !== undefined) products[product] = (products[product] ?? 0) + amount;
      if (product !== undefined && trial_amount !== 0) {
        notes.push(`Trials of ${product} bring ${trial_amount} ${code}; a file cannot say so`);
      }
    }
    return [code, { name, ...Object.keys(products).length > 0 && { products } }];
  }));
}

/** Entitlements that were granted, and that no product of the file gives. */
function grantedOnly(
  { subscriptions }: CustomerHistory,
  products: readonly HistoryProduct[],
): string[] {
  const given = new Set(products.flatMap(({ entitlements }) => entitlements));
  const granted = new Set(subscriptions.flatMap(({ entitlement }) => entitlement ?? []));
  return [...granted].filter((key) => !given.has(key));
}
