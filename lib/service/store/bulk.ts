/**
 * Writes many rows with few statements. Building a typed query for each row would take longer than
 * SQLite takes to store it. An engine that takes arrays gets one statement for all rows.
 *
 * @module
 */

import type { Insertable } from "kysely";
import { runText } from "./fixed.ts";
import type { ProjectTx } from "./in_project.ts";
import type { ElementType } from "./queries.ts";
import type { ProjectTable, Row, Tables } from "./tables.ts";

/** What to do with rows whose key is there already. */
interface OnConflict<T extends keyof Tables> {
  /** The columns of the key. */
  key: readonly (keyof Tables[T] & string)[];
  /** `add` adds the values of the other columns to those that are there; `replace` sets them. */
  then: "add" | "replace";
}

/** Tables whose rows have ids. */
export type FoundTable = {
  [T in ProjectTable]: Tables[T] extends { project_id: string; id: string } ? T : never;
}[ProjectTable];

/** Rows in one statement. Statements of this size stay prepared. */
const ROWS = 64;

/** Rows in one statement of arrays, whose size makes no difference to what is prepared. */
const ROWS_OF_ARRAYS = 1024;

/** Inserts rows of a project, or changes those that are there. All rows have the same columns. */
export async function writeRows<T extends ProjectTable>(
  tx: ProjectTx,
  table: T,
  rows: readonly Omit<Insertable<Tables[T]>, "project_id">[],
  conflict?: OnConflict<T>,
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const own = Object.keys(first).filter((name) => name !== "project_id");
  const types = typesFor(tx, table, rows, own);
  if (types) return await writeArrays(tx, table, rows, { types, conflict });
  const columns = Object.keys({ ...first, project_id: tx.projectId });
  for (const chunk of chunksOf(rows)) {
    const values: unknown[] = [];
    for (const row of chunk as readonly Record<string, unknown>[]) {
      for (const name of columns) values.push(name === "project_id" ? tx.projectId : row[name]);
    }
    await runText(tx, insertText(table, columns, chunk.length, conflict), values);
  }
}

/** The text of an insert, with what it depends on besides its table. */
interface InsertText {
  /** The columns. */
  columns: readonly string[];
  /** How many rows it inserts. */
  rows: number;
  /** What happens to rows that are there, and by which key they are known. */
  conflict: { key: readonly string[]; then: string } | undefined;
  /** The text. */
  text: string;
}

/** The texts of each table. A new one takes longer to write, and its statement to look up. */
const texts = new Map<string, InsertText[]>();

/** The text that inserts so many rows of values. */
export function insertText<T extends keyof Tables>(
  table: T,
  columns: readonly string[],
  rows: number,
  conflict?: OnConflict<T>,
): string {
  const known = texts.get(table) ?? [];
  const present = known.find((one) =>
    one.rows === rows && areEqual(one.columns, columns) &&
    one.conflict?.then === conflict?.then && areEqual(one.conflict?.key ?? [], conflict?.key ?? [])
  );
  if (present) return present.text;
  const text = insertOf(table, columns, valuesOf(rows, columns.length), conflict);
  texts.set(table, [...known, { columns, rows, conflict, text }]);
  return text;
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, i) => one === others[i]);
}

/**
 * The rows of each statement: 64, then 32, 16 and so on. With any number of rows there would be as
 * many statements to prepare.
 */
function* chunksOf<R>(rows: readonly R[]): Generator<readonly R[]> {
  for (let at = 0, size = ROWS; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2;
    yield rows.slice(at, at + size);
  }
}

/** SQL for rows of values. */
function valuesOf(rows: number, columns: number): string {
  const marks = `(${Array(columns).fill("?").join(", ")})`;
  return `values ${Array(rows).fill(marks).join(", ")}`;
}

/** Inserts rows of a project as `writeRows` does, with one array for each column. */
async function writeArrays<T extends ProjectTable>(
  tx: ProjectTx,
  table: T,
  rows: readonly object[],
  { types, conflict }: { types: Types; conflict: OnConflict<T> | undefined },
): Promise<void> {
  const source = `select ?::text, * from ${unnested(types)}`;
  const text = insertOf(table, ["project_id", ...types.keys()], source, conflict);
  for (let at = 0; at < rows.length; at += ROWS_OF_ARRAYS) {
    const values = columnsOf(tx, types, rows.slice(at, at + ROWS_OF_ARRAYS));
    await runText(tx, text, [tx.projectId, ...values]);
  }
}

/** What columns hold, by their names. */
type Types = ReadonlyMap<string, ElementType>;

/** What columns hold, if it pays to write the rows with arrays and the engine takes them. */
function typesFor(
  tx: ProjectTx,
  table: string,
  rows: readonly object[],
  columns: readonly string[],
): Types | undefined {
  const { arrays } = tx.whole;
  if (!arrays || rows.length < 2) return undefined;
  const types = new Map<string, ElementType>();
  for (const column of columns) {
    const type = arrays.typeOf(table, column);
    if (type === undefined) return undefined;
    types.set(column, type);
  }
  return types;
}

/** SQL for rows that come as one array for each column. */
function unnested(types: Types): string {
  return `unnest(${[...types.values()].map((type) => `?::${type}[]`).join(", ")})`;
}

/** The values of rows, column by column. */
function columnsOf(tx: ProjectTx, types: Types, rows: readonly object[]): unknown[] {
  const records = rows as readonly Record<string, unknown>[];
  return [...types].map(([name, type]) =>
    tx.whole.arrays?.value(type, records.map((row) => row[name]))
  );
}

