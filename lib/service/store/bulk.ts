/**
 * Writes many rows with few statements. Building a typed query for each row would take longer than
 * SQLite takes to store it.
 *
 * @module
 */

import type { Insertable } from "kysely";
import { runText } from "./fixed.ts";
import type { ProjectTx } from "./in_project.ts";
import type { ProjectTable, Row, Tables } from "./tables.ts";

/** What to do with rows whose key is there already. */
interface OnConflict<T extends keyof Tables> {
  /** The columns of the key. */
  key: readonly (keyof Tables[T] & string)[];
  /** `add` adds the values of the other columns to those that are there. */
  then: "add";
}

/** Tables whose rows have ids. */
export type FoundTable = {
  [T in ProjectTable]: Tables[T] extends { project_id: string; id: string } ? T : never;
}[ProjectTable];

/** Rows in one statement. Statements of this size stay prepared. */
const ROWS = 64;

/** Inserts rows of a project, or adds to those that are there. All rows have the same columns. */
export async function writeRows<T extends ProjectTable>(
  tx: ProjectTx,
  table: T,
  rows: readonly Omit<Insertable<Tables[T]>, "project_id">[],
  conflict?: OnConflict<T>,
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys({ ...first, project_id: tx.projectId });
  for (let at = 0; at < rows.length; at += ROWS) {
    const chunk = rows.slice(at, at + ROWS);
    const values: unknown[] = [];
    for (const row of chunk as readonly Record<string, unknown>[]) {
      for (const name of columns) values.push(name === "project_id" ? tx.projectId : row[name]);
    }
    const text = textOf(table, columns, chunk.length, conflict);
    await runText(tx, text, values);
  }
}

/** A row as it is in the database, and as it is to be. */
export interface Change<R> {
  /** The row in the database. */
  before: R;
  /** The row after the change, with the same id. */
  after: R;
}

/**
 * Writes those of the columns that differ. SQLite leaves the other columns, their indexes and their
 * references alone, which saves most of the work of an update.
 */
export async function updateChanged<T extends ProjectTable, C extends keyof Row<T> & string>(
  tx: ProjectTx,
  table: T,
  changes: readonly Change<Pick<Row<T>, C> & { id: string }>[],
  columns: readonly C[],
): Promise<void> {
  for (const { before, after } of changes) {
    const changed = columns.filter((column) => before[column] !== after[column]);
    if (changed.length > 0) await updateRows(tx, table, [after], changed);
  }
}

/** Updates some columns of rows of a project, found by their ids. */
export async function updateRows<T extends ProjectTable, C extends keyof Row<T> & string>(
  tx: ProjectTx,
  table: T,
  rows: readonly (Pick<Row<T>, C> & { id: string })[],
  columns: readonly C[],
): Promise<void> {
  const sets = columns.map((column) => `${quoted(column)} = ?`).join(", ");
  const text = `update ${quoted(table)} set ${sets} where "project_id" = ? and "id" = ?`;
  for (const row of rows) {
    const values = [...columns.map((column) => row[column]), tx.projectId, row.id];
    await runText(tx, text, values);
  }
}

function textOf<T extends keyof Tables>(
  table: T,
  columns: readonly string[],
  count: number,
  conflict: OnConflict<T> | undefined,
): string {
  const names = columns.map(quoted).join(", ");
  const row = `(${columns.map(() => "?").join(", ")})`;
  const rows = Array.from({ length: count }, () => row).join(", ");
  const insert = `insert into ${quoted(table)} (${names}) values ${rows}`;
  if (!conflict) return insert;
  const key: readonly string[] = conflict.key;
  const updates = columns.filter((column) => !key.includes(column)).map(quoted)
    .map((name) => `${name} = ${quoted(table)}.${name} + excluded.${name}`).join(", ");
  return `${insert} on conflict (${key.map(quoted).join(", ")}) do update set ${updates}`;
}

function quoted(name: string): string {
  return `"${name}"`;
}
