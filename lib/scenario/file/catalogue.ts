/**
 * The catalogue of a scenario: apps, products with their terms and entitlements, virtual currencies.
 *
 * @module
 */

import { path } from "../../path.ts";
import type { DeedRequest } from "../deeds/deed.ts";
import {
  code,
  complain,
  type Field,
  type Kind,
  mapOf,
  number,
  oneOf,
  period,
  readFields,
  schemaOf,
  type Scope,
  text,
  whole,
} from "../values/kinds.ts";
import { referencesIn, withVariables } from "../values/references.ts";
import { didYouMean } from "../../spelling.ts";
import { entryOf, type Json, kindOf, type Node } from "../values/tree.ts";

/** A catalogue. */
export interface Catalogue {
  /** The type of each app, by the app's name. */
  readonly apps: Readonly<Record<string, string>>;
  /** The products, by their store identifiers. */
  readonly products: Readonly<Record<string, CatalogueProduct>>;
  /** The virtual currencies, by their codes. */
  readonly coins: Readonly<Record<string, Coins>>;
  /** The lookup keys of entitlements that can be granted though no product gives them. */
  readonly entitlements: readonly string[];
}

/** A product. */
interface CatalogueProduct {
  /** The name of its app. */
  readonly app?: string;
  /** Its type. Default: `subscription`. */
  readonly type?: string;
  /** The length of a period. */
  readonly duration?: string;
  /** The length of the trial. */
  readonly trial?: string;
  /** The grace period. */
  readonly grace?: string;
  /** The price, in main units. */
  readonly price?: number;
  /** The currency of the price. */
  readonly currency?: string;
  /** The lookup keys of the entitlements that it gives. */
  readonly entitlements?: readonly string[];
}

/** A virtual currency. */
interface Coins {
  /** Its name. */
  readonly name?: string;
  /** How much each product gives, by store identifier. */
  readonly products?: Readonly<Record<string, number>>;
}

const APP_TYPES = [
  ...["app_store", "play_store", "mac_app_store", "amazon"],
  ...["stripe", "svc_billing", "roku", "paddle", "test_store"],
];

const PRODUCT_TYPES = [
  ...["subscription", "one_time", "consumable", "non_consumable"],
  "non_renewing_subscription",
];

const entitlementList: Kind = {
  what: "a list of lookup keys",
  schema: { type: "array", items: { type: "string" } },
  read(node, scope) {
    if (node.kind !== "list") {
      return complain(scope, node.at, `a list of lookup keys is needed here, not ${kindOf(node)}`);
    }
    return node.items.flatMap((item) => text(200).read(item, scope) ?? []);
  },
};

const PRODUCT: Readonly<Record<string, Field>> = {
  app: { brief: "The name of the app that sells it", kind: text(255), required: true },
  type: { brief: "Its type (default: subscription)", kind: oneOf(...PRODUCT_TYPES) },
  duration: { brief: "The length of a period", kind: period },
  trial: { brief: "The length of the trial", kind: period },
  grace: { brief: "The grace period", kind: period },
  price: { brief: "The price, in main units", kind: number(0, 100_000_000), required: true },
  currency: { brief: "The currency of the price (default: USD)", kind: code(3, "a currency") },
  entitlements: { brief: "The lookup keys of the entitlements it gives", kind: entitlementList },
};

const COINS: Readonly<Record<string, Field>> = {
  name: { brief: "Its name", kind: text(50) },
  products: {
    brief: "How much each product gives",
    kind: mapOf(text(200), whole(1, 2_000_000_000), "a map of products to amounts"),
  },
};

const FIELDS: Readonly<Record<string, Field>> = {
  apps: {
    brief: "The apps: a name and its type",
    kind: mapOf(text(255), oneOf(...APP_TYPES), "a map of names to types of apps"),
    required: true,
  },
  products: {
    brief: "The products, by store identifier",
    kind: mapOf(text(200), fieldsKind(PRODUCT, "a product"), "a map of products"),
    required: true,
  },
  coins: {
    brief: "The virtual currencies, by code",
    kind: mapOf(text(10), fieldsKind(COINS, "a virtual currency"), "a map of currencies"),
  },
  entitlements: {
    brief: "Lookup keys of entitlements that no product gives, for grants",
    kind: entitlementList,
  },
};

/** The JSON schema of a catalogue. */
export const CATALOGUE_SCHEMA: Readonly<Record<string, unknown>> = schemaOf(FIELDS);

/** A kind that is a map of known fields. */
function fieldsKind(fields: Readonly<Record<string, Field>>, owner: string): Kind {
  return {
    what: owner,
    schema: schemaOf(fields),
    read: (node, scope) => readFields(node, fields, scope, owner),
  };
}

/** Reads a catalogue. What is wrong with it is among the problems. */
export function readCatalogue(node: Node, scope: Scope): Catalogue {
  // The fields have just been read by their kinds, so they have these types.
  const read = readFields(node, FIELDS, scope, "a catalogue") as unknown as Partial<Catalogue>;
  const catalogue: Catalogue = {
    apps: read.apps ?? {},
    products: read.products ?? {},
    coins: read.coins ?? {},
    entitlements: read.entitlements ?? [],
  };
  checkNames(node, catalogue, scope);
  return catalogue;
}

