/**
 * Opens the store on a PostgreSQL server: its schema, its writer, its reader, and the other processes.
 *
 * @module
 */

import { sql } from "kysely";
import { createCommitCounter } from "../commit_sizes.ts";
import { migrations } from "../migrations/mod.ts";
import { StoreError } from "../failure.ts";
import type { Arrays, Tx } from "../queries.ts";
import { guardStore, type Store, type StoreOptions } from "../store.ts";
import { type Address, readAddress } from "./address.ts";
import { learnArrays } from "./arrays.ts";
import { connect } from "./connect.ts";
import type { Pool, Wire } from "./driver.ts";
import type { KeyColumns } from "./errors.ts";
import { migrate, type MigrateOptions } from "./migrate.ts";
import { openOthers } from "./others.ts";
import { createReader } from "./reader.ts";
import { createStatistics } from "./statistics.ts";
import { unusable } from "./unusable.ts";
import { createWriter } from "./writer.ts";

/** Connections of one process: some are left over for writes while reads take all that they may. */
const MOST_CONNECTIONS = 10;
const MOST_READERS = 4;

/** What is said of a pooler that the address does not name. */
const FOUND_POOLER =
  "A connection pooler is in front of the database, so the processes look for each " +
  "other's events twice a second. To confirm it, add to the address: ?pooler=transaction";

/** What is said of a connection over a network that is not encrypted, and need not be. */
function plainText({ host }: Address): string {
  return `The connection to the database on ${host} is not encrypted. Add to the address: ` +
    "?sslmode=verify-full, and sslrootcert=FILE where the authority is your own; or sslmode=disable " +
    "if that is meant";
}

/**
 * Opens a database on a server, and brings its schema up to date.
 *
 * @throws {ConfigError} when it cannot be used, or its schema is newer than this version.
 */
export async function openPostgres(
  { file, clock = () => 0, stopwatch = clock, role = "all", say = () => {} }: StoreOptions,
): Promise<Store> {
  const named = readAddress(file);
  try {
    const { address, pool, wire } = await connect(named, MOST_CONNECTIONS);
    try {
      if (address.pooler !== named.pooler) say(FOUND_POOLER);
      if (named.isPlainUnasked) say(plainText(named));
      const known = await prepare(wire, { shown: address.shown, now: clock(), say });
      const others = await openOthers({ address, pool, clock, stopwatch, role });
      return guardStore(storeOn(pool, known, others));
    } catch (error) {
      await pool.close();
      throw error;
    }
  } catch (error) {
    throw unusable(named, error);
  }
}

/** What is known of the tables. */
interface Known {
  /** The columns of unique keys. */
  keys: KeyColumns;
  /** How to pass arrays. */
  arrays: Arrays;
}

function storeOn(
  pool: Pool,
  { keys, arrays }: Known,
  others: Awaited<ReturnType<typeof openOthers>>,
): Store {
  const statistics = createStatistics(pool);
  const reader = createReader(pool, () => keys, MOST_READERS);
  const commits = createCommitCounter();
  const committed = (rows: number, units: number): void => {
    statistics.changed(rows);
    commits.note(units);
  };
  const writer = createWriter({ pool, keys: () => keys, arrays, committed });
  return {
    others,
    figures: () => ({ commits: commits.sizes(), connections: pool.size() }),
    write: writer.run,
    read: reader.run,
    probe: (access) => access === "read" ? reader.run(look) : writer.run(touch),
    writeMuch: (run) => run(),
    shrinkLog: () => Promise.resolve(),
    async close() {
      await writer.idle();
      await reader.idle();
      await statistics.idle();
      await others.close();
      await pool.close();
    },
  };
}

/** Brings the schema up to date, and learns what there is of it. Releases the connection. */
async function prepare(wire: Wire, options: MigrateOptions): Promise<Known> {
  let broken = true;
  try {
    await migrate(wire, migrations, options);
    const known = { keys: await keyColumns(wire), arrays: await learnArrays(wire) };
    broken = false;
    return known;
  } finally {
    wire.release(broken);
  }
}

/** The columns of each unique key, by the name of its index, in the order of the key. */
async function keyColumns(wire: Wire): Promise<KeyColumns> {
  const { rows } = await wire.send(`
    select index.relname as key, owner.relname as owner, attribute.attname as name
    from pg_index
    join pg_class as index on index.oid = pg_index.indexrelid
    join pg_class as owner on owner.oid = pg_index.indrelid
    join pg_namespace as place on place.oid = owner.relnamespace
    cross join lateral unnest(pg_index.indkey) with ordinality as part (number, position)
    join pg_attribute as attribute
      on attribute.attrelid = owner.oid and attribute.attnum = part.number
    where pg_index.indisunique and place.nspname = current_schema()
    order by index.relname, part.position`);
  const keys = new Map<string, string[]>();
  for (const { key, owner, name } of rows) {
    const columns = keys.get(String(key)) ?? [];
    columns.push(`${owner}.${name}`);
    keys.set(String(key), columns);
  }
  return keys;
}

/** Reads a row. */
async function look(tx: Tx): Promise<void> {
  await tx.selectFrom("accounts").select("id").limit(1).execute();
}

/**
 * Takes a number for the transaction, which makes its commit go to the disk. A transaction that may
 * only read could take one as well, except on a standby.
 */
async function touch(tx: Tx): Promise<void> {
  const { rows: [taken] } = await sql<{ id: string | null }>`
    select case when current_setting('transaction_read_only') = 'off'
      then cast(pg_current_xact_id() as text) end as id`.execute(tx);
  if (taken?.id !== null) return;
  const why = "the server takes no changes: transaction_read_only is on";
  throw new StoreError(`Cannot write the database: ${why}`, {
    failure: "read_only",
    detail: why,
  });
}
