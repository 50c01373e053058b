/**
 * The queries that most requests send: one row, or the next rows of a list. Their texts depend on
 * nothing but the table, so SQLite prepares each of them once.
 *
 * @module
 */

import { type FoundTable, insertText } from "./bulk.ts";
import { runText } from "./fixed.ts";
import type { ProjectTx } from "./in_project.ts";
import type { ProjectTable, Row, Tables } from "./tables.ts";

/** Tables whose rows are listed by `seq`. */
export type ListedTable = {
  [T in FoundTable]: Tables[T] extends { seq: number } ? T : never;
}[FoundTable];

/** A row of a list, with what every such row has. */
export type Listed<T extends ListedTable> = Row<T> & { id: string; seq: number };

/** Which rows of a table to list. */
interface Stretch<C extends string> {
  /** The `seq` of the row before the first one. Default: from the beginning. */
  after: number | undefined;
  /** Newest first. */
  newestFirst: boolean;
  /** How many rows at most. */
  count: number;
  /**
   * The columns to read, besides the id. Each value of a row takes longer to read than to
   * show. Default: all.
   */
  columns?: readonly C[] | undefined;
}

/** The text that finds a row, for each table. The statement of a new text takes longer to look up. */
const texts = new Map<string, string>();

/** Finds a row of a project by its id. */
export async function findRow<T extends FoundTable>(
  tx: ProjectTx,
  table: T,
  id: string,
): Promise<Row<T> | undefined> {
  let text = texts.get(table);
  if (text === undefined) {
    text = `select * from "${table}" where "project_id" = ? and "id" = ?`;
    texts.set(table, text);
  }
  const { rows } = await runText<Row<T>>(tx, text, [tx.projectId, id]);
  return rows[0];
}

/** Finds the place of a row of a project in the order of its table, by the row's id. */
export async function findSeq(
  tx: ProjectTx,
  table: ListedTable,
  id: string,
): Promise<number | undefined> {
  const text = `select "seq" from "${table}" where "project_id" = ? and "id" = ?`;
  const { rows } = await runText<{ seq: number }>(tx, text, [tx.projectId, id]);
  return rows[0]?.seq;
}

/** Tables whose rows name their project. */
type OwnedTable = Exclude<ProjectTable, "projects">;

/** Values of columns by which rows are found: each is one value, null, or one of several texts. */
type Values<T extends OwnedTable> = {
  readonly [C in keyof Row<T>]?: Row<T>[C] | readonly string[];
};

/**
 * Reads the rows of a project with these values, without the builder of queries. The text depends on
 * which columns are asked for, and on the number of texts that a column may have.
 *
 * @param order The columns to sort by, ascending. Default: no order.
 */
export async function rowsWith<T extends OwnedTable>(
  tx: ProjectTx,
  table: T,
  wanted: Values<T>,
  order: readonly (keyof Row<T> & string)[] = [],
): Promise<Row<T>[]> {
  const { condition, values } = conditionsOf(tx, wanted);
  const sorted = order.length === 0 ? "" : ` order by "${order.join('", "')}"`;
  const text = `select * from "${table}" where ${condition}${sorted}`;
  return (await runText<Row<T>>(tx, text, values)).rows;
}

/** Reads some columns of the rows of a project with these values. An index may hold them all. */
export async function columnsWith<T extends OwnedTable, C extends keyof Row<T> & string>(
  tx: ProjectTx,
  table: T,
  columns: readonly C[],
  wanted: Values<T>,
): Promise<Pick<Row<T>, C>[]> {
  const { condition, values } = conditionsOf(tx, wanted);
  const text = `select "${columns.join('", "')}" from "${table}" where ${condition}`;
  return (await runText<Pick<Row<T>, C>>(tx, text, values)).rows;
}

