/**
 * Brings a database up to date, one step and one transaction at a time.
 *
 * @module
 */

import { ConfigError } from "../../../errors.ts";
import type { Connection } from "./connection.ts";
import type { Migration } from "../migrations/mod.ts";

/** How to migrate. */
interface MigrateOptions {
  /** The database's file, for messages. */
  file: string;
  /** The time to note beside each step, in milliseconds since 1970. */
  now: number;
}

/** The statement that makes the table of the steps that were run. */
export const NOTES = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

/**
 * Runs the steps that the database has not seen, each with its note in one transaction.
 *
 * @throws {ConfigError} when the database is newer than the steps, or was not made by them.
 */
export function migrate(
  connection: Connection,
  steps: readonly Migration[],
  options: MigrateOptions,
): void {
  const done = stepsDone(connection, steps, options.file);
  for (const [i, step] of steps.entries()) {
    if (i >= done) apply(connection, step, i + 1, options.now);
  }
}

/**
 * How many of the steps the database has seen. Changes nothing.
 *
 * @throws {ConfigError} when the database is newer than the steps, or was not made by them.
 */
export function stepsDone(
  connection: Connection,
  steps: readonly Migration[],
  file: string,
): number {
  const tables = connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (tables.length === 0) return 0;
  const known = tables.some(({ name }) => name === "schema_migrations");
  const problem = known
    ? problemWithNotes(connection, steps)
    : "it is not a database of this service";
  if (problem !== undefined) {
    throw new ConfigError(`Cannot open the database ${JSON.stringify(file)}: ${problem}`, {
      hint: known
        ? "Use the program version that wrote it, or another data folder."
        : "The file is another program's. Use another data folder.",
    });
  }
  return connection.rows("SELECT number FROM schema_migrations").length;
}

/** Why the noted steps cannot be continued with the known ones, if they cannot. */
function problemWithNotes(
  connection: Connection,
  steps: readonly Migration[],
): string | undefined {
  const notes = connection.rows("SELECT number, name FROM schema_migrations ORDER BY number");
  const newest = notes.at(-1)?.number ?? 0;
  if (Number(newest) > steps.length) {
    return `its schema version is ${newest}, and this program supports up to ${steps.length}`;
  }
  const odd = notes.find((note, i) => note.number !== i + 1 || note.name !== steps[i]?.name);
  return odd && `step ${odd.number} of its schema is ${JSON.stringify(odd.name)}, which is unknown`;
}

/** Applies one step and notes it, both or neither. */
function apply(connection: Connection, step: Migration, number: number, now: number): void {
  connection.run("BEGIN IMMEDIATE");
  try {
    connection.run(NOTES);
    connection.script(step.sql);
    connection.rows("INSERT INTO schema_migrations VALUES (?, ?, ?)", number, step.name, now);
    connection.run("COMMIT");
  } catch (error) {
    if (connection.inTransaction()) connection.run("ROLLBACK");
    throw error;
  }
}
