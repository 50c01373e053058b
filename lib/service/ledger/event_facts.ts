/**
 * The facts in events besides the subscription or purchase: the customer, the product and its
 * entitlements. They are read once for all events of a transaction.
 *
 * @module
 */

import type { EventCustomer } from "../domain/events.ts";
import type { ProjectCall } from "../records/find.ts";
import { findRow, rowsWith } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** A customer, as events and the ledger know it. */
interface KnownCustomer extends EventCustomer {
  /** The time it was first seen, in milliseconds since 1970. */
  since: number;
  /** Where it has paid: 1 in production, 2 in the sandbox, 3 in both, 0 nowhere. */
  paidIn: number;
}

/** A virtual currency that a product grants. */
interface CurrencyGrant {
  /** The currency. */
  currency: { code: string; name: string; description: string | null };
  /** The amount for a paid period or a purchase. */
  amount: number;
  /** The amount for a trial. */
  trial_amount: number;
}

/** Reads each fact once. Facts must not change before the last event is recorded. */
export interface EventFactsReader {
  /** Reads many customers at once. */
  loadCustomers(ids: readonly string[]): Promise<void>;
  /** One customer. */
  customer(id: string): Promise<KnownCustomer>;
  /** One product. */
  product(id: string): Promise<Row<"products">>;
  /** Lookup keys of a product's entitlements, in the order of attaching. */
  entitlementsOf(productId: string): Promise<readonly string[]>;
  /** The lookup key of one entitlement. */
  entitlement(id: string): Promise<string>;
  /** The lookup key of an offering, or null if it is deleted. */
  offering(id: string): Promise<string | null>;
  /** The virtual currencies that a product grants. */
  currencyGrants(productId: string): Promise<readonly CurrencyGrant[]>;
}

/** Makes a reader for one transaction. */
export function readEventFacts(place: ProjectCall): EventFactsReader {
  const customers = new Map<string, KnownCustomer>();
  const load = async (ids: readonly string[]): Promise<void> => {
    const unknown = [...new Set(ids)].filter((id) => !customers.has(id));
    for (const found of await readCustomers(place, unknown)) customers.set(found.id, found);
  };
  const grants = remember(() => readCurrencyGrants(place));
  return {
    loadCustomers: load,
    async customer(id) {
      if (!customers.has(id)) await load([id]);
      return known(customers.get(id), "customer", id);
    },
    product: remember((id) => readProduct(place, id)),
    entitlementsOf: remember((id) => readEntitlements(place, id)),
    entitlement: remember((id) => readLookupKey(place, "entitlements", id).then(String)),
    offering: remember((id) => readLookupKey(place, "offerings", id)),
    currencyGrants: async (id) => (await grants("")).get(id) ?? [],
  };
}

/** Runs a read once for each key. */
function remember<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const found = new Map<string, T>();
  return async (key) => {
    const present = found.get(key);
    if (present !== undefined) return present;
    const value = await read(key);
    found.set(key, value);
    return value;
  };
}

async function readCustomers(
  { tx }: ProjectCall,
  ids: readonly string[],
): Promise<KnownCustomer[]> {
  if (ids.length === 0) return [];
  const rows = await rowsWith(tx, "customers", { id: ids });
  const own = { customer_id: ids };
  const aliases = await rowsWith(tx, "customer_aliases", own, ["customer_id", "seq"]);
  const attributes = await rowsWith(tx, "customer_attributes", own, ["customer_id", "name"]);
  const aliasesOf = Map.groupBy(aliases, (row) => row.customer_id);
  const attributesOf = Map.groupBy(attributes, (row) => row.customer_id);
  return rows.map(({ id, first_seen_at, last_seen_country, paid_in }) => ({
    id,
    since: first_seen_at,
    paidIn: paid_in,
    country: last_seen_country,
    aliases: (aliasesOf.get(id) ?? []).map((row) => row.alias),
    attributes: Object.fromEntries(
      (attributesOf.get(id) ?? []).map((
        { name, value, updated_at },
      ) => [name, { value, updated_at_ms: updated_at }]),
    ),
  }));
}

async function readProduct({ tx }: ProjectCall, id: string): Promise<Row<"products">> {
  return known(await findRow(tx, "products", id), "product", id);
}

async function readEntitlements({ tx }: ProjectCall, productId: string): Promise<string[]> {
  const attached = await rowsWith(tx, "entitlement_products", { product_id: productId }, ["seq"]);
  if (attached.length === 0) return [];
  const ids = attached.map(({ entitlement_id }) => entitlement_id);
  const found = await rowsWith(tx, "entitlements", { id: ids });
  const keys = new Map(found.map(({ id, lookup_key }) => [id, lookup_key]));
  return ids.map((id) => known(keys.get(id), "entitlement", id));
}

async function readLookupKey(
  { tx }: ProjectCall,
  table: "entitlements" | "offerings",
  id: string,
): Promise<string | null> {
  return (await findRow(tx, table, id))?.lookup_key ?? null;
}

/** The content of a virtual currency's column `product_grants`. */
interface StoredGrant {
  /** The products that grant it. */
  product_ids: string[];
  /** The amount for a payment. */
  amount: number;
  /** The amount for a trial. */
  trial_amount: number;
}

async function readCurrencyGrants(
  { tx }: ProjectCall,
): Promise<Map<string, CurrencyGrant[]>> {
  const rows = await rowsWith(tx, "virtual_currencies", { state: "active" }, ["seq"]);
  const found = new Map<string, CurrencyGrant[]>();
  for (const { id: code, name, description, product_grants } of rows) {
    const grants: StoredGrant[] = JSON.parse(product_grants ?? "[]");
    for (const { product_ids, amount, trial_amount } of grants) {
      for (const id of product_ids) {
        const grant = { currency: { code, name, description }, amount, trial_amount };
        found.set(id, [...found.get(id) ?? [], grant]);
      }
    }
  }
  return found;
}

function known<T>(value: T | undefined, what: string, id: string): T {
  if (value === undefined) throw new Error(`${what} ${id} vanished inside its transaction`);
  return value;
}
