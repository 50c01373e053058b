/**
 * Changes of several resources: insert, archive, delete.
 *
 * @module
 */

import type { DeletedObject } from "../../resources/shared.ts";
import { taken } from "../contract/errors.ts";
import type { ProjectCall } from "./find.ts";
import type { Call } from "../contract/route.ts";
import {
  type ColumnName,
  deleteRowsWith,
  findRow,
  insertRow,
  isUniqueViolation,
  type ListedTable,
  nextSeq,
  type ProjectTx,
  writeRows,
} from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/**
 * Runs an insert with a key that may be in use.
 *
 * @throws {Refusal} 409 when it is in use.
 */
export async function insertUnique<T>(
  insert: Promise<T>,
  key: { column: ColumnName; what: string; value: string; param?: string },
): Promise<T> {
  try {
    return await insert;
  } catch (error) {
    if (!isUniqueViolation(error, key.column)) throw error;
    throw taken(key.what, key.param ?? key.column.split(".")[1] ?? "", key.value);
  }
}

/** The data about a customer from an app. */
type LastSeen = Pick<
  Row<"customers">,
  "last_seen_app_version" | "last_seen_country" | "last_seen_platform"
>;

/**
 * Creates a customer, with its id as its first alias.
 *
 * @throws {Refusal} 409 when a customer has this id or alias.
 */
export async function insertCustomer(
  call: Pick<Call, "tx" | "project" | "now">,
  id: string,
  seen?: LastSeen,
): Promise<Row<"customers">> {
  const { tx, now } = call;
  const key = { what: "a customer", value: id, param: "id" };
  const seq = await nextSeq(tx);
  const insert = insertRow(tx, "customers", {
    id,
    seq,
    first_seen_at: now,
    last_seen_at: seen ? now : null,
    last_seen_app_version: null,
    last_seen_country: null,
    last_seen_platform: null,
    last_seen_platform_version: null,
    paid_in: 0,
    ...seen,
  });
  const customer = await insertUnique(insert, { ...key, column: "customers.id" });
  await insertUnique(
    writeRows(tx, "customer_aliases", [{ alias: id, customer_id: id, seq, created_at: now }]),
    { ...key, column: "customer_aliases.alias" },
  );
  return customer;
}

/** Tables whose objects can be archived. */
type StatefulTable = "entitlements" | "offerings" | "products" | "virtual_currencies";

/** Archives or unarchives an object. Repeating it is no error. */
export async function setState<T extends StatefulTable>(
  { tx }: ProjectCall,
  table: T,
  id: string,
  state: "active" | "inactive",
): Promise<Row<T>> {
  await tx.updateTable(table as StatefulTable).set({ state }).where("id", "=", id).execute();
  const row = await findRow(tx, table, id);
  if (!row) throw new Error(`${table} ${id} vanished inside its transaction`);
  return row;
}

/** Deletes an object, and stores its position so that lists can continue after it. */
export async function deleteRow(
  call: Pick<Call, "tx" | "project" | "now">,
  table: ListedTable,
  object: string,
  row: { id: string; seq: number; position?: number | null },
): Promise<DeletedObject> {
  const { tx, now } = call;
  await deleteRowsWith<ListedTable>(tx, table, { id: row.id });
  await rememberPlace(tx, object, { ...row, deleted_at: now });
  return { object, id: row.id, deleted_at: now };
}

/** Stores an object's position in its list, so that the list can continue after it. */
export async function rememberPlace(
  tx: ProjectTx,
  object: string,
  { id, ...at }: { id: string; seq: number; position?: number | null; deleted_at: number },
): Promise<void> {
  const place = { seq: at.seq, position: at.position ?? null, deleted_at: at.deleted_at };
  const key = ["project_id", "object", "id"] as const;
  await writeRows(tx, "tombstones", [{ object, id, ...place }], { key, then: "replace" });
}
