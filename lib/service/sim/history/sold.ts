/**
 * What was sold to customers: products with their terms and entitlements, apps, virtual currencies.
 *
 * @module
 */

import type {
  CustomerHistory,
  HistoryApp,
  HistoryCurrency,
  HistoryProduct,
} from "../../../simulator/history.ts";
import { fromMicros } from "../../domain/money.ts";
import type { Doing } from "../route.ts";

/** The catalogue of a history: some products and virtual currencies, and the apps that sell them. */
export async function readSold(
  call: Doing,
  bought: readonly string[],
  codes: readonly string[],
): Promise<Pick<CustomerHistory, "apps" | "products" | "currencies">> {
  const products = await readProducts(call, bought);
  const currencies = (await readCurrencies(call)).map(({ grants, ...currency }) => ({
    ...currency,
    grants: grants.filter(({ product_id }) => products.some(({ id }) => id === product_id)),
  })).filter(({ code, grants }) => codes.includes(code) || grants.length > 0);
  return { apps: await readApps(call, products), products, currencies };
}

/** Products, and those of the same apps: a subscription may have changed from one to another. */
async function readProducts({ tx }: Doing, ids: readonly string[]): Promise<HistoryProduct[]> {
  const bought = await tx.selectFrom("products").select("app_id")
    .where("id", "in", [...ids, ""]).execute();
  const apps = [...new Set(bought.map(({ app_id }) => app_id))];
  const rows = await tx.selectFrom("products").selectAll()
    .where("app_id", "in", [...apps, ""]).orderBy("seq").execute();
  const entitlements = tx.selectFrom("entitlements").selectAll().as("entitlements");
  const given = await tx.selectFrom("entitlement_products")
    .innerJoin(entitlements, "entitlements.id", "entitlement_products.entitlement_id")
    .select(["entitlement_products.product_id", "entitlements.lookup_key"])
    .where("entitlement_products.product_id", "in", [...rows.map((row) => row.id), ""])
    .orderBy("entitlement_products.seq").execute();
  return rows.map((row) => ({
    id: row.id,
    app_id: row.app_id,
    store_identifier: row.store_identifier,
    type: row.type,
    duration: row.duration,
    trial_duration: row.trial_duration,
    grace_duration: row.grace_period_duration,
    price: row.price_micros === null ? null : fromMicros(row.price_micros),
    currency: row.price_currency,
    entitlements: given.filter(({ product_id }) => product_id === row.id)
      .map(({ lookup_key }) => lookup_key),
  }));
}

async function readApps(
  { tx }: Doing,
  products: readonly HistoryProduct[],
): Promise<HistoryApp[]> {
  const ids = products.map(({ app_id }) => app_id);
  return await tx.selectFrom("apps").select(["id", "name", "type"])
    .where("id", "in", [...ids, ""]).orderBy("seq").execute();
}

async function readCurrencies({ tx }: Doing): Promise<HistoryCurrency[]> {
  const rows = await tx.selectFrom("virtual_currencies").select(["id", "name", "product_grants"])
    .orderBy("seq").execute();
  return rows.map(({ id, name, product_grants }) => {
    const stored: StoredGrant[] = JSON.parse(product_grants ?? "[]");
    const grants = stored.flatMap(({ product_ids, amount, trial_amount = 0 }) =>
      product_ids.map((product_id) => ({ product_id, amount, trial_amount }))
    );
    return { code: id, name, grants };
  });
}

/** A grant of a virtual currency, as it is stored. */
interface StoredGrant {
  /** The products. */
  product_ids: string[];
  /** How much a paid period or purchase brings. */
  amount: number;
  /** How much a trial brings. */
  trial_amount?: number;
}
