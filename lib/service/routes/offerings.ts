/**
 * Offerings. The project has a pointer to the current one, so there is never more than one.
 *
 * @module
 */

import { z } from "zod";
import type { NewOffering, Offering, OfferingChanges } from "../../resources/offerings.ts";
import { Refusal, unprocessable } from "../contract/errors.ts";
import { displayName, lookupKey, metadata, unchangeable } from "../contract/fields.ts";
import { type Call, route } from "../contract/route.ts";
import { deletedSchema, pageOf, pageQuery } from "../contract/schemas.ts";
import { deleteRow, insertUnique, setState } from "../records/changes.ts";
import { findOffering } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { listPage, nestedPage, tableListing } from "../records/lists.ts";
import { offeringSchema, showOffering } from "../records/offerings.ts";
import { archivedProductsOf } from "../records/package_products.ts";
import { packageListing } from "../records/packages.ts";
import { insertRow, nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

const newOffering: z.ZodType<NewOffering> = z.strictObject({
  lookup_key: lookupKey,
  display_name: displayName,
  metadata: metadata.exactOptional(),
});

const offeringChanges: z.ZodType<OfferingChanges> = z.strictObject({
  display_name: displayName.exactOptional(),
  is_current: z.boolean().exactOptional(),
  metadata: metadata.exactOptional(),
}, unchangeable("lookup_key"));

const READ = "project_configuration:offerings:read";
const WRITE = "project_configuration:offerings:read_write";
const PACKAGES = "project_configuration:packages:read";
const PRODUCTS = "project_configuration:products:read";

const listOfferings = route({
  name: "listOfferings",
  summary: "Lists the offerings of the project, oldest first.",
  method: "GET",
  path: "/offerings",
  scope: READ,
  query: pageQuery,
  expand: { "items.package": PACKAGES, "items.package.product": [PACKAGES, PRODUCTS] },
  response: pageOf(offeringSchema),
}, (call) =>
  listPage(
    call,
    tableListing(call, "offerings", {
      object: "offering",
      show: (row) => showExpanded(call, row, "items.package"),
    }),
  ));

const getOffering = route({
  name: "getOffering",
  summary: "Reads one offering, by lookup key or id.",
  method: "GET",
  path: "/offerings/{id}",
  scope: READ,
  expand: { "package": PACKAGES, "package.product": [PACKAGES, PRODUCTS] },
  response: offeringSchema,
}, async (call) => {
  const row = await findOffering(call, call.params.id);
  return await showExpanded(call, row, "package");
});

const createOffering = route({
  name: "createOffering",
  summary: "Creates an offering. The first one of a project becomes current.",
  method: "POST",
  path: "/offerings",
  scope: WRITE,
  body: newOffering,
  response: offeringSchema,
  status: 201,
  audit: "offering_created",
}, async (call) => {
  const { tx, now } = call;
  const { lookup_key, display_name, metadata = null } = call.body();
  const row = await insertUnique(
    insertRow(tx, "offerings", {
      id: newId("offering"),
      seq: await nextSeq(tx),
      lookup_key,
      display_name,
      metadata: metadata && JSON.stringify(metadata),
      state: "active",
      created_at: now,
    }),
    { column: "offerings.lookup_key", what: "an offering", value: lookup_key },
  );
  return showOffering(await fillVacancy(call, row.id), row);
});

const updateOffering = route({
  name: "updateOffering",
  summary: "Changes an offering, or makes it current.",
  method: "POST",
  path: "/offerings/{id}",
  scope: WRITE,
  body: offeringChanges,
  response: offeringSchema,
  audit: (call, offering) => ({
    action_type: moves(call, offering) ? "offering_set_current" : "offering_updated",
    target_type: "offering",
    target_identifier: offering.id,
  }),
}, async (call) => {
  const { tx, project } = call;
  const before = await findOffering(call, call.params.id);
  const { is_current, display_name, metadata } = call.body();
  const after = {
    display_name: display_name ?? before.display_name,
    metadata: metadata === undefined ? before.metadata : metadata && JSON.stringify(metadata),
  };
  await tx.updateTable("offerings").set(after).where("id", "=", before.id).execute();
  const row = { ...before, ...after };
  if (is_current === true) return showOffering(await makeCurrent(call, row), row);
  if (is_current === false && project.current_offering_id === row.id) {
    throw unprocessable("An offering stays current until another offering becomes current", {
      param: "is_current",
    });
  }
  return showOffering(project, row);
});

const deleteOffering = route({
  name: "deleteOffering",
  summary: "Deletes an offering and its packages. Delete the current offering last.",
  method: "DELETE",
  path: "/offerings/{id}",
  scope: WRITE,
  response: deletedSchema("offering"),
  audit: "offering_deleted",
}, async (call) => {
  const { tx, project } = call;
  const row = await findOffering(call, call.params.id);
  if (project.current_offering_id === row.id) {
    const other = await tx.selectFrom("offerings").select("id").where("id", "!=", row.id)
      .where("state", "=", "active").executeTakeFirst();
    // Gap: if other offerings are active, the caller must make one of them current first.
    if (other) {
      throw unprocessable("The current offering cannot be deleted while others are active");
    }
    await pointAt(call, null);
  }
  return await deleteRow(call, "offerings", "offering", row);
});

const archiveOffering = route({
  name: "archiveOffering",
  summary: "Archives an offering. The current offering cannot be archived.",
  method: "POST",
  path: "/offerings/{id}/actions/archive",
  scope: WRITE,
  response: offeringSchema,
  audit: "offering_archived",
}, async (call) => {
  const row = await findOffering(call, call.params.id);
  if (call.project.current_offering_id === row.id) {
    throw unprocessable(
      "The current offering cannot be archived; make another offering current first",
    );
  }
  return showOffering(call.project, await setState(call, "offerings", row.id, "inactive"));
});

const unarchiveOffering = route({
  name: "unarchiveOffering",
  summary: "Unarchives an offering.",
  method: "POST",
  path: "/offerings/{id}/actions/unarchive",
  scope: WRITE,
  body: z.strictObject({ unarchive_referenced_entities: z.boolean().default(false) }),
  response: offeringSchema,
  audit: "offering_unarchived",
}, async (call) => {
  const row = await findOffering(call, call.params.id);
  const archived = await archivedProductsOf(call, row.id);
  if (archived.length > 0 && !call.body().unarchive_referenced_entities) {
    const message = "The offering's packages contain archived products";
    throw new Refusal(422, "entity_references_archived_entities", message, {
      referenced_object_ids: archived,
    });
  }
  for (const id of archived) await setState(call, "products", id, "active");
  const active = await setState(call, "offerings", row.id, "active");
  return showOffering(await fillVacancy(call, row.id), active);
});

/** The routes of offerings. */
export const offeringRoutes = [
  listOfferings,
  getOffering,
  createOffering,
  updateOffering,
  deleteOffering,
  archiveOffering,
  unarchiveOffering,
];

/** An offering with the fields in `expand`; `part` is their name in this route. */
async function showExpanded(
  call: Call,
  row: Row<"offerings">,
  part: "package" | "items.package",
): Promise<Offering> {
  const offering = showOffering(call.project, row);
  const withProducts = call.expand.has(`${part}.product`);
  if (!withProducts && !call.expand.has(part)) return offering;
  const path = `/v2/projects/${call.project.id}/offerings/${row.id}/packages`;
  const query = withProducts ? "?expand=items.product" : "";
  const packages = await nestedPage(packageListing(call, row.id, withProducts), path + query);
  return { ...offering, packages };
}

/** Makes an offering the current one. Returns the changed project. */
async function makeCurrent(call: Call, row: Row<"offerings">): Promise<Row<"projects">> {
  if (row.state === "active") return await pointAt(call, row.id);
  throw unprocessable("An archived offering cannot become current; unarchive it first", {
    param: "is_current",
  });
}

/**
 * Makes an offering the current one if there is none. Returns the changed project.
 *
 * Gap: exactly one offering is current, so the first active one becomes current.
 */
async function fillVacancy(call: Call, id: string): Promise<Row<"projects">> {
  return call.project.current_offering_id === null ? await pointAt(call, id) : call.project;
}

/** Moves the project's pointer. Returns the changed project. */
async function pointAt(call: Call, id: string | null): Promise<Row<"projects">> {
  await call.tx.updateTable("projects").set({ current_offering_id: id }).execute();
  return { ...call.project, current_offering_id: id };
}

/** Whether an update has changed the current offering. */
function moves(call: Pick<Call, "project">, offering: Offering): boolean {
  return offering.is_current && call.project.current_offering_id !== offering.id;
}
