/**
 * A new database on a server, filled in one transaction: until it commits, nobody sees any of it, and
 * when this process or the server ends before, the database is as empty as it was.
 *
 * @module
 */

import { ConfigError } from "../../../errors.ts";
import { migrations } from "../migrations/mod.ts";
import type { MovedRow } from "../move/digest.ts";
import { listOf, schemaAfter, type Shape } from "../move/tables.ts";
import type { Target } from "../move/target.ts";
import { type Address, createHint } from "./address.ts";
import { connectAlone } from "./alone.ts";
import type { Wire } from "./driver.ts";
import { toStoreError } from "./errors.ts";
import { pagesOf, waitLong } from "./frozen.ts";
import { hasHolders } from "./holders.ts";
import { createTables, takeLock } from "./migrate.ts";

/**
 * Begins to fill a database that has no tables.
 *
 * @throws {ConfigError} when it has tables, another process makes some, or it cannot be used.
 */
export function openPostgresTarget(text: string, steps: number): Promise<Target> {
  return connectAlone(text, async ({ wire, address, close }) => {
    const references = await begin(wire, address, steps);
    return targetOn(wire, address, { references, close });
  });
}

/** Begins the transaction and makes the tables, empty. Returns the references between them. */
async function begin(wire: Wire, address: Address, steps: number): Promise<Reference[]> {
  await wire.send("BEGIN ISOLATION LEVEL READ COMMITTED");
  await waitLong(wire);
  await wire.send("set local synchronous_commit = on");
  await takeLock(wire, address.shown);
  const { rows: tables } = await wire.send(
    "select tablename from pg_tables where schemaname = current_schema() limit 1",
  );
  if (tables.length > 0) {
    const why = await hasHolders(wire) ? "a service works on it" : "it has tables already";
    throw new ConfigError(`Cannot move data to ${JSON.stringify(address.shown)}: ${why}`, {
      hint: `Use a new database: ${createHint({ ...address, database: "NAME" })}`,
    });
  }
  const known = migrations.slice(0, steps);
  for (const [i, step] of known.entries()) await createTables(wire, step, i + 1, 0);
  // Steps add rows of their own, which may have been changed since.
  const { tables: made } = schemaAfter(known);
  await wire.send(`truncate ${listOf(made.map(({ name }) => name))}`);
  return await takeReferences(wire);
}

/** A reference between tables. */
interface Reference {
  /** The table that refers. */
  owner: string;
  /** Its name. */
  name: string;
  /** What it says. */
  text: string;
}

/** Takes out all references, so that rows can come in any order. */
async function takeReferences(wire: Wire): Promise<Reference[]> {
  const { rows } = await wire.send(
    `select owner.relname as owner, conname as name, pg_get_constraintdef(link.oid) as text
      from pg_constraint link join pg_class owner on owner.oid = conrelid
      join pg_namespace place on place.oid = connamespace
      where contype = 'f' and nspname = current_schema() order by owner.relname, conname`,
  );
  const references = rows.map(({ owner, name, text }) => ({
    owner: String(owner),
    name: String(name),
    text: String(text),
  }));
  for (const { owner, name } of references) {
    await wire.send(`alter table "${owner}" drop constraint "${name}"`);
  }
  return references;
}

function targetOn(
  wire: Wire,
  { shown }: Address,
  { references, close }: { references: readonly Reference[]; close(): Promise<void> },
): Target {
  const guarded = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw failed(shown, error);
    }
  };
  return {
    shown,
    add: (table, rows) => guarded(() => insert(wire, table, rows)),
    settle: () =>
      guarded(async () => {
        for (const { owner, name, text } of references) {
          await wire.send(`alter table "${owner}" add constraint "${name}" ${text}`);
        }
        await setSequences(wire);
      }),
    pages: (table) => pagesOf(wire, table),
    keep: () =>
      guarded(async () => {
        // Without it, the first plans would be those for empty tables.
        await wire.send("analyze");
        const { command } = await wire.send("COMMIT");
        if (command !== "COMMIT") throw new Error(`it answered COMMIT with ${command}`);
      }),
    close,
  };
}

async function insert(
  wire: Wire,
  { name, columns }: Shape,
  rows: readonly MovedRow[],
): Promise<void> {
  const values = columns.map((column) => rows.map((row) => row[column.name]));
  const arrays = columns.map(({ type }, i) => `$${i + 1}::${ARRAYS[type]}`).join(", ");
  const text = `insert into "${name}" (${listOf(columns.map((column) => column.name))}) ` +
    `select * from unnest(${arrays})`;
  await wire.send(text, values);
}

const ARRAYS = { INTEGER: "bigint[]", TEXT: "text[]" } as const;

/** Sets each sequence that numbers the rows of a table behind the highest number in it. */
export async function setSequences(wire: Wire): Promise<void> {
  const { rows } = await wire.send(
    `select quote_ident(sequence.relname) as sequence, quote_ident(owner.relname) as owner,
      quote_ident(attname) as name
      from pg_depend link join pg_class sequence on sequence.oid = link.objid
      join pg_class owner on owner.oid = link.refobjid
      join pg_attribute on attrelid = owner.oid and attnum = link.refobjsubid
      join pg_namespace place on place.oid = owner.relnamespace
      where sequence.relkind = 'S' and link.deptype in ('a', 'i') and nspname = current_schema()`,
  );
  for (const { sequence, owner, name } of rows) {
    await wire.send(
      `select setval('${sequence}', greatest(max(${name}), 0) + 1, false) from ${owner}`,
    );
  }
}

function failed(shown: string, thrown: unknown): unknown {
  const error = toStoreError(thrown);
  if (error instanceof ConfigError || !(error instanceof Error)) return error;
  const why = error.message.replace(/^Cannot use the database: /, "");
  return new ConfigError(`Cannot move data to ${JSON.stringify(shown)}: ${why}`, {
    hint: "Nothing was changed there. Check the source with: cli service check",
    cause: error,
  });
}
