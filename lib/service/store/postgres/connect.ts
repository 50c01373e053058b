/**
 * The first connection to a database on a server: whether the database can be used, and whether a
 * pooler is in between that shares the server's connections between transactions.
 *
 * @module
 */

import { ConfigError } from "../../../errors.ts";
import type { Address } from "./address.ts";
import { createPool, type Pool, type Wire } from "./driver.ts";

/** The oldest version of the server that has all that is used. */
const OLDEST = 150_000;

/** What a pooler answers to the settings of a connection, unless it ignores them. */
const REFUSAL = /unsupported startup parameter/;

/** A database that can be used. */
interface Connected {
  /** Where it is, with the pooler that was found. */
  address: Address;
  /** Connections to it. */
  pool: Pool;
  /** One of them. */
  wire: Wire;
}

/**
 * Connects to a database; again, in another way, when there is a pooler that its address does not name.
 *
 * @param most How many connections there may be at most.
 * @throws {ConfigError} when the server or the database is not one that can be used.
 * @throws what the driver throws when there is no connection.
 */
export async function connect(named: Address, most: number): Promise<Connected> {
  for (let address = named;; address = { ...address, pooler: "transaction" }) {
    const connected = await connectOnce(address, most);
    if (connected) return connected;
  }
}

/** Connects to a database. Undefined when there is a pooler that the address does not name. */
async function connectOnce(address: Address, most: number): Promise<Connected | undefined> {
  const isKnown = address.pooler !== undefined;
  const pool = createPool(address, most);
  try {
    const wire = await pool.take("patient");
    try {
      const process = await checkServer(wire, address);
      // A pooler makes up the number that it tells.
      if (isKnown || process === wire.process) return { address, pool, wire };
    } catch (error) {
      wire.release(true);
      throw error;
    }
    wire.release(true);
  } catch (error) {
    if (isKnown || !(error instanceof Error) || !REFUSAL.test(error.message)) {
      await pool.close();
      throw error;
    }
  }
  await pool.close();
  return undefined;
}

/**
 * Checks that the server and the database can be used. Returns the number of the server's process.
 *
 * @throws {ConfigError} when they cannot.
 */
async function checkServer(wire: Wire, { shown }: Address): Promise<number> {
  const { rows: [server] } = await wire.send(
    "select cast(current_setting('server_version_num') as bigint) as number, " +
      "current_setting('server_version') as version, " +
      "current_setting('server_encoding') as encoding, pg_backend_pid() as process",
  );
  const why = Number(server?.number) < OLDEST
    ? `the server's version is ${server?.version}, and 15 is the oldest that works`
    : server?.encoding !== "UTF8"
    ? `its encoding is ${server?.encoding}, and must be UTF8`
    : undefined;
  if (why === undefined) return Number(server?.process);
  throw new ConfigError(`Cannot open the database ${JSON.stringify(shown)}: ${why}`, {
    hint: "Use another server, or a database made with: createdb --encoding UTF8 NAME",
  });
}
