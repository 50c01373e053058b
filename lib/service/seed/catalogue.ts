/**
 * Writes a catalogue into a project: apps, products, entitlements, offerings, virtual currencies. What
 * the project has already stays as it is. All queries are written out, since the first start does not
 * wait for the builder of others.
 *
 * @module
 */

import type { ProductGrant } from "../../resources/virtual_currencies.ts";
import type { Call } from "../contract/route.ts";
import { toMicros } from "../domain/money.ts";
import { insertApp } from "../records/apps.ts";
import { newId } from "../records/ids.ts";
import { findRow, fixed, insertRow, nextSeq, rowsWith, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** A catalogue to write. */
export interface SeedCatalogue {
  /** The apps. */
  readonly apps: readonly SeedApp[];
  /** The products. */
  readonly products: readonly SeedProduct[];
  /** The entitlements: lookup key, name, and the store identifiers of the products that give them. */
  readonly entitlements: readonly (readonly [string, string, readonly string[]])[];
  /** The offerings. The first one becomes current where none is. */
  readonly offerings: readonly SeedOffering[];
  /** The virtual currencies. */
  readonly currencies: readonly SeedCurrency[];
}

/** An app of a catalogue. */
interface SeedApp {
  /** Its name in this catalogue. */
  readonly key: string;
  /** Its name. */
  readonly name: string;
  /** Its type. */
  readonly type: string;
  /** Its settings. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A product of a catalogue. */
interface SeedProduct {
  /** The key of its app. */
  readonly app: string;
  /** Its store identifier. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** The length of a period, or null for something that is bought once. */
  readonly duration: string | null;
  /** The price in US dollars. */
  readonly price: number;
  /** The length of the trial. Default: none. */
  readonly trial?: string;
  /** Whether it can be bought again and again. */
  readonly consumable?: true;
}

/** An offering of a catalogue. */
interface SeedOffering {
  /** Its lookup key. */
  readonly key: string;
  /** Its name. */
  readonly name: string;
  /** Its metadata. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Its packages: lookup key, name, and the store identifiers of their products. */
  readonly packages: readonly (readonly [string, string, readonly string[]])[];
}

/** A virtual currency of a catalogue. */
interface SeedCurrency {
  /** Its code. */
  readonly code: string;
  /** Its name. */
  readonly name: string;
  /** What it is for. */
  readonly description: string;
  /** The amounts that products bring, by store identifier. */
  readonly amounts: Readonly<Record<string, number>>;
}

/** What a project has of a catalogue after it was written. */
interface Written {
  /** The products, by store identifier. */
  products: ReadonlyMap<string, Row<"products">>;
  /** The id of the last entitlement. */
  entitlement_id: string;
  /** The id of the first offering. */
  offering_id: string;
}

/** The part of a call for writing the data of a project. */
export type SeedCall = Pick<Call, "tx" | "project" | "now">;
type Products = Written["products"];

/** Writes what a project lacks of a catalogue. */
export async function writeCatalogue(call: SeedCall, catalogue: SeedCatalogue): Promise<Written> {
  const products = await writeProducts(call, catalogue);
  const entitlement_id = await writeEntitlements(call, catalogue, products);
  const offering_id = await writeOfferings(call, catalogue, products);
  for (const currency of catalogue.currencies) await writeCurrency(call, currency, products);
  return { products, entitlement_id, offering_id };
}

/** The fields that every listed object has. */
async function identity(
  { tx }: SeedCall,
  kind: "product" | "entitlement" | "offering" | "package",
): Promise<{ id: string; seq: number }> {
  return { id: newId(kind), seq: await nextSeq(tx) };
}

async function writeProducts(call: SeedCall, catalogue: SeedCatalogue): Promise<Products> {
  const { tx } = call;
  const present = {
    apps: await rowsWith(tx, "apps", {}, ["seq"]),
    products: await rowsWith(tx, "products", {}),
  };
  const apps = new Map<string, string>();
  for (const { key, name, type, settings } of catalogue.apps) {
    const known = present.apps.find((app) => app.type === type && app.name === name);
    apps.set(key, (known ?? await insertApp(call, name, type, settings)).id);
  }
  const products = new Map<string, Row<"products">>();
  for (const product of catalogue.products) {
    const app_id = apps.get(product.app) ?? "";
    const known = present.products.find((row) =>
      row.app_id === app_id && row.store_identifier === product.id
    );
    products.set(product.id, known ?? await insertProduct(call, app_id, product));
  }
  return products;
}

async function insertProduct(
  call: SeedCall,
  app_id: string,
  { id, name, duration, price, trial, consumable }: SeedProduct,
): Promise<Row<"products">> {
  const once = consumable ? "consumable" : "non_consumable";
  return await insertRow(call.tx, "products", {
    ...await identity(call, "product"),
    app_id,
    store_identifier: id,
    type: duration === null ? once : "subscription",
    display_name: name,
    title: null,
    state: "active",
    duration,
    grace_period_duration: duration === null ? null : "P3D",
    trial_duration: trial ?? null,
    is_consumable: duration === null ? Number(consumable === true) : null,
    price_micros: toMicros(price),
    price_currency: "USD",
    created_at: call.now,
  });
}

/** Writes entitlements, and which products give them. Returns the id of the last one. */
async function writeEntitlements(
  call: SeedCall,
  { entitlements }: SeedCatalogue,
  products: Products,
): Promise<string> {
  const { tx } = call;
  const present = await rowsWith(tx, "entitlements", {});
  const attached = await rowsWith(tx, "entitlement_products", {});
  let last = "";
  for (const [lookup_key, display_name, identifiers] of entitlements) {
    const known = present.find((row) => row.lookup_key === lookup_key);
    const id = known?.id ?? await insertEntitlement(call, { lookup_key, display_name });
    for (const identifier of identifiers) {
      const product_id = products.get(identifier)?.id ?? "";
      const has = attached.some((row) =>
        row.entitlement_id === id && row.product_id === product_id
      );
      if (has) continue;
      const seq = await nextSeq(tx);
      await writeRows(tx, "entitlement_products", [{ entitlement_id: id, product_id, seq }]);
    }
    last = id;
  }
  return last;
}

async function insertEntitlement(
  call: SeedCall,
  names: Pick<Row<"entitlements">, "lookup_key" | "display_name">,
): Promise<string> {
  const own = await identity(call, "entitlement");
  await writeRows(call.tx, "entitlements", [{ ...own, ...names, created_at: call.now }]);
  return own.id;
}

/** Writes offerings with their packages. Returns the id of the first one. */
async function writeOfferings(
  call: SeedCall,
  { offerings }: SeedCatalogue,
  products: Products,
): Promise<string> {
  const { tx, now } = call;
  const present = await rowsWith(tx, "offerings", {});
  let first: string | undefined;
  for (const { key, name, metadata, packages } of offerings) {
    const known = present.find((row) => row.lookup_key === key);
    if (known) {
      first ??= known.id;
      continue;
    }
    const own = await identity(call, "offering");
    await writeRows(tx, "offerings", [{
      ...own,
      lookup_key: key,
      display_name: name,
      metadata: metadata && JSON.stringify(metadata),
      created_at: now,
    }]);
    if (first === undefined) {
      await fixed`update projects set current_offering_id = ${own.id}
        where id = ${tx.projectId} and current_offering_id is null`.execute(tx);
    }
    first ??= own.id;
    await writePackages(call, own.id, packages, products);
  }
  return first ?? "";
}

async function writePackages(
  call: SeedCall,
  offering_id: string,
  packages: SeedOffering["packages"],
  products: Products,
): Promise<void> {
  const { tx, now } = call;
  for (const [position, [lookup_key, display_name, identifiers]] of packages.entries()) {
    const own = await identity(call, "package");
    await writeRows(tx, "packages", [{
      ...own,
      offering_id,
      lookup_key,
      display_name,
      position,
      created_at: now,
    }]);
    for (const identifier of identifiers) {
      const product = products.get(identifier);
      await writeRows(tx, "package_products", [{
        package_id: own.id,
        product_id: product?.id ?? "",
        app_id: product?.app_id ?? "",
        seq: await nextSeq(tx),
        eligibility_criteria: "all",
      }]);
    }
  }
}

async function writeCurrency(
  { tx, now }: SeedCall,
  { code, name, description, amounts }: SeedCurrency,
  products: Products,
): Promise<void> {
  if (await findRow(tx, "virtual_currencies", code)) return;
  const grants = Object.entries(amounts).map(([identifier, amount]): ProductGrant => ({
    object: "virtual_currency.product_grant",
    product_ids: [products.get(identifier)?.id ?? ""],
    amount,
    trial_amount: 0,
    expire_at_cycle_end: false,
  }));
  await writeRows(tx, "virtual_currencies", [{
    id: code,
    seq: await nextSeq(tx),
    name,
    description,
    product_grants: JSON.stringify(grants),
    created_at: now,
  }]);
}
