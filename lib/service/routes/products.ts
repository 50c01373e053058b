/**
 * Products.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import type {
  NewProduct,
  Product,
  ProductChanges,
  PushedProduct,
  StorePush,
} from "../../resources/products.ts";
import { deleteRow, insertUnique, setState } from "../changes.ts";
import { invalid, Refusal, unprocessable } from "../errors.ts";
import { findApp, findProduct } from "../find.ts";
import { newId } from "../ids.ts";
import { listPage, tableListing } from "../lists.ts";
import { type Call, route } from "../route.ts";
import { component, deletedSchema, millis, pageOf, pageQuery } from "../schemas.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { appSchema, showApp } from "./apps.ts";
import { displayName, state } from "./fields.ts";

const productType = z.enum([
  "subscription",
  "non_subscription",
  "one_time",
  "consumable",
  "non_consumable",
  "non_renewing_subscription",
]);

/** A product in an answer. */
export const productSchema: z.ZodType<Product> = component(
  "Product",
  z.object({
    object: z.literal("product"),
    id: z.string(),
    store_identifier: z.string(),
    type: productType,
    subscription: z.object({
      duration: z.string().nullable(),
      grace_period_duration: z.string().nullable(),
      trial_duration: z.string().nullable(),
    }).nullable(),
    one_time: z.object({ is_consumable: z.boolean().nullable() }).nullable(),
    created_at: millis,
    app_id: z.string(),
    display_name: z.string().nullable(),
    state,
    app: appSchema.exactOptional(),
  }),
);

