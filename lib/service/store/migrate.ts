/**
 * Brings a database up to date, one step and one transaction at a time.
 *
 * @module
 */

import { ConfigError } from "../../errors.ts";
import type { Connection } from "./connection.ts";
import type { Migration } from "./migrations/mod.ts";

const STEPS_TABLE = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;`;

/**
 * Runs the steps that the database has not seen.
 *
 * @throws {ConfigError} when the database is newer than the steps, or was made by other ones.
 */
export function migrate(
  connection: Connection,
  steps: readonly Migration[],
  options: { file: string; now: () => number },
): void {
  connection.run("BEGIN IMMEDIATE");
  try {
    connection.script(STEPS_TABLE);
    checkApplied(connection, steps, options.file);
    connection.run("COMMIT");
  } catch (error) {
    if (connection.inTransaction()) connection.run("ROLLBACK");
    throw error;
  }
  steps.forEach((step, i) => apply(connection, step, i + 1, options.now()));
}

/** Applies one step and notes it, both or neither. Does nothing when it is already noted. */
function apply(connection: Connection, step: Migration, number: number, now: number): void {
  connection.run("BEGIN IMMEDIATE");
  try {
    const known = connection.rows("SELECT 1 FROM schema_migrations WHERE number = ?", number);
    if (known.length === 0) {
      connection.script(step.sql);
      connection.rows(
        "INSERT INTO schema_migrations (number, name, applied_at) VALUES (?, ?, ?)",
        number,
        step.name,
        now,
      );
    }
    connection.run("COMMIT");
  } catch (error) {
    if (connection.inTransaction()) connection.run("ROLLBACK");
    throw error;
  }
}

/** Refuses a database that these steps did not make. */
function checkApplied(connection: Connection, steps: readonly Migration[], file: string): void {
  const rows = connection.rows("SELECT number, name FROM schema_migrations ORDER BY number");
  const newest = Number(rows.at(-1)?.number ?? 0);
  if (newest > steps.length) {
    throw new ConfigError(
      `Cannot open the database ${JSON.stringify(file)}: its schema is number ${newest}, ` +
        `and this version knows no schema after number ${steps.length}`,
      { hint: "Use the version that wrote it, or a newer one." },
    );
  }
  for (const row of rows) {
    const step = steps[Number(row.number) - 1];
    if (step?.name === row.name) continue;
    throw new ConfigError(
      `Cannot open the database ${JSON.stringify(file)}: its schema number ${row.number} is ` +
        `${JSON.stringify(row.name)}, not ${JSON.stringify(step?.name ?? "")}`,
      { hint: "This is not a database of this service: use another data folder." },
    );
  }
}
