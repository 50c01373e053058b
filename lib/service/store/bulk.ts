/**
 * Writes many rows with few statements. Building a typed query for each row would take longer than
 * SQLite takes to store it.
 *
 * @module
 */

import { CompiledQuery, type Insertable } from "kysely";
import type { Tx } from "./connection.ts";
import type { Row, Tables } from "./tables.ts";

/** What to do with rows whose key is there already. */
export interface OnConflict<T extends keyof Tables> {
  /** The columns of the key. */
  key: readonly (keyof Tables[T] & string)[];
  /** `add` adds the values of the other columns to those that are there. */
  then: "add";
}

/** Rows in one statement. Statements of this size stay prepared. */
const ROWS = 64;

/** Inserts rows, or adds to those that are there. All rows have the same columns. */
export async function writeRows<T extends keyof Tables>(
  tx: Tx,
  table: T,
  rows: readonly Insertable<Tables[T]>[],
  conflict?: OnConflict<T>,
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  for (let at = 0; at < rows.length; at += ROWS) {
    const chunk = rows.slice(at, at + ROWS);
    const values = chunk.flatMap((row: Record<string, unknown>) =>
      columns.map((name) => row[name])
    );
    const text = textOf(table, columns, chunk.length, conflict);
    await tx.getExecutor().executeQuery(CompiledQuery.raw(text, values));
  }
}

/** A row as it is in the database, and as it is to be. */
export interface Change<R> {
  /** The row in the database. */
  before: R;
  /** The row after the change, with the same project and id. */
  after: R;
}

/** What an update finds a row by. */
interface Key {
  /** The project. */
  project_id: string;
  /** The id within the project. */
  id: string;
}

/**
 * Writes those of the columns that differ. SQLite leaves the other columns, their indexes and their
 * references alone, which saves most of the work of an update.
 */
export async function updateChanged<T extends keyof Tables, C extends keyof Row<T> & string>(
  tx: Tx,
  table: T,
  changes: readonly Change<Pick<Row<T>, C> & Key>[],
  columns: readonly C[],
): Promise<void> {
  for (const { before, after } of changes) {
    const changed = columns.filter((column) => before[column] !== after[column]);
    if (changed.length > 0) await updateRows(tx, table, [after], changed);
  }
}

/** Updates some columns of rows, found by project and id. */
export async function updateRows<T extends keyof Tables, C extends keyof Row<T> & string>(
  tx: Tx,
  table: T,
  rows: readonly (Pick<Row<T>, C> & Key)[],
  columns: readonly C[],
): Promise<void> {
  const sets = columns.map((column) => `${quoted(column)} = ?`).join(", ");
  const text = `update ${quoted(table)} set ${sets} where "project_id" = ? and "id" = ?`;
  for (const row of rows) {
    const values = [...columns.map((column) => row[column]), row.project_id, row.id];
    await tx.getExecutor().executeQuery(CompiledQuery.raw(text, values));
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
