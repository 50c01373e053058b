/**
 * Rows of values as objects.
 *
 * @module
 */

/** A row as the database gives it, by the names of its columns. */
export type RawRow = Record<string, unknown>;

/** Turns rows, each an array of its values, into objects. */
type Maker = (found: readonly unknown[]) => RawRow[];

/** After so many rows of a query it pays to write a function for its rows. */
const MANY_ROWS = 64;

/**
 * Creates a function that turns the rows of a query into objects.
 *
 * An object that gets more than some 16 fields one by one becomes a table of hashes in V8, and each
 * copy of it takes ten times as long. One literal with all the fields does not, and is a quarter of
 * the work; but to compile it takes as long as a hundred rows.
 */
export function rowMaker(columns: readonly string[]): Maker {
  let rows = 0;
  let whole: ((values: unknown) => RawRow) | undefined;
  return (found) => {
    rows += found.length;
    if (rows > MANY_ROWS) whole ??= literalOf(columns);
    return found.map(whole ?? ((values) => fieldByField(columns, values)));
  };
}

function fieldByField(columns: readonly string[], values: unknown): RawRow {
  const row: RawRow = {};
  let i = 0;
  if (Array.isArray(values)) {
    for (const column of columns) row[column] = values[i++];
  }
  return row;
}

/**
 * A function with an object literal of all fields. It is written as code, since no other way tells V8
 * all names at once. Names come from the schema and are quoted.
 */
function literalOf(columns: readonly string[]): (values: unknown) => RawRow {
  const fields = columns.map((column, i) => `${JSON.stringify(column)}: values[${i}]`);
  const made: unknown = new Function("values", `return { ${fields.join(", ")} };`);
  return made as (values: unknown) => RawRow;
}
