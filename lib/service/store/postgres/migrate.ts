/**
 * Brings a database on a server up to date, one step and one transaction at a time. Several processes
 * may start at once: an advisory lock lets one of them do a step, and the others wait.
 *
 * @module
 */

import { ConfigError } from "../../../errors.ts";
import type { Migration } from "../migrations/mod.ts";
import type { Say } from "../work.ts";
import type { Wire } from "./driver.ts";
import { statementsOf } from "./schema.ts";

/** The lock of whoever makes tables, or moves a whole database here. */
const LOCK = 7_262_050;

const NOTES = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  number BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  applied_at BIGINT NOT NULL
)`;

/** What `migrate` needs to know besides the steps. */
export interface MigrateOptions {
  /** The database's address, for messages. */
  shown: string;
  /** The time to note beside each step, in milliseconds since 1970. */
  now: number;
  /** Told when other processes have to be waited for. Default: nobody. */
  say?: Say | undefined;
}

/**
 * Runs the steps that the database has not seen. It waits for other processes that make tables or move
 * data here, however long that takes.
 *
 * @throws {ConfigError} when the database is newer than the steps, or was not made by them.
 */
export async function migrate(
  wire: Wire,
  steps: readonly Migration[],
  options: MigrateOptions,
): Promise<void> {
  let isSaid = false;
  for (let goesOn = true; goesOn;) {
    try {
      goesOn = await applyNext(wire, steps, options);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const why = `${OTHER}, or uses tables that this version changes`;
      if (!isSaid) {
        options.say?.(`Waiting for the database ${JSON.stringify(options.shown)}: ${why}`);
      }
      isSaid = true;
    }
  }
}

const GET_LOCK = `select pg_advisory_xact_lock(${LOCK})`;
const OTHER = "another process is making its tables or moving data into it";

/**
 * Waits until no other process makes tables, and keeps them from it until the transaction ends. A move
 * of a whole database takes longer than the wait.
 *
 * @throws {ConfigError} when it takes too long.
 */
export async function takeLock(wire: Wire, shown: string): Promise<void> {
  try {
    await wire.send(GET_LOCK);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new ConfigError(`Cannot open the database ${JSON.stringify(shown)}: ${OTHER}`, {
      hint: "Run the command again when that process has ended.",
      cause: error,
    });
  }
}

/** Whether a statement has waited for a lock for as long as statements do. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}

/**
 * How many of the steps the database has seen. Changes nothing.
 *
 * @throws {ConfigError} when the database is newer than the steps, or was not made by them.
 */
export async function stepsDone(
  wire: Wire,
  steps: readonly Migration[],
  shown: string,
): Promise<number> {
  const { rows: tables } = await wire.send(
    "select tablename as name from pg_tables where schemaname = current_schema()",
  );
  if (tables.length === 0) return 0;
  const known = tables.some(({ name }) => name === "schema_migrations");
  const notes = known
    ? (await wire.send("select number, name from schema_migrations order by number")).rows
    : [];
  const problem = known ? problemWith(notes, steps) : "it is not a database of this service";
  if (problem === undefined) return notes.length;
  throw new ConfigError(`Cannot open the database ${JSON.stringify(shown)}: ${problem}`, {
    hint: known
      ? "Use the program version that wrote it, or another database."
      : "It has tables of another program. Pass the address of a database of its own for the " +
        "service, such as a new one: createdb --encoding UTF8 NAME",
  });
}

/** Why the noted steps cannot be continued with the known ones, if they cannot. */
function problemWith(
  notes: readonly Record<string, unknown>[],
  steps: readonly Migration[],
): string | undefined {
  const newest = Number(notes.at(-1)?.number ?? 0);
  if (newest > steps.length) {
    return `its schema version is ${newest}, and this program supports up to ${steps.length}`;
  }
  const odd = notes.find((note, i) => note.number !== i + 1 || note.name !== steps[i]?.name);
  return odd && `step ${odd.number} of its schema is ${JSON.stringify(odd.name)}, which is unknown`;
}

/** Applies the next step and notes it, both or neither. False: all steps were done before. */
async function applyNext(
  wire: Wire,
  steps: readonly Migration[],
  { shown, now }: MigrateOptions,
): Promise<boolean> {
  await wire.send("BEGIN");
  try {
    await wire.send(GET_LOCK);
    const done = await stepsDone(wire, steps, shown);
    const step = steps[done];
    if (step) await createTables(wire, step, done + 1, now);
    await wire.send("COMMIT");
    return step !== undefined;
  } catch (error) {
    await wire.send("ROLLBACK");
    throw error;
  }
}

/** Does what a step says and notes it, in the transaction that is open. */
export async function createTables(
  wire: Wire,
  step: Migration,
  number: number,
  now: number,
): Promise<void> {
  await wire.send(NOTES);
  for (const statement of statementsOf(step.sql)) await wire.send(statement);
  await wire.send("insert into schema_migrations values ($1, $2, $3)", [number, step.name, now]);
}
