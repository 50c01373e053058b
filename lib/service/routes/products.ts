/**
 * Products.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import type { NewProduct, Product, ProductChanges } from "../../resources/products.ts";
import { invalid, unprocessable } from "../contract/errors.ts";
import { displayName, objectId, text, unchangeable } from "../contract/fields.ts";
import { type Call, route } from "../contract/route.ts";
import { deletedSchema, described, pageOf, pageQuery } from "../contract/schemas.ts";
import { rememberAttachments } from "../records/attachments.ts";
import { deleteRow, insertUnique, setState } from "../records/changes.ts";
import { findApp, findProduct } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { listPage, tableListing } from "../records/lists.ts";
import { productSchema, productType, showProduct } from "../records/products.ts";
import { showApp } from "../records/apps.ts";
import { insertRow, isForeignKeyViolation, nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

const newProduct: z.ZodType<NewProduct> = z.strictObject({
  store_identifier: text(200),
  app_id: objectId,
  type: productType,
  // Gap: "usually required" in the specification; without it the name is null.
  display_name: displayName.nullable().exactOptional(),
  subscription: described(
    "Only for a subscription of an app of the type test_store.",
    z.strictObject({ duration: z.enum(["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]) }),
  ).exactOptional(),
  title: displayName.nullable().exactOptional(),
});

const productChanges: z.ZodType<ProductChanges> = z.strictObject({
  display_name: displayName.exactOptional(),
}, unchangeable("store_identifier", "type", "app_id"));

const READ = "project_configuration:products:read";
const WRITE = "project_configuration:products:read_write";
const APPS = "project_configuration:apps:read";

const listProducts = route({
  name: "listProducts",
  summary: "Lists the products of the project, oldest first.",
  method: "GET",
  path: "/products",
  scope: READ,
  query: pageQuery.extend({ app_id: text(255).optional() }),
  expand: { "items.app": APPS },
  response: pageOf(productSchema),
}, (call) => {
  const { app_id } = call.query;
  return listPage(
    call,
    tableListing(call, "products", {
      object: "product",
      where: app_id === undefined ? undefined : sql`app_id = ${app_id}`,
      show: (row) => showExpanded(call, row, "items.app"),
    }),
  );
});

const getProduct = route({
  name: "getProduct",
  summary: "Reads one product.",
  method: "GET",
  path: "/products/{id}",
  scope: READ,
  expand: { "app": APPS },
  response: productSchema,
}, async (call) => showExpanded(call, await findProduct(call, call.params.id), "app"));

const createProduct = route({
  name: "createProduct",
  summary: "Creates a product.",
  method: "POST",
  path: "/products",
  scope: WRITE,
  body: newProduct,
  response: productSchema,
  status: 201,
  audit: "product_created",
}, async (call) => {
  const { tx, now } = call;
  const fields = call.body();
  const app = await findApp(call, fields.app_id, "app_id");
  checkTerms(fields, app.type);
  const row = await insertUnique(
    insertRow(tx, "products", {
      id: newId("product"),
      seq: await nextSeq(tx),
      app_id: app.id,
      store_identifier: fields.store_identifier,
      type: fields.type,
      display_name: fields.display_name ?? null,
      title: fields.title ?? null,
      duration: fields.subscription?.duration ?? null,
      grace_period_duration: null,
      trial_duration: null,
      is_consumable: consumable(fields.type),
      price_micros: null,
      price_currency: null,
      state: "active",
      created_at: now,
    }),
    { column: "products.store_identifier", what: "a product", value: fields.store_identifier },
  );
  return showProduct(row);
});

const updateProduct = route({
  name: "updateProduct",
  summary: "Changes a product.",
  method: "POST",
  path: "/products/{id}",
  scope: WRITE,
  body: productChanges,
  response: productSchema,
  audit: "product_updated",
}, async (call) => {
  const before = await findProduct(call, call.params.id);
  const row = { ...before, ...call.body() };
  await call.tx.updateTable("products").set({ display_name: row.display_name })
    .where("id", "=", row.id).execute();
  return showProduct(row);
});

const deleteProduct = route({
  name: "deleteProduct",
  summary: "Deletes a product without purchases. Archive a product that has been bought.",
  method: "DELETE",
  path: "/products/{id}",
  scope: WRITE,
  response: deletedSchema("product"),
  audit: "product_deleted",
}, async (call) => {
  const row = await findProduct(call, call.params.id);
  await rememberAttachments(call, row.id);
  try {
    return await deleteRow(call, "products", "product", row);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw unprocessable("The product has been bought and cannot be deleted; archive it instead");
  }
});

const archiveProduct = route({
  name: "archiveProduct",
  summary: "Archives a product. Its buyers keep their access.",
  method: "POST",
  path: "/products/{id}/actions/archive",
  scope: WRITE,
  response: productSchema,
  audit: "product_archived",
}, (call) => moveTo(call, "inactive"));

const unarchiveProduct = route({
  name: "unarchiveProduct",
  summary: "Unarchives a product.",
  method: "POST",
  path: "/products/{id}/actions/unarchive",
  scope: WRITE,
  response: productSchema,
  audit: "product_unarchived",
}, (call) => moveTo(call, "active"));

/** The routes of products. */
export const productRoutes = [
  listProducts,
  getProduct,
  createProduct,
  updateProduct,
  deleteProduct,
  archiveProduct,
  unarchiveProduct,
];

/** A product, with its app if `expand` has this name. */
async function showExpanded(call: Call, row: Row<"products">, part: string): Promise<Product> {
  if (!call.expand.has(part)) return showProduct(row);
  return { ...showProduct(row), app: showApp(await findApp(call, row.app_id)) };
}

/** Archives or unarchives a product. */
async function moveTo(call: Call<"id">, next: "active" | "inactive"): Promise<Product> {
  const { id } = await findProduct(call, call.params.id);
  return showProduct(await setState(call, "products", id, next));
}

/** Refuses terms that the product's type or app does not support. */
function checkTerms(product: NewProduct, appType: string): void {
  if (appType === "test_store" && (product.title ?? null) === null) {
    throw invalid("title", "'title' is required for test store products");
  }
  if (product.subscription && (appType !== "test_store" || product.type !== "subscription")) {
    throw invalid("subscription", "'subscription' is only for test store subscriptions");
  }
}

/** Whether a type of product can be bought again; null if the type does not define it. */
function consumable(type: string): number | null {
  if (type === "consumable") return 1;
  return type === "non_consumable" ? 0 : null;
}
