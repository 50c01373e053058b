/**
 * The rules that the schema holds: references, unique keys and conditions. Both engines have the same;
 * they are read from the one that makes them in a millisecond.
 *
 * @module
 */

import { migrations } from "./migrations/mod.ts";
import { connect, type Connection } from "./sqlite/connection.ts";
import { migrate } from "./sqlite/migrate.ts";

/** A reference from rows of a table to rows of another. */
interface Reference {
  /** The table that refers. */
  table: string;
  /** The table that is referred to. */
  target: string;
  /** The columns that refer, each with its column of the other table. */
  columns: readonly (readonly [from: string, to: string])[];
}

/** A unique key. */
interface UniqueKey {
  /** The table. */
  table: string;
  /** The columns. */
  columns: readonly string[];
  /** The condition for rows that the key is about; undefined for all. */
  where: string | undefined;
}

/** A condition for every row of a table. */
interface Condition {
  /** The table. */
  table: string;
  /** The condition in SQL, in one line. */
  text: string;
}

/** All rules of the schema. */
interface Rules {
  /** The references. */
  references: readonly Reference[];
  /** The unique keys, those of primary keys among them. */
  keys: readonly UniqueKey[];
  /** The conditions. */
  conditions: readonly Condition[];
}

let known: Rules | undefined;

/** The rules of the schema of this version. */
export function readRules(): Rules {
  return known ??= rulesAfter();
}

function rulesAfter(): Rules {
  const connection = connect(":memory:");
  try {
    migrate(connection, migrations, { file: ":memory:", now: 0 });
    const tables = connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL ORDER BY name",
    );
    return {
      references: tables.flatMap(({ name }) => referencesOf(connection, String(name))),
      keys: tables.flatMap(({ name }) => keysOf(connection, String(name))),
      conditions: tables.flatMap(({ name, sql }) =>
        conditionsIn(String(sql)).map((text) => ({ table: String(name), text }))
      ),
    };
  } finally {
    connection.close();
  }
}

function referencesOf(connection: Connection, table: string): Reference[] {
  const rows = connection.rows(
    'SELECT id, "table" AS target, "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    table,
  );
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((parts) => ({
    table,
    target: String(parts[0]?.target),
    columns: parts.map(({ from, to }) => [String(from), String(to)] as const),
  }));
}

function keysOf(connection: Connection, table: string): UniqueKey[] {
  const indexes = connection.rows(
    "SELECT l.name, m.sql FROM pragma_index_list(?) l LEFT JOIN sqlite_schema m ON m.name = l.name " +
      'WHERE l."unique" = 1 ORDER BY l.name',
    table,
  );
  return indexes.map(({ name, sql }) => {
    const columns = connection.rows(
      "SELECT name FROM pragma_index_info(?) ORDER BY seqno",
      String(name),
    );
    const [, where] = /\sWHERE\s([^]+)$/.exec(String(sql)) ?? [];
    return { table, columns: columns.map((column) => String(column.name)), where };
  });
}

/** The conditions after each CHECK in a statement that makes a table. */
export function conditionsIn(sql: string): string[] {
  return [...sql.matchAll(/\bCHECK\s*\(/gi)].map((found) => {
    const start = found.index + found[0].length;
    let end = start;
    for (let depth = 1; depth > 0; end++) {
      const character = sql[end];
      if (character === undefined) throw new RangeError(`No end of a CHECK in ${sql}`);
      depth += character === "(" ? 1 : character === ")" ? -1 : 0;
    }
    return sql.slice(start, end - 1).replaceAll(/\s+/g, " ").trim();
  });
}
