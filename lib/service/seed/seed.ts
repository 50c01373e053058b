/**
 * The demonstration project of a new database, so that the first command has something to show.
 *
 * @module
 */

import type { ProductGrant } from "../../resources/virtual_currencies.ts";
import { insertCustomer } from "../records/changes.ts";
import { toMicros } from "../domain/money.ts";
import { newId } from "../records/ids.ts";
import { addAccount } from "../oauth/mod.ts";
import type { Actor, Call } from "../contract/route.ts";
import { insertApp } from "../records/apps.ts";
import { insertProject } from "../records/projects.ts";
import { seedBuyers } from "./buyers.ts";
import { inProject, nextSeq, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** The account that owns everything in a new database. */
const OWNER = { email: "owner@example.com", name: "Olivia Owner" };

const APPS = [
  { key: "ios", name: "Notes for iOS", type: "app_store", bundle_id: "com.example.notes" },
  {
    key: "android",
    name: "Notes for Android",
    type: "play_store",
    package_name: "com.example.notes",
  },
  { key: "web", name: "Notes on the web", type: "svc_billing", app_name: "Notes" },
] as const;

const PRODUCTS = [
  ["ios", "notes.pro.monthly", "Pro, monthly", "P1M", 9.99],
  ["ios", "notes.pro.annual", "Pro, annual", "P1Y", 79.99],
  ["ios", "notes.pro.lifetime", "Pro, lifetime", null, 199.99],
  ["android", "notes_pro:monthly", "Pro, monthly", "P1M", 9.99],
  ["android", "notes_pro:annual", "Pro, annual", "P1Y", 79.99],
  ["android", "notes_lifetime", "Pro, lifetime", null, 199.99],
  ["web", "notes_web_monthly", "Pro, monthly", "P1M", 9.99],
  ["web", "notes_web_annual", "Pro, annual", "P1Y", 79.99],
] as const;

const ENTITLEMENTS = [
  ["pro", "Everything in Notes Pro", PRODUCTS.map(([, id]) => id)],
  ["sync", "Sync between devices", ["notes.pro.annual", "notes_pro:annual", "notes_web_annual"]],
] as const;

const MONTHLY = ["notes.pro.monthly", "notes_pro:monthly", "notes_web_monthly"];
const ANNUAL = ["notes.pro.annual", "notes_pro:annual", "notes_web_annual"];
const LIFETIME = ["notes.pro.lifetime", "notes_lifetime"];

const OFFERINGS = [
  {
    key: "default",
    name: "Standard prices",
    metadata: null,
    packages: [
      ["$svc_monthly", "Monthly", MONTHLY],
      ["$svc_annual", "Annual", ANNUAL],
      ["$svc_lifetime", "Lifetime", LIFETIME],
    ],
  },
  {
    key: "winter_sale",
    name: "Winter sale",
    metadata: { badge: "Save 40 %" },
    packages: [["$svc_annual", "Annual, reduced", ANNUAL]],
  },
] as const;

const CUSTOMERS = [
  ["ada", "GB", "iOS", { $email: "ada@example.com", plan: "family" }],
  ["grace", "US", "android", { $email: "grace@example.com" }],
  ["$RCAnonymousID:5d2f7c1e9ab04c3f8e6d1b2a3c4d5e6f", "JP", "iOS", {}],
] as const;

/** The result of the seed, for the caller that starts the service. */
interface Seeded {
  /** The owner's account. */
  account_id: string;
  /** The demonstration project; undefined in an empty database. */
  project_id: string | undefined;
}

/** The content of a new database. */
export interface SeedOptions {
  /** The time. */
  now: number;
  /** Whether there is no project. */
  empty: boolean;
  /** Whether the project sells coins and has buyers. */
  buyers: boolean;
}

/** Fills a new database with the owner's account and, unless it stays empty, the project. */
export async function seed(tx: Tx, options: SeedOptions): Promise<Seeded> {
  const account = await addAccount(tx, { ...OWNER, now: options.now });
  if (options.empty) return { account_id: account.id, project_id: undefined };
  const owner = { ...account, account_id: account.id, has_mfa: account.has_mfa === 1 };
  const project_id = await seedProject(tx, owner, options);
  return { account_id: account.id, project_id };
}

/** Writes the demonstration project. */
async function seedProject(
  tx: Tx,
  owner: Pick<Actor, "account_id" | "email" | "name" | "has_mfa">,
  { now, buyers }: SeedOptions,
): Promise<string> {
  const project = await insertProject(tx, "Notes", owner, now);
  const call = { tx: inProject(tx, project.id), project, now };
  const products = await seedProducts(call);
  const entitlement_id = await seedEntitlements(call, products);
  const offering_id = await seedOfferings(call, products);
  await seedPeople(call);
  if (buyers) {
    await seedCoins(call, products);
    await seedBuyers(call, { products, entitlement_id, offering_id });
  }
  return project.id;
}

type Place = Pick<Call, "tx" | "project" | "now">;
type Products = ReadonlyMap<string, Row<"products">>;

/** The fields of every listed object. */
async function identity(
  { tx }: Place,
  kind: "product" | "entitlement" | "offering" | "package" | "collaborator",
): Promise<{ id: string; seq: number }> {
  return { id: newId(kind), seq: await nextSeq(tx) };
}

/** Writes apps and products. Returns the products by their store identifier. */
async function seedProducts(call: Place): Promise<Products> {
  const apps = new Map<string, string>();
  for (const { key, name, type, ...fields } of APPS) {
    apps.set(key, (await insertApp(call, name, type, fields)).id);
  }
  const products = new Map<string, Row<"products">>();
  for (const [app, store_identifier, display_name, duration, price] of PRODUCTS) {
    const row = {
      ...await identity(call, "product"),
      app_id: apps.get(app) ?? "",
      store_identifier,
      type: duration === null ? "non_consumable" : "subscription",
      display_name,
      title: null,
      duration,
      grace_period_duration: duration === null ? null : "P3D",
      trial_duration: duration === "P1Y" ? "P1W" : null,
      is_consumable: duration === null ? 0 : null,
      price_micros: toMicros(price),
      price_currency: "USD",
      created_at: call.now,
    };
    products.set(
      store_identifier,
      await call.tx.insertInto("products").values(row).returningAll().executeTakeFirstOrThrow(),
    );
  }
  return products;
}

/** Writes entitlements with their products. Returns the id of the last one. */
async function seedEntitlements(call: Place, products: Products): Promise<string> {
  let last = "";
  for (const [lookup_key, display_name, identifiers] of ENTITLEMENTS) {
    const own = await identity(call, "entitlement");
    await call.tx.insertInto("entitlements")
      .values({ ...own, lookup_key, display_name, created_at: call.now }).execute();
    for (const identifier of identifiers) {
      await call.tx.insertInto("entitlement_products").values({
        entitlement_id: own.id,
        product_id: products.get(identifier)?.id ?? "",
        seq: await nextSeq(call.tx),
      }).execute();
    }
    last = own.id;
  }
  return last;
}

/** Writes offerings with their packages. The first one is current. Returns its id. */
async function seedOfferings(call: Place, products: Products): Promise<string> {
  let current = "";
  const { tx, now } = call;
  for (const { key, name, metadata, packages } of OFFERINGS) {
    const own = await identity(call, "offering");
    await tx.insertInto("offerings").values({
      ...own,
      lookup_key: key,
      display_name: name,
      metadata: metadata && JSON.stringify(metadata),
      created_at: now,
    }).execute();
    if (key === "default") {
      current = own.id;
      await tx.updateTable("projects").set({ current_offering_id: own.id }).execute();
    }
    for (const [position, [lookup_key, display_name, identifiers]] of packages.entries()) {
      const offered = await identity(call, "package");
      await tx.insertInto("packages").values({
        ...offered,
        offering_id: own.id,
        lookup_key,
        display_name,
        position,
        created_at: now,
      }).execute();
      for (const identifier of identifiers) {
        await seedChoice(call, offered.id, products, identifier);
      }
    }
  }
  return current;
}

/** Attaches a product to a package. */
async function seedChoice(
  { tx }: Place,
  packageId: string,
  products: Products,
  identifier: string,
): Promise<void> {
  const product = products.get(identifier);
  await tx.insertInto("package_products").values({
    package_id: packageId,
    product_id: product?.id ?? "",
    app_id: product?.app_id ?? "",
    seq: await nextSeq(tx),
    eligibility_criteria: "all",
  }).execute();
}

/** Writes a virtual currency with its product. */
async function seedCoins(call: Place, products: Products): Promise<void> {
  const { tx, now } = call;
  const own = await identity(call, "product");
  await tx.insertInto("products").values({
    ...own,
    app_id: products.get("notes.pro.monthly")?.app_id ?? "",
    store_identifier: "notes.coins.100",
    type: "consumable",
    display_name: "100 coins",
    title: null,
    duration: null,
    grace_period_duration: null,
    trial_duration: null,
    is_consumable: 1,
    price_micros: toMicros(0.99),
    price_currency: "USD",
    created_at: now,
  }).execute();
  const grant: ProductGrant = {
    object: "virtual_currency.product_grant",
    product_ids: [own.id],
    amount: 100,
    trial_amount: 0,
    expire_at_cycle_end: false,
  };
  await tx.insertInto("virtual_currencies").values({
    id: "COIN",
    seq: await nextSeq(tx),
    name: "Coins",
    description: "For stickers and paper",
    product_grants: JSON.stringify([grant]),
    created_at: now,
  }).execute();
}

/** Writes a pending collaborator and a few customers. */
async function seedPeople(call: Place): Promise<void> {
  const { tx, now } = call;
  await tx.insertInto("collaborators").values({
    ...await identity(call, "collaborator"),
    account_id: null,
    name: null,
    email: "support@example.com",
    role: "customer_support",
    accepted_at: null,
    has_mfa: 0,
  }).execute();
  for (const [id, country, platform, attributes] of CUSTOMERS) {
    await insertCustomer(call, id, {
      last_seen_app_version: "2.1.0",
      last_seen_country: country,
      last_seen_platform: platform,
    });
    for (const [name, value] of Object.entries(attributes)) {
      await tx.insertInto("customer_attributes")
        .values({ customer_id: id, name, value, updated_at: now }).execute();
    }
  }
}