/** Reads the next rows of a project with these values, in the order of their `seq`. */
export async function nextRowsWith<T extends OwnedTable & ListedTable>(
  tx: ProjectTx,
  table: T,
  wanted: Values<T>,
  { after, count }: { after: number; count: number },
): Promise<Listed<T>[]> {
  const { condition, values } = conditionsOf(tx, wanted);
  const text = `select * from "${table}" where ${condition} and "seq" > ? order by "seq" limit ?`;
  return (await runText<Listed<T>>(tx, text, [...values, after, count])).rows;
}

/** Deletes the rows of a project with these values. */
export async function deleteRowsWith<T extends OwnedTable>(
  tx: ProjectTx,
  table: T,
  wanted: Values<T>,
): Promise<void> {
  const { condition, values } = conditionsOf(tx, wanted);
  await runText(tx, `delete from "${table}" where ${condition}`, values);
}

/** The condition on rows of a project with these values, and its parameters. */
function conditionsOf(
  tx: ProjectTx,
  wanted: Readonly<Record<string, unknown>>,
): { condition: string; values: unknown[] } {
  const conditions = ['"project_id" = ?'];
  const values: unknown[] = [tx.projectId];
  for (const [column, value] of Object.entries(wanted)) {
    conditions.push(`"${column}" ${conditionOf(tx, value, values)}`);
  }
  return { condition: conditions.join(" and "), values };
}

/** The condition on a column. Adds its parameters to the values. */
function conditionOf({ whole: { arrays } }: ProjectTx, value: unknown, values: unknown[]): string {
  if (value === null) return "is null";
  if (!Array.isArray(value)) {
    values.push(value);
    return "= ?";
  }
  // See `among()`: one array keeps the text the same, and the server joins with what it contains.
  if (arrays && value.length > 1) {
    values.push(arrays.value("text", value));
    return "in (select unnest(?::text[]))";
  }
  // No engine takes a list of nothing; nothing equals null.
  if (value.length === 0) return "in (null)";
  values.push(...value);
  return `in (${value.map(() => "?").join(", ")})`;
}

/** Tables in which a lookup key belongs to one row of the project. */
export type KeyedTable = "entitlements" | "offerings";

/** Finds a row of a project by its lookup key. */
export async function findRowByKey<T extends KeyedTable>(
  tx: ProjectTx,
  table: T,
  key: string,
): Promise<Row<T> | undefined> {
  const text = `select * from "${table}" where "project_id" = ? and "lookup_key" = ?`;
  const { rows } = await runText<Row<T>>(tx, text, [tx.projectId, key]);
  return rows[0];
}

/** Lists rows of a project in the order of their `seq`. */
export async function listRows<
  T extends ListedTable,
  C extends keyof Row<T> & string = keyof Row<T> & string,
>(
  tx: ProjectTx,
  table: T,
  { after, newestFirst, count, columns }: Stretch<C>,
): Promise<Pick<Listed<T>, C | "id">[]> {
  const [sign, order] = newestFirst ? ["<", "desc"] : [">", "asc"];
  const start = after === undefined ? "" : ` and "seq" ${sign} ?`;
  const what = columns ? `"id", "${columns.join('", "')}"` : "*";
  const text =
    `select ${what} from "${table}" where "project_id" = ?${start} order by "seq" ${order} limit ?`;
  const values = after === undefined ? [tx.projectId, count] : [tx.projectId, after, count];
  return (await runText<Pick<Listed<T>, C | "id">>(tx, text, values)).rows;
}

/** Inserts a row of a project, all of its columns given, and returns the row. */
export async function insertRow<T extends FoundTable>(
  tx: ProjectTx,
  table: T,
  row: Omit<Row<T>, "project_id">,
): Promise<Row<T>> {
  const whole = { ...row, project_id: tx.projectId };
  await runText(tx, insertText(table, Object.keys(whole), 1), Object.values(whole));
  // All tables of this kind have the column; no type can say so of one that is not known yet.
  return whole as unknown as Row<T>;
}
