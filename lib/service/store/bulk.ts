/**
 * Writes many rows with few statements. Building a typed query for each row would take longer than
 * SQLite takes to store it.
 *
 * @module
 */

import { CompiledQuery, type Insertable } from "kysely";
import type { Tx } from "./connection.ts";
import type { Tables } from "./tables.ts";

/** What to do with rows whose key is there already. */
export interface OnConflict<T extends keyof Tables> {
  /** The columns of the key. */
  key: readonly (keyof Tables[T] & string)[];
  /** `replace` takes the new values, `add` adds them to the old ones; of the other columns. */
  then: "replace" | "add";
}

/** Rows in one statement. Statements of this size stay prepared. */
const ROWS = 64;

/** Inserts rows, or changes those that are there. All rows have the same columns. */
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
    const values = chunk.flatMap((row) => {
      const fields: Record<string, unknown> = { ...row };
      return columns.map((column) => fields[column]);
    });
    const text = textOf(table, columns, chunk.length, conflict);
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
    .map((name) => `${name} = ${updateOf(table, name, conflict.then)}`).join(", ");
  return `${insert} on conflict (${key.map(quoted).join(", ")}) do update set ${updates}`;
}

function updateOf(table: string, name: string, then: "replace" | "add"): string {
  return then === "replace" ? `excluded.${name}` : `${quoted(table)}.${name} + excluded.${name}`;
}

function quoted(name: string): string {
  return `"${name}"`;
}