const newProduct: z.ZodType<NewProduct> = z.strictObject({
  store_identifier: z.string().min(1).max(200),
  app_id: z.string().min(1).max(255),
  type: productType,
  // Gap: "usually required" in the specification; without it the name is null.
  display_name: displayName.nullable().exactOptional(),
  subscription: z.strictObject({ duration: z.enum(["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]) })
    .exactOptional(),
  title: displayName.nullable().exactOptional(),
});

const productChanges: z.ZodType<ProductChanges> = z.strictObject({
  display_name: displayName.exactOptional(),
});

const storePush: z.ZodType<StorePush> = z.strictObject({
  store_information: z.strictObject({
    duration: z.enum([
      "ONE_WEEK",
      "ONE_MONTH",
      "TWO_MONTHS",
      "THREE_MONTHS",
      "SIX_MONTHS",
      "ONE_YEAR",
    ]),
    subscription_group_name: z.string().min(1).max(255),
    subscription_group_id: z.string().min(1).max(255).nullable().exactOptional(),
  }).exactOptional(),
});

const pushedProduct: z.ZodType<PushedProduct> = z.object({
  created_product: z.object({
    object: z.literal("store_product"),
    id: z.string(),
    name: z.string().nullable(),
    product_identifier: z.string(),
  }),
});

const READ = "project_configuration:products:read";
const WRITE = "project_configuration:products:read_write";
const APPS = "project_configuration:apps:read";

const listProducts = route({
  name: "listProducts",
  summary: "Lists the products of the project, oldest first.",
  method: "GET",
  path: "/products",
  scope: READ,
  query: pageQuery.extend({ app_id: z.string().min(1).optional() }),
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
  const { tx, project, now } = call;
  const fields = call.body();
  const app = await findApp(call, fields.app_id, "app_id");
  checkTerms(fields, app.type);
  const row = await insertUnique(
    tx.insertInto("products").values({
      project_id: project.id,
      id: newId("product"),
      seq: await nextSeq(tx, project.id),
      app_id: app.id,
      store_identifier: fields.store_identifier,
      type: fields.type,
      display_name: fields.display_name ?? null,
      title: fields.title ?? null,
      duration: fields.subscription?.duration ?? null,
      grace_period_duration: null,
      trial_duration: null,
      is_consumable: consumable(fields.type),
      created_at: now,
    }).returningAll().executeTakeFirstOrThrow(),
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
    .where("project_id", "=", call.project.id).where("id", "=", row.id).execute();
  return showProduct(row);
});

const deleteProduct = route({
  name: "deleteProduct",
  summary: "Deletes a product that nobody bought; archive others.",
  method: "DELETE",
  path: "/products/{id}",
  scope: WRITE,
  response: deletedSchema("product"),
  audit: "product_deleted",
}, async (call) => deleteRow(call, "products", "product", await findProduct(call, call.params.id)));

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
  summary: "Brings an archived product back.",
  method: "POST",
  path: "/products/{id}/actions/unarchive",
  scope: WRITE,
  response: productSchema,
  audit: "product_unarchived",
}, (call) => moveTo(call, "active"));

const pushContract = {
  summary: "Creates the product in its store (App Store only).",
  method: "POST",
  scope: WRITE,
  body: storePush,
  response: pushedProduct,
  status: 201,
  audit: (call: Pick<Call<"id">, "params">) => ({
    action_type: "product_pushed_to_store",
    target_type: "product",
    target_identifier: call.params.id,
  }),
} as const;

const pushProductToStore = route({
  ...pushContract,
  name: "pushProductToStore",
  path: "/products/{id}/actions/push_to_store",
}, push);

const createProductInStore = route({
  ...pushContract,
  name: "createProductInStore",
  alias: "pushProductToStore",
  path: "/products/{id}/create_in_store",
}, push);

/** The routes of products. */
export const productRoutes = [
  listProducts,
  getProduct,
  createProduct,
  updateProduct,
  deleteProduct,
  archiveProduct,
  unarchiveProduct,
  pushProductToStore,
  createProductInStore,
];

/** A product as the API shows it. */
export function showProduct(row: Row<"products">): Product {
  const isSubscription = row.type === "subscription";
  return {
    object: "product",
    id: row.id,
    store_identifier: row.store_identifier,
    type: row.type,
    subscription: isSubscription
      ? {
        duration: row.duration,
        grace_period_duration: row.grace_period_duration,
        trial_duration: row.trial_duration,
      }
      : null,
    one_time: isSubscription
      ? null
      : { is_consumable: row.is_consumable === null ? null : row.is_consumable === 1 },
    created_at: row.created_at,
    app_id: row.app_id,
    display_name: row.display_name,
    state: row.state,
  };
}

/** A product with its app, when `expand` asks for it under this name. */
async function showExpanded(call: Call, row: Row<"products">, part: string): Promise<Product> {
  if (!call.expand.has(part)) return showProduct(row);
  return { ...showProduct(row), app: showApp(await findApp(call, row.app_id)) };
}

/** Archives a product or brings it back. */
async function moveTo(call: Call<"id">, next: "active" | "inactive"): Promise<Product> {
  const { id } = await findProduct(call, call.params.id);
  return showProduct(await setState(call, "products", id, next));
}

/** Refuses terms that the product's type or its app does not have. */
function checkTerms(product: NewProduct, appType: string): void {
  if (appType === "test_store" && (product.title ?? null) === null) {
    throw invalid("title", "'title' is a required property for a product of a test store");
  }
  if (product.subscription && (appType !== "test_store" || product.type !== "subscription")) {
    throw invalid("subscription", "'subscription' is only for a subscription of a test store");
  }
}

/** Whether a type of product can be bought again; null when the type does not say. */
function consumable(type: string): number | null {
  if (type === "consumable") return 1;
  return type === "non_consumable" ? 0 : null;
}

/** Creates a product in its store, which only Apple's allows and only with a key. */
async function push(call: Call<"id", unknown, StorePush>): Promise<PushedProduct> {
  const product = await findProduct(call, call.params.id);
  call.body();
  const app = await findApp(call, product.app_id);
  if (app.type !== "app_store") {
    throw unprocessable(`A product of a ${app.type} app cannot be pushed to its store`);
  }
  const secrets: Record<string, unknown> = JSON.parse(app.secrets);
  if (typeof secrets.app_store_connect_api_key !== "string") {
    const message = "The app has no App Store Connect API key; set app_store_connect_api_key first";
    throw new Refusal(422, "store_error", message);
  }
  return {
    created_product: {
      object: "store_product",
      id: storeId(product.id),
      name: product.display_name,
      product_identifier: product.store_identifier,
    },
  };
}

/** The id under which the simulated store keeps a product: always the same ten digits. */
function storeId(productId: string): string {
  const digits = productId.replace(/\D/g, "");
  return `6${digits.padStart(9, "0").slice(-9)}`;
}