/** Checks that products name apps that there are, and currencies products. */
function checkNames(node: Node, { apps, products }: Catalogue, scope: Scope): void {
  const listed = entryOf(node, "products")?.value;
  for (const { value } of listed?.kind === "map" ? listed.entries : []) {
    const app = entryOf(value, "app")?.value;
    if (app?.kind !== "scalar") continue;
    const name = withVariables(app.text, scope.vars);
    if (Object.hasOwn(apps, name) || isIncomplete(name)) continue;
    const like = didYouMean(name, Object.keys(apps));
    complain(scope, app.at, `the catalogue has no app ${JSON.stringify(name)}${like}`);
  }
  const coins = entryOf(node, "coins")?.value;
  for (const { value } of coins?.kind === "map" ? coins.entries : []) {
    const given = entryOf(value, "products")?.value;
    for (const { key: written, at } of given?.kind === "map" ? given.entries : []) {
      const key = withVariables(written, scope.vars);
      if (Object.hasOwn(products, key) || isIncomplete(key)) continue;
      const like = didYouMean(key, Object.keys(products));
      complain(scope, at, `the catalogue has no product ${JSON.stringify(key)}${like}`);
    }
  }
}

/** Whether a variable of a text has no value, which was said before. */
function isIncomplete(text: string): boolean {
  return referencesIn(text).length > 0;
}

/** What a catalogue names. */
export function namesIn(
  { products, coins, entitlements: others }: Catalogue,
): NonNullable<Scope["catalogue"]> {
  const given = Object.values(products).flatMap(({ entitlements = [] }) => entitlements);
  const keys = [...given, ...others];
  return {
    product: Object.keys(products),
    entitlement: [...new Set(keys)],
    coins: Object.keys(coins),
  };
}

/** Sends a request to the service. */
type Send = <T>(request: DeedRequest) => Promise<T>;

/** Writes a catalogue into an empty project. */
export async function applyCatalogue(
  { apps, products, coins, entitlements: others }: Catalogue,
  project: string,
  send: Send,
): Promise<void> {
  const appIds = new Map<string, string>();
  for (const [name, type] of Object.entries(apps)) {
    appIds.set(name, (await send<{ id: string }>(appRequest(project, name, type))).id);
  }
  const productIds = new Map<string, string>();
  const givenBy = new Map<string, string[]>();
  for (const [identifier, product] of Object.entries(products)) {
    const { type = "subscription", app = "", entitlements = [] } = product;
    const { id } = await send<{ id: string }>({
      method: "POST",
      path: path`/products`,
      body: {
        app_id: appIds.get(app),
        store_identifier: identifier,
        type,
        display_name: identifier,
        ...apps[app] === "test_store" && {
          title: identifier,
          ...type === "subscription" && { subscription: { duration: product.duration } },
        },
      },
    });
    productIds.set(identifier, id);
    for (const key of entitlements) givenBy.set(key, [...givenBy.get(key) ?? [], id]);
    const place = path`/_sim/projects/${project}/products/${id}/price`;
    await send({ method: "POST", path: place, body: termsOf(product) });
  }
  for (const key of others) givenBy.set(key, givenBy.get(key) ?? []);
  for (const [key, product_ids] of givenBy) await addEntitlement(key, product_ids, send);
  for (const [code, { name = code, products = {} }] of Object.entries(coins)) {
    const product_grants = Object.entries(products).map(([identifier, amount]) => ({
      product_ids: [productIds.get(identifier)],
      amount,
    }));
    await send({
      method: "POST",
      path: path`/virtual_currencies`,
      body: { code, name, product_grants },
    });
  }
}

/** The request that makes an app. */
function appRequest(project: string, name: string, type: string): DeedRequest {
  if (type === "test_store") {
    return { method: "POST", path: path`/_sim/projects/${project}/apps`, body: { name } };
  }
  const own: Readonly<Record<string, object>> = {
    app_store: { bundle_id: "com.example.scenario" },
    mac_app_store: { bundle_id: "com.example.scenario", shared_secret: "0".repeat(32) },
    play_store: { package_name: "com.example.scenario" },
    amazon: { package_name: "com.example.scenario", shared_secret: "0".repeat(32) },
    svc_billing: { app_name: name },
  };
  const body = { name, type, ...own[type] && { [type]: own[type] } };
  return { method: "POST", path: path`/apps`, body };
}

/** The price and the terms of a product. */
function termsOf(
  { price = 0, currency, duration, trial, grace }: CatalogueProduct,
): Record<string, Json | undefined> {
  return { price, currency, duration, trial_duration: trial, grace_period_duration: grace };
}

/** Makes an entitlement, and lets products give it. */
async function addEntitlement(key: string, product_ids: string[], send: Send): Promise<void> {
  const { id } = await send<{ id: string }>({
    method: "POST",
    path: path`/entitlements`,
    body: { lookup_key: key, display_name: key },
  });
  if (product_ids.length === 0) return;
  const place = path`/entitlements/${id}/actions/attach_products`;
  await send({ method: "POST", path: place, body: { product_ids } });
}
