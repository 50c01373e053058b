/**
 * `cli entitlements …`
 *
 * @module
 */

import {
  hintOfArchived,
  onBody,
  onList,
  onListOf,
  onOne,
  onOneForGood,
  onProducts,
  onUpdate,
} from "../words/plain.ts";
import {
  archiveEntitlement,
  attachEntitlementProducts,
  createEntitlement,
  deleteEntitlement,
  detachEntitlementProducts,
  type Entitlement,
  getEntitlement,
  listEntitlementProducts,
  listEntitlements,
  unarchiveEntitlement,
  updateEntitlement,
} from "../../resources/entitlements.ts";
import { group, text } from "../words/command.ts";
import type { Column } from "../screen/output.ts";
import { productColumns } from "./products.ts";

const columns: Column<Entitlement>[] = [
  { header: "lookup_key", value: (entitlement) => entitlement.lookup_key, kind: "id" },
  { header: "display_name", value: (entitlement) => entitlement.display_name },
  { header: "state", value: (entitlement) => entitlement.state, kind: "word" },
  { header: "created", value: (entitlement) => entitlement.created_at, kind: "date", spare: true },
];

const ID = "The entitlement's lookup key or id";

const held = { list: listEntitlementProducts, columns: productColumns };

/** Entitlements, and the products that grant them. */
export const entitlements = group("Entitlements, and the products that grant them", ["ent"], {
  list: onList("List the entitlements", listEntitlements, columns),
  view: onOne("Show an entitlement", getEntitlement, ID),
  products: onListOf(
    "List the products of an entitlement",
    listEntitlementProducts,
    productColumns,
    ID,
  ),
  create: onBody("Create an entitlement", {
    flags: {
      id: text("The lookup key, for code", { placeholder: "lookup_key" }),
      display_name: text("The display name", { placeholder: "name" }),
    },
    fields: { id: "lookup_key" },
    required: ["lookup_key", "display_name"],
    send: createEntitlement,
  }),
  update: onUpdate("Update an entitlement", updateEntitlement, {
    display_name: text("The display name", { placeholder: "name" }),
  }, ID),
  delete: onOneForGood("Delete an entitlement", "entitlement", getEntitlement, deleteEntitlement, {
    id: ID,
  }),
  archive: onOne("Archive an entitlement", archiveEntitlement, ID),
  unarchive: onOne("Unarchive an entitlement", unarchiveEntitlement, ID, hintOfArchived),
  attach: onProducts("Attach products to an entitlement", attachEntitlementProducts, ID, held),
  detach: onProducts("Detach products from an entitlement", detachEntitlementProducts, ID, held),
});
