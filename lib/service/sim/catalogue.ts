/**
 * The data of stores that the API lacks: prices, terms and the test store. Also the settings of a
 * project that only the simulator has.
 *
 * @module
 */

import { z } from "zod";
import { fromMicros } from "../domain/money.ts";
import { missing, unprocessable } from "../contract/errors.ts";
import { insertApp } from "../records/apps.ts";
import { text } from "../contract/fields.ts";
import { showProduct } from "../records/products.ts";
import type { Settings } from "../../simulator/catalogue.ts";
import type { Row } from "../store/tables.ts";
import { currency, duration, price, priceInMicros } from "./fields.ts";
import { appSchema } from "../records/app_types.ts";
import { pricedProduct, settings } from "./answers.ts";
import { type SimCall, simRoute } from "./route.ts";

const createTestStoreApp = simRoute({
  name: "createTestStoreApp",
  summary: "Creates an app of the test store.",
  method: "POST",
  path: "/apps",
  body: z.strictObject({ name: text(255) }),
  response: appSchema,
  status: 201,
}, (call) => insertApp(call, call.body().name, "test_store", {}));

const setProductPrice = simRoute({
  name: "setProductPrice",
  summary: "Sets a product's store price and, optionally, its terms.",
  method: "POST",
  path: "/products/{id}/price",
  body: z.strictObject({
    price,
    currency: currency.default("USD"),
    duration: duration.optional(),
    trial_duration: duration.nullable().optional(),
    grace_period_duration: duration.nullable().optional(),
  }),
  response: pricedProduct,
}, async (call) => {
  const { tx } = call;
  const { id } = await findSoldProduct(call, call.params.id);
  const { price: units, currency: price_currency, ...terms } = call.body();
  const changes = { price_micros: priceInMicros(units, price_currency), price_currency, ...terms };
  const row = await tx.updateTable("products").set(changes).where("id", "=", id)
    .returningAll().executeTakeFirstOrThrow();
  return {
    product: showProduct(row),
    price: fromMicros(changes.price_micros),
    currency: price_currency,
  };
});

const changeSettings = simRoute({
  name: "changeSettings",
  summary: "Changes project settings that have no API operation.",
  method: "POST",
  path: "/settings",
  body: z.strictObject({
    refund_window_days: z.int().min(0).max(36_500).optional(),
    restore_behavior: z.enum(["transfer", "share", "keep"]).optional(),
  }),
  response: settings,
}, async ({ tx, project, body }): Promise<Settings> => {
  const {
    refund_window_days = project.refund_window_days,
    restore_behavior = project.restore_behavior,
  } = body();
  await tx.updateTable("projects").set({ refund_window_days, restore_behavior }).execute();
  return { object: "settings", project_id: project.id, refund_window_days, restore_behavior };
});

/** The routes of prices, terms, the test store and settings. */
export const catalogueRoutes = [createTestStoreApp, setProductPrice, changeSettings];

/** Finds a product by its id, else by its store identifier if only one product has it. */
export async function findSoldProduct(
  { tx }: Pick<SimCall, "tx" | "project">,
  key: string,
): Promise<Row<"products">> {
  const products = tx.selectFrom("products").selectAll();
  const own = await products.where("id", "=", key).executeTakeFirst();
  if (own) return own;
  const rows = await products.where("store_identifier", "=", key).orderBy("seq").limit(100)
    .execute();
  if (!rows[0]) throw missing("product", key, "product_id");
  if (rows.length === 1) return rows[0];
  const message = `Several apps have a product ${JSON.stringify(key)}; use its id`;
  const referenced_object_ids = rows.map((row) => row.id);
  throw unprocessable(message, { param: "product_id", referenced_object_ids });
}