/** A row as it is in the database, and as it is to be. */
export interface Change<R> {
  /** The row in the database. */
  before: R;
  /** The row after the change, with the same id. */
  after: R;
}

/**
 * Writes those of the columns that differ, each row once. SQLite leaves the other columns, their
 * indexes and their references alone, which saves most of the work of an update. Where all rows go in
 * one statement, all columns of those that differ are written: the server compares them by itself.
 */
export async function updateChanged<T extends ProjectTable, C extends keyof Row<T> & string>(
  tx: ProjectTx,
  table: T,
  changes: readonly Change<Pick<Row<T>, C> & { id: string }>[],
  columns: readonly C[],
): Promise<void> {
  const together = tx.whole.arrays !== undefined && changes.length > 1;
  /** The rows after their changes, by the columns that differ. */
  const groups = new Map<string, { changed: C[]; rows: (Pick<Row<T>, C> & { id: string })[] }>();
  for (const { before, after } of changes) {
    const changed = columns.filter((column) => before[column] !== after[column]);
    if (changed.length === 0) continue;
    const name = together ? "" : changed.join();
    const group = groups.get(name);
    if (group) group.rows.push(after);
    else groups.set(name, { changed: together ? [...columns] : changed, rows: [after] });
  }
  for (const { changed, rows } of groups.values()) await updateRows(tx, table, rows, changed);
}

/** Updates some columns of rows of a project, found by their ids. The last row with an id counts. */
export async function updateRows<T extends ProjectTable, C extends keyof Row<T> & string>(
  tx: ProjectTx,
  table: T,
  rows: readonly (Pick<Row<T>, C> & { id: string })[],
  columns: readonly C[],
): Promise<void> {
  const types = typesFor(tx, table, rows, ["id", ...columns]);
  if (types) return await updateArrays(tx, table, rows, { types, columns });
  // One statement changes a row once, so it must not be given twice.
  const last = rows.length > 1 ? [...new Map(rows.map((row) => [row.id, row])).values()] : rows;
  // Of bare values in a list, an engine with arrays does not know the types.
  const chunks = tx.whole.arrays ? last.map((row) => [row]) : chunksOf(last);
  for (const chunk of chunks) await updateChunk(tx, table, chunk, columns);
}

/** Updates rows with one statement. */
async function updateChunk<T extends ProjectTable, C extends keyof Row<T> & string>(
  tx: ProjectTx,
  table: T,
  chunk: readonly (Pick<Row<T>, C> & { id: string })[],
  columns: readonly C[],
): Promise<void> {
  const [first] = chunk;
  if (first && chunk.length === 1) {
    const sets = columns.map((column) => `${quoted(column)} = ?`).join(", ");
    const text = `update ${quoted(table)} set ${sets} where "project_id" = ? and "id" = ?`;
    const values = [...columns.map((column) => first[column]), tx.projectId, first.id];
    await runText(tx, text, values);
    return;
  }
  const names = ["id", ...columns];
  const text = `with given (${names.map(quoted).join(", ")}) as (` +
    `${valuesOf(chunk.length, names.length)}) ${updateFrom(table, columns, "given")}`;
  const values: unknown[] = [];
  for (const row of chunk) {
    values.push(row.id);
    for (const column of columns) values.push(row[column]);
  }
  values.push(tx.projectId);
  await runText(tx, text, values);
}

/** SQL that sets columns of a project's rows to those of `given`, found by their ids. */
function updateFrom(table: string, columns: readonly string[], given: string): string {
  const sets = columns.map((column) => `${quoted(column)} = given.${quoted(column)}`).join(", ");
  return `update ${quoted(table)} set ${sets} from ${given} ` +
    `where ${quoted(table)}."project_id" = ? and ${quoted(table)}."id" = given."id"`;
}

/** Updates rows as `updateRows` does, with one array for each column. */
async function updateArrays(
  tx: ProjectTx,
  table: string,
  rows: readonly { id: string }[],
  { types, columns }: { types: Types; columns: readonly string[] },
): Promise<void> {
  const given = `${unnested(types)} as given (${[...types.keys()].map(quoted).join(", ")})`;
  const text = updateFrom(table, columns, given);
  // One statement changes a row once, so it must not be given twice.
  const last = [...new Map(rows.map((row) => [row.id, row])).values()];
  for (let at = 0; at < last.length; at += ROWS_OF_ARRAYS) {
    const values = columnsOf(tx, types, last.slice(at, at + ROWS_OF_ARRAYS));
    await runText(tx, text, [...values, tx.projectId]);
  }
}

/** SQL that inserts what a query returns. */
function insertOf<T extends keyof Tables>(
  table: T,
  columns: readonly string[],
  source: string,
  conflict: OnConflict<T> | undefined,
): string {
  const insert = `insert into ${quoted(table)} (${columns.map(quoted).join(", ")}) ${source}`;
  if (!conflict) return insert;
  const key: readonly string[] = conflict.key;
  const before = (name: string) => conflict.then === "add" ? `${quoted(table)}.${name} + ` : "";
  const updates = columns.filter((column) => !key.includes(column)).map(quoted)
    .map((name) => `${name} = ${before(name)}excluded.${name}`).join(", ");
  return `${insert} on conflict (${key.map(quoted).join(", ")}) do update set ${updates}`;
}

function quoted(name: string): string {
  return `"${name}"`;
}
