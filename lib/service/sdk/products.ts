/**
 * Products for apps: prices, trials and entitlements.
 *
 * @module
 */

import { z } from "zod";
import type {
  SdkIntroEligibility,
  SdkIntroQuestion,
  SdkProduct,
  SdkProductEntitlements,
  SdkProductPrice,
  SdkProducts,
  SdkPurchaseOption,
} from "../../resources/sdk_products.ts";
import { listOf, text } from "../contract/fields.ts";
import { component } from "../contract/schemas.ts";
import { type SdkCall, sdkRoute } from "../contract/sdk.ts";
import { CURRENCIES } from "../domain/currencies.ts";
import { convertPrice } from "../domain/money.ts";
import { findKnown } from "../sim/customers.ts";
import { formerTrial } from "../sim/trials.ts";
import type { Row } from "../store/tables.ts";
import { checkUser } from "./customers.ts";
import { splitIdentifier } from "./identifier.ts";

/** The most products in one request. */
export const MOST_PRODUCTS = 100;

const price: z.ZodType<SdkProductPrice> = z.object({
  amount_micros: z.int().min(0),
  currency: z.string(),
});

const phase = z.object({
  period_duration: z.string().nullable(),
  price: price.nullable(),
  cycle_count: z.int().min(1),
});

const products: z.ZodType<SdkProducts> = component(
  "SdkProducts",
  z.object({
    product_details: z.array(z.object({
      identifier: z.string(),
      product_type: z.enum(["subscription", "consumable", "non_consumable"]),
      title: z.string(),
      description: z.null(),
      default_purchase_option_id: z.string(),
      purchase_options: z.record(
        z.string(),
        z.object({
          id: z.string(),
          price_id: z.string(),
          discount: z.null(),
          base: phase.exactOptional(),
          trial: phase.nullable().exactOptional(),
          intro_price: z.null().exactOptional(),
          base_price: price.exactOptional(),
        }),
      ),
    })),
  }),
);

const name = text(1500);

const listSdkProducts = sdkRoute({
  name: "listSdkProducts",
  summary:
    "Reads products of the app with their prices. Unknown ones and those without a price are " +
    "left out.",
  method: "GET",
  path: "/rcbilling/v1/subscribers/{user}/products",
  query: z.object({ id: listOf(name, MOST_PRODUCTS), currency: z.string().optional() }),
  response: products,
}, async (call) => {
  checkUser(call.params.user);
  const { id, currency } = call.query;
  const rows = await readSold(call, id);
  const known = new Map(rows.map((row) => [row.store_identifier, row]));
  return {
    product_details: [...new Set(id)].flatMap((wanted) => {
      const row = known.get(wanted);
      return row ? showProduct(row, currency) : [];
    }),
  };
});

const question: z.ZodType<SdkIntroQuestion> = z.object({
  product_identifiers: z.array(name).max(MOST_PRODUCTS, `must have at most ${MOST_PRODUCTS} items`),
});

const eligibility: z.ZodType<SdkIntroEligibility> = z.record(z.string(), z.boolean().nullable());

const checkSdkIntroEligibility = sdkRoute({
  name: "checkSdkIntroEligibility",
  summary: "Reads a customer's eligibility for free trials of products; null if unknown.",
  method: "POST",
  path: "/v1/subscribers/{user}/intro_eligibility",
  body: question,
  response: eligibility,
}, async (call) => {
  checkUser(call.params.user);
  const { product_identifiers } = call.body;
  const rows = await readSold(call, product_identifiers);
  const customer = await findKnown(call, call.params.user);
  const known = new Map<string, boolean>();
  for (const row of rows) {
    if (row.type === "subscription") {
      known.set(row.store_identifier, await mayTry(call, row, customer?.id));
    }
  }
  return Object.fromEntries(product_identifiers.map((id) => [id, known.get(id) ?? null]));
});

const mapping: z.ZodType<SdkProductEntitlements> = component(
  "SdkProductEntitlements",
  z.object({
    product_entitlement_mapping: z.record(
      z.string(),
      z.object({
        product_identifier: z.string(),
        base_plan_id: z.string().exactOptional(),
        entitlements: z.array(z.string()),
      }),
    ),
  }),
);

