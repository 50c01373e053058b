import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { migrations } from "../../../lib/service/store/migrations/mod.ts";
import { conditionsIn } from "../../../lib/service/store/rules.ts";
import { type Values, VIOLATIONS } from "../../support/violations.ts";

/** An empty database with the whole schema, in which rows may stand alone. */
function openSchema(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const { sql } of migrations) database.exec(sql);
  database.exec("PRAGMA foreign_keys = OFF");
  return database;
}

/** The conditions of all CHECKs by table, as the database has them. */
function checksOf(database: DatabaseSync): Map<string, string[]> {
  const tables = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  const checks = tables.map(({ name, sql }): [string, string[]] => [
    String(name),
    conditionsIn(String(sql)),
  ]);
  return new Map(checks.filter(([, conditions]) => conditions.length > 0));
}

/** A condition without the line breaks of the source. */
function inOneLine(sql: string): string {
  return sql.replaceAll(/\s+/g, " ").trim();
}

/** A row of a table: a value where one must be, changed as told. */
function rowOf(database: DatabaseSync, table: string, ...changes: Values[]): Values {
  const row: Record<string, string | number | null> = {};
  for (const { name, type, notnull, dflt_value } of columnsOf(database, table)) {
    if (notnull === 1 && dflt_value === null) row[String(name)] = type === "TEXT" ? "x" : 1;
  }
  return Object.assign(row, ...changes);
}

function columnsOf(database: DatabaseSync, table: string) {
  return database.prepare(`SELECT * FROM pragma_table_info('${table}')`).all();
}

/** Adds a row. */
function insert(database: DatabaseSync, table: string, row: Values): void {
  const marks = Object.keys(row).map(() => "?").join(", ");
  const names = Object.keys(row).join(", ");
  database.prepare(`INSERT INTO ${table} (${names}) VALUES (${marks})`).run(...Object.values(row));
}

/** The conditions that a row breaks, which a database that checks nothing has taken. */
function brokenBy(table: string, row: Values, conditions: readonly string[]): string[] {
  const database = openSchema();
  database.exec("PRAGMA ignore_check_constraints = ON");
  insert(database, table, row);
  // A condition that is NULL is not broken.
  return conditions.filter((condition) =>
    database.prepare(`SELECT (${condition}) AS holds FROM ${table}`).get()?.["holds"] === 0
  );
}

const checks = checksOf(openSchema());

Deno.test("every CHECK of the schema has a row that breaks it, and none is left over", () => {
  deepEqual(Object.keys(VIOLATIONS).sort(), [...checks.keys()].sort());
  for (const [table, conditions] of checks) {
    const known = Object.keys(VIOLATIONS[table]?.broken ?? {});
    deepEqual(known.sort(), conditions.toSorted(), table);
  }
  ok([...checks.values()].flat().length >= 60);
});

for (const [table, conditions] of checks) {
  const { good, broken } = VIOLATIONS[table] ?? { good: {}, broken: {} };

  Deno.test(`${table}: a good row is taken, and one that breaks a CHECK is refused for it`, () => {
    const database = openSchema();
    database.exec("BEGIN");
    database.exec("SAVEPOINT row");
    insert(database, table, rowOf(database, table, good));
    for (const condition of conditions) {
      for (const change of broken[condition] ?? []) {
        database.exec("ROLLBACK TO row");
        const row = rowOf(database, table, good, change);
        deepEqual(brokenBy(table, row, conditions), [condition], JSON.stringify(change));
        throws(() => insert(database, table, row), (error) => {
          const { message } = error as Error;
          equal(inOneLine(message), `CHECK constraint failed: ${condition}`);
          return true;
        });
      }
    }
  });
}
