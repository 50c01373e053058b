/**
 * Packages of an offering.
 *
 * @module
 */

import { z } from "zod";
import type { NewPackage, Package, PackageChanges } from "../../resources/packages.ts";
import { taken } from "../contract/errors.ts";
import {
  displayName,
  lookupKey,
  objectId,
  productIds,
  unchangeable,
  wholeNumber,
} from "../contract/fields.ts";
import { type Call, route } from "../contract/route.ts";
import { deletedSchema, pageOf, pageQuery } from "../contract/schemas.ts";
import { spellingsOfPackage } from "../contract/spelling.ts";
import { detachProducts } from "../records/attachments.ts";
import { deleteRow, insertUnique } from "../records/changes.ts";
import { findOffering, findPackage, type ProjectCall } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { listPage } from "../records/lists.ts";
import {
  attachToPackage,
  packageProductChoices,
  packageProductListing,
  packageProductSchema,
} from "../records/package_products.ts";
import { packageListing, packageSchema, showExpanded, showPackage } from "../records/packages.ts";
import { insertRow, nextSeq } from "../store/mod.ts";

const position = wholeNumber(0, 1_000_000).nullable();

const fields = {
  lookup_key: lookupKey,
  display_name: displayName,
  position: position.exactOptional(),
};

const newPackage: z.ZodType<NewPackage> = z.strictObject({
  offering_id: objectId,
  ...fields,
});

const packageChanges: z.ZodType<PackageChanges> = z.strictObject({
  display_name: displayName.exactOptional(),
  position: position.exactOptional(),
}, unchangeable("lookup_key", "offering_id"));

const READ = "project_configuration:packages:read";
const WRITE = "project_configuration:packages:read_write";
const PRODUCTS = "project_configuration:products:read";

const listPackages = route({
  name: "listPackages",
  summary: "Lists the packages of an offering, by position.",
  method: "GET",
  path: "/offerings/{id}/packages",
  scope: READ,
  query: pageQuery,
  expand: { "items.product": PRODUCTS },
  response: pageOf(packageSchema),
}, async (call) => {
  const offering = await findOffering(call, call.params.id);
  return await listPage(call, packageListing(call, offering.id, call.expand.has("items.product")));
});

const getPackage = route({
  name: "getPackage",
  summary: "Reads one package.",
  method: "GET",
  path: "/packages/{id}",
  scope: READ,
  expand: { "product": PRODUCTS },
  response: packageSchema,
}, async (call) => {
  const row = await findPackage(call, call.params.id);
  return await showExpanded(call, row, call.expand.has("product"));
});

const createPackage = route({
  name: "createPackage",
  summary: "Creates a package in an offering.",
  method: "POST",
  path: "/packages",
  scope: WRITE,
  body: newPackage,
  response: packageSchema,
  status: 201,
  audit: "package_created",
}, (call) => insertPackage(call, call.body()));

const createPackageInOffering = route({
  name: "createPackageInOffering",
  alias: "createPackage",
  summary: "Creates a package in an offering. Public spelling.",
  method: "POST",
  path: "/offerings/{id}/packages",
  scope: WRITE,
  body: z.strictObject(fields),
  response: packageSchema,
  status: 201,
  audit: "package_created",
}, async (call) => {
  const offering = await findOffering(call, call.params.id);
  return await insertPackage(call, { offering_id: offering.id, ...call.body() });
});

const updatePackage = route({
  name: "updatePackage",
  summary: "Changes a package.",
  method: "POST",
  path: "/packages/{id}",
  scope: WRITE,
  body: packageChanges,
  response: packageSchema,
  audit: "package_updated",
}, async (call) => {
  const before = await findPackage(call, call.params.id);
  const row = { ...before, ...call.body() };
  await call.tx.updateTable("packages")
    .set({ display_name: row.display_name, position: row.position })
    .where("id", "=", row.id).execute();
  return showPackage(row);
});

const deletePackage = route({
  name: "deletePackage",
  summary: "Deletes a package. Its products stay.",
  method: "DELETE",
  path: "/packages/{id}",
  scope: WRITE,
  response: deletedSchema("package"),
  audit: "package_deleted",
}, async (call) => deleteRow(call, "packages", "package", await findPackage(call, call.params.id)));

const listPackageProducts = route({
  name: "listPackageProducts",
  summary: "Lists the products of a package.",
  method: "GET",
  path: "/packages/{id}/products",
  scope: READ,
  query: pageQuery,
  response: pageOf(packageProductSchema),
}, async (call) => {
  const row = await findPackage(call, call.params.id);
  return await listPage(call, packageProductListing(call, row.id));
});

const attachPackageProducts = route({
  name: "attachPackageProducts",
  summary:
    "Attaches products to a package. A product already attached gets the new eligibility criteria.",
  method: "POST",
  path: "/packages/{id}/actions/attach_products",
  scope: WRITE,
  body: packageProductChoices,
  response: packageSchema,
  audit: "package_products_attached",
}, async (call) => {
  const row = await findPackage(call, call.params.id);
  for (const choice of call.body().products) await attachToPackage(call, row.id, choice);
  return showPackage(row);
});

const detachPackageProducts = route({
  name: "detachPackageProducts",
  summary: "Detaches products from a package.",
  method: "POST",
  path: "/packages/{id}/actions/detach_products",
  scope: WRITE,
  body: productIds,
  response: packageSchema,
  audit: "package_products_detached",
}, async (call) => {
  const row = await findPackage(call, call.params.id);
  await detachProducts(call, "package_products", row.id, call.body().product_ids);
  return showPackage(row);
});

/** The routes of packages. */
export const packageRoutes = [
  listPackages,
  getPackage,
  createPackage,
  createPackageInOffering,
  updatePackage,
  deletePackage,
  listPackageProducts,
  attachPackageProducts,
  detachPackageProducts,
];

/** Creates a package; without a position it comes last. */
async function insertPackage(call: Call, fields: NewPackage): Promise<Package> {
  const { tx, now } = call;
  const offering = await findOffering(call, fields.offering_id, "offering_id");
  const same = await tx.selectFrom("packages").select("id")
    .where("offering_id", "=", offering.id)
    .where("lookup_key", "in", spellingsOfPackage(fields.lookup_key)).executeTakeFirst();
  // For apps, both spellings are the same package.
  if (same) throw taken("a package", "lookup_key", fields.lookup_key);
  const row = await insertUnique(
    insertRow(tx, "packages", {
      id: newId("package"),
      seq: await nextSeq(tx),
      offering_id: offering.id,
      lookup_key: fields.lookup_key,
      display_name: fields.display_name,
      position: fields.position === undefined
        ? await nextPosition(call, offering.id)
        : fields.position,
      created_at: now,
    }),
    { column: "packages.lookup_key", what: "a package", value: fields.lookup_key },
  );
  return showPackage(row);
}

/** The position after the last one of an offering. */
async function nextPosition({ tx }: ProjectCall, offeringId: string): Promise<number> {
  const { last } = await tx.selectFrom("packages")
    .select((eb) => eb.fn.max("position").as("last")).where("offering_id", "=", offeringId)
    .executeTakeFirstOrThrow();
  return last === null ? 0 : last + 1;
}