const getSdkProductEntitlements = sdkRoute({
  name: "getSdkProductEntitlements",
  summary: "Reads the entitlements of the app's products.",
  method: "GET",
  path: "/v1/product_entitlement_mapping",
  response: mapping,
}, async ({ tx, app }) => {
  const rows = await tx.selectFrom("products").select(["id", "store_identifier"])
    .where("app_id", "=", app.id).orderBy("seq").execute();
  const entitlements = tx.selectFrom("entitlements").selectAll().as("entitlements");
  const given = await tx.selectFrom("entitlement_products")
    .innerJoin(entitlements, "entitlements.id", "entitlement_products.entitlement_id")
    .select(["entitlement_products.product_id", "entitlements.lookup_key"])
    .orderBy("entitlement_products.seq").execute();
  const keys = Map.groupBy(given, ({ product_id }) => product_id);
  return {
    product_entitlement_mapping: Object.fromEntries(rows.map(({ id, store_identifier }) => {
      const { product, plan } = splitIdentifier(app.type, store_identifier);
      return [store_identifier, {
        product_identifier: product,
        ...plan !== undefined && { base_plan_id: plan },
        entitlements: (keys.get(id) ?? []).map(({ lookup_key }) => lookup_key),
      }];
    })),
  };
});

/** The routes of products. */
export const productRoutes = [listSdkProducts, checkSdkIntroEligibility, getSdkProductEntitlements];

/** The app's active products with these identifiers. */
export async function readSold(
  { tx, app }: Pick<SdkCall, "tx" | "app">,
  names: readonly string[],
): Promise<Row<"products">[]> {
  if (names.length === 0) return [];
  return await tx.selectFrom("products").selectAll().where("app_id", "=", app.id)
    .where("state", "=", "active").where("store_identifier", "in", [...new Set(names)]).execute();
}

/** Whether a customer may still use the free trial of a product. */
export async function mayTry(
  { tx, project, app }: Pick<SdkCall, "tx" | "project" | "app">,
  product: Row<"products">,
  customer_id: string | undefined,
): Promise<boolean> {
  if (product.trial_duration === null) return false;
  if (customer_id === undefined) return true;
  const environment = app.type === "test_store" ? "sandbox" : "production";
  const buyer = { customer_id, app_id: app.id, store: app.type, environment } as const;
  return await formerTrial({ tx, project }, buyer, product.id) === undefined;
}

/** The id of the base option. The SDK expects this one. */
const PLAIN = "base_option";

/** A product, if it has a price. */
function showProduct(row: Row<"products">, currency: string | undefined): SdkProduct[] {
  const price = priceOf(row, currency);
  if (!price) return [];
  const option = { id: PLAIN, price_id: `${row.id}_${price.currency}`, discount: null };
  return [{
    identifier: row.store_identifier,
    product_type: kindOf(row),
    title: row.title ?? row.display_name ?? row.store_identifier,
    description: null,
    default_purchase_option_id: PLAIN,
    purchase_options: { [PLAIN]: { ...option, ...termsOf(row, price) } },
  }];
}

/** The price and period of an option. */
function termsOf(row: Row<"products">, price: SdkProductPrice): Partial<SdkPurchaseOption> {
  if (row.type !== "subscription") return { base_price: price };
  const { duration, trial_duration } = row;
  return {
    base: { period_duration: duration, price, cycle_count: 1 },
    trial: trial_duration === null
      ? null
      : { period_duration: trial_duration, price: null, cycle_count: 1 },
    intro_price: null,
  };
}

/** The price in the requested currency, or in the product's own for an unknown one. */
function priceOf(row: Row<"products">, wanted: string | undefined): SdkProductPrice | undefined {
  if (row.price_micros === null) return undefined;
  const own = row.price_currency ?? "USD";
  const currency = currencyOf(wanted) ?? own;
  return { amount_micros: convertPrice(row.price_micros, own, currency), currency };
}

/** A currency with a rate, in upper case. */
export function currencyOf(wanted: string | null | undefined): string | undefined {
  return CURRENCIES.find((code) => code === wanted?.toUpperCase());
}

/** Gap: the API does not say whether products of other types can be bought again. */
function kindOf({ type }: Row<"products">): SdkProduct["product_type"] {
  return type === "subscription" || type === "consumable" ? type : "non_consumable";
}
