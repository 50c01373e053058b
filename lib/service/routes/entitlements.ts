/**
 * Entitlements and their products.
 *
 * @module
 */

import { z } from "zod";
import type {
  Entitlement,
  EntitlementChanges,
  NewEntitlement,
} from "../../resources/entitlements.ts";
import type { Product } from "../../resources/products.ts";
import { displayName, lookupKey, productIds, unchangeable } from "../contract/fields.ts";
import { type Call, route } from "../contract/route.ts";
import { deletedSchema, pageOf, pageQuery } from "../contract/schemas.ts";
import { attachedAt, detachProducts } from "../records/attachments.ts";
import { deleteRow, insertUnique, setState } from "../records/changes.ts";
import { entitlementSchema, showEntitlement } from "../records/entitlements.ts";
import { findEntitlement, findProduct, type ProjectCall } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { type Listing, listPage, nestedPage, tableListing } from "../records/lists.ts";
import { productSchema, showProduct } from "../records/products.ts";
import { insertRow, nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

const newEntitlement: z.ZodType<NewEntitlement> = z.strictObject({
  lookup_key: lookupKey,
  display_name: displayName,
});

const entitlementChanges: z.ZodType<EntitlementChanges> = z.strictObject({
  display_name: displayName.exactOptional(),
}, unchangeable("lookup_key"));

const READ = "project_configuration:entitlements:read";
const WRITE = "project_configuration:entitlements:read_write";
const PRODUCTS = "project_configuration:products:read";

const listEntitlements = route({
  name: "listEntitlements",
  summary: "Lists the entitlements of the project, oldest first.",
  method: "GET",
  path: "/entitlements",
  scope: READ,
  query: pageQuery,
  expand: { "items.product": PRODUCTS },
  response: pageOf(entitlementSchema),
}, (call) =>
  listPage(
    call,
    tableListing(call, "entitlements", {
      object: "entitlement",
      show: (row) => showExpanded(call, row, "items.product"),
    }),
  ));

const getEntitlement = route({
  name: "getEntitlement",
  summary: "Reads one entitlement, by lookup key or id.",
  method: "GET",
  path: "/entitlements/{id}",
  scope: READ,
  expand: { "product": PRODUCTS },
  response: entitlementSchema,
}, async (call) => showExpanded(call, await findEntitlement(call, call.params.id), "product"));

const createEntitlement = route({
  name: "createEntitlement",
  summary: "Creates an entitlement.",
  method: "POST",
  path: "/entitlements",
  scope: WRITE,
  body: newEntitlement,
  response: entitlementSchema,
  status: 201,
  audit: "entitlement_created",
}, async (call) => {
  const { tx, now } = call;
  const { lookup_key, display_name } = call.body();
  const row = await insertUnique(
    insertRow(tx, "entitlements", {
      id: newId("entitlement"),
      seq: await nextSeq(tx),
      lookup_key,
      display_name,
      state: "active",
      created_at: now,
    }),
    { column: "entitlements.lookup_key", what: "an entitlement", value: lookup_key },
  );
  return showEntitlement(row);
});

const updateEntitlement = route({
  name: "updateEntitlement",
  summary: "Changes an entitlement.",
  method: "POST",
  path: "/entitlements/{id}",
  scope: WRITE,
  body: entitlementChanges,
  response: entitlementSchema,
  audit: "entitlement_updated",
}, async (call) => {
  const before = await findEntitlement(call, call.params.id);
  const row = { ...before, ...call.body() };
  await call.tx.updateTable("entitlements").set({ display_name: row.display_name })
    .where("id", "=", row.id).execute();
  return showEntitlement(row);
});

const deleteEntitlement = route({
  name: "deleteEntitlement",
  summary: "Deletes an entitlement and all access to it.",
  method: "DELETE",
  path: "/entitlements/{id}",
  scope: WRITE,
  response: deletedSchema("entitlement"),
  audit: "entitlement_deleted",
}, async (call) => {
  const row = await findEntitlement(call, call.params.id);
  return await deleteRow(call, "entitlements", "entitlement", row);
});

const listEntitlementProducts = route({
  name: "listEntitlementProducts",
  summary: "Lists the products of an entitlement.",
  method: "GET",
  path: "/entitlements/{id}/products",
  scope: READ,
  query: pageQuery,
  response: pageOf(productSchema),
}, async (call) => {
  const { id } = await findEntitlement(call, call.params.id);
  return await listPage(call, productListing(call, id));
});

const archiveEntitlement = route({
  name: "archiveEntitlement",
  summary: "Archives an entitlement.",
  method: "POST",
  path: "/entitlements/{id}/actions/archive",
  scope: WRITE,
  response: entitlementSchema,
  audit: "entitlement_archived",
}, (call) => moveTo(call, "inactive"));

const unarchiveEntitlement = route({
  name: "unarchiveEntitlement",
  summary: "Unarchives an entitlement.",
  method: "POST",
  path: "/entitlements/{id}/actions/unarchive",
  scope: WRITE,
  response: entitlementSchema,
  audit: "entitlement_unarchived",
}, (call) => moveTo(call, "active"));

const attachEntitlementProducts = route({
  name: "attachEntitlementProducts",
  summary: "Attaches products to an entitlement. Past buyers get access too.",
  method: "POST",
  path: "/entitlements/{id}/actions/attach_products",
  scope: WRITE,
  body: productIds,
  response: entitlementSchema,
  audit: "entitlement_products_attached",
}, async (call) => {
  const { tx } = call;
  const row = await findEntitlement(call, call.params.id);
  for (const id of call.body().product_ids) {
    const product = await findProduct(call, id, "product_ids");
    await tx.insertInto("entitlement_products").values({
      entitlement_id: row.id,
      product_id: product.id,
      seq: await nextSeq(tx),
    }).onConflict((oc) => oc.doNothing()).execute();
  }
  return showEntitlement(row);
});

const detachEntitlementProducts = route({
  name: "detachEntitlementProducts",
  summary: "Detaches products from an entitlement. Past buyers lose access too.",
  method: "POST",
  path: "/entitlements/{id}/actions/detach_products",
  scope: WRITE,
  body: productIds,
  response: entitlementSchema,
  audit: "entitlement_products_detached",
}, async (call) => {
  const row = await findEntitlement(call, call.params.id);
  await detachProducts(call, "entitlement_products", row.id, call.body().product_ids);
  return showEntitlement(row);
});

/** The routes of entitlements. */
export const entitlementRoutes = [
  listEntitlements,
  getEntitlement,
  createEntitlement,
  updateEntitlement,
  deleteEntitlement,
  listEntitlementProducts,
  archiveEntitlement,
  unarchiveEntitlement,
  attachEntitlementProducts,
  detachEntitlementProducts,
];

/** An entitlement, with its products if `expand` has this name. */
async function showExpanded(
  call: Call,
  row: Row<"entitlements">,
  part: string,
): Promise<Entitlement> {
  if (!call.expand.has(part)) return showEntitlement(row);
  const path = `/v2/projects/${call.project.id}/entitlements/${row.id}/products`;
  const products = await nestedPage(productListing(call, row.id), path);
  return { ...showEntitlement(row), products };
}

/** Lists the products of an entitlement, in the order of attaching. */
function productListing(
  call: ProjectCall,
  entitlementId: string,
): Listing<Row<"products">, number, Product> {
  const { tx } = call;
  const products = tx.selectFrom("products").selectAll().as("products");
  return {
    positionOf: (id) => attachedAt(call, "entitlement_products", entitlementId, id),
    rowsAfter: (after, count) =>
      tx.selectFrom("entitlement_products")
        .innerJoin(products, "products.id", "entitlement_products.product_id").selectAll("products")
        .where("entitlement_products.entitlement_id", "=", entitlementId)
        .where("entitlement_products.seq", ">", after ?? -1)
        .orderBy("entitlement_products.seq").limit(count).execute(),
    idOf: (row) => row.id,
    show: showProduct,
  };
}

/** Archives or unarchives an entitlement. */
async function moveTo(call: Call<"id">, next: "active" | "inactive"): Promise<Entitlement> {
  const { id } = await findEntitlement(call, call.params.id);
  return showEntitlement(await setState(call, "entitlements", id, next));
}
