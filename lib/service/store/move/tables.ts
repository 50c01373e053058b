/**
 * The tables of a schema as it is after some of its steps: their columns and their keys.
 *
 * @module
 */

import type { Migration } from "../migrations/mod.ts";
import { connect, type Connection } from "../sqlite/connection.ts";
import { migrate } from "../sqlite/migrate.ts";
import { schemaOf } from "../sqlite/soundness.ts";

/** A table that is moved. */
export interface Shape {
  /** Its name. */
  name: string;
  /** Its columns, in their order. */
  columns: readonly Column[];
  /** The columns of its primary key, in their order. */
  key: readonly string[];
}

/** A column of a table. */
interface Column {
  /** Its name. */
  name: string;
  /** What it holds. Every engine has these two types. */
  type: "INTEGER" | "TEXT";
}

/** A schema. */
interface Schema {
  /** Its tables by name, the notes on its steps among them. */
  tables: readonly Shape[];
  /** The statements of SQLite that make it. */
  statements: readonly string[];
}

/** The schema that some steps make. */
export function schemaAfter(steps: readonly Migration[]): Schema {
  const connection = connect(":memory:");
  try {
    migrate(connection, steps, { file: ":memory:", now: 0 });
    const names = connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    );
    const tables = names.map(({ name }) => shapeOf(connection, String(name)));
    return { tables, statements: schemaOf(connection) };
  } finally {
    connection.close();
  }
}

function shapeOf(connection: Connection, name: string): Shape {
  const found = connection.rows("SELECT name, type, pk FROM pragma_table_info(?)", name);
  const columns = found.map((column): Column => {
    const { type } = column;
    if (type === "INTEGER" || type === "TEXT") return { name: String(column.name), type };
    throw new TypeError(`Cannot move the column ${name}.${column.name}: its type is ${type}`);
  });
  const key = found.filter(({ pk }) => pk !== 0).sort((a, b) => Number(a.pk) - Number(b.pk))
    .map((column) => String(column.name));
  if (key.length > 0) return { name, columns, key };
  throw new TypeError(`Cannot move the table ${name}: it has no primary key`);
}

/** The names of columns as SQL has them in a list. */
export function listOf(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
