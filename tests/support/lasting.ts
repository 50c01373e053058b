/**
 * A database that outlives the programs that open it, on the engine of the tests: a file in a folder,
 * or a database on the server.
 *
 * @module
 */

import { deepEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../lib/service/store/postgres/pg.d.ts";
import { connect } from "../../lib/service/store/sqlite/connection.ts";
import {
  addressOf,
  copyDatabase,
  createDatabase,
  createEmptyDatabase,
  dropDatabase,
  ENGINE,
  onDatabase,
} from "./engine.ts";

/** The administrator's secret for services on a server. In a data folder, the service makes one. */
export const SHARED_SECRET = "adm_of_all_processes";

/** A database that outlives the programs that open it. */
export interface Lasting {
  /** What opens it: a file, or an address. */
  readonly database: string;
  /** A folder for whatever else there is. A file of SQLite is in it. */
  readonly folder: string;
  /** The rows that a statement returns, past the store. */
  query(statement: string): Promise<Record<string, unknown>[]>;
  /** Fails when the database is damaged. No program may use it, but a killed one may have. */
  checkSound(): Promise<void>;
  /** A copy. No program may have the database open. */
  copy(): Promise<Lasting & AsyncDisposable>;
}

/**
 * Creates a database. It is removed when it is disposed of. An empty one gets its tables from the
 * program that opens it first.
 */
export async function openLasting({ empty = false } = {}): Promise<Lasting & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "lasting" });
  if (ENGINE === "sqlite") return fileIn(folder);
  return databaseNamed(await (empty ? createEmptyDatabase() : createDatabase()), folder);
}

/** Runs a test with a new database. */
export async function withLasting(test: (lasting: Lasting) => Promise<void>): Promise<void> {
  await using lasting = await openLasting();
  await test(lasting);
}

/** The file of SQLite in a data folder. */
function fileIn(folder: string): Lasting & AsyncDisposable {
  const database = join(folder, "service.db");
  const query = async (statement: string) => {
    const connection = connect(database);
    try {
      return await Promise.resolve(connection.rows(statement));
    } finally {
      connection.close();
    }
  };
  return {
    database,
    folder,
    query,
    async checkSound() {
      // A program that was killed early has not made it, and to look would leave an empty file.
      if (!existsSync(database)) return;
      deepEqual(await query("PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
      deepEqual(await query("PRAGMA foreign_key_check"), []);
    },
    async copy() {
      const copy = await Deno.makeTempDir({ prefix: "lasting" });
      await Deno.copyFile(database, join(copy, "service.db"));
      return fileIn(copy);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** A database on the server. */
function databaseNamed(name: string, folder: string): Lasting & AsyncDisposable {
  return {
    database: addressOf(name),
    folder,
    query: (statement) =>
      onDatabase(name, async (client) => {
        // As JSON, so that integers come as numbers.
        const wrapped = `select to_json(found) as row from (${statement}) as found`;
        const isQuery = /^\s*select/i.test(statement);
        const { rows } = await client.query(isQuery ? wrapped : statement);
        return isQuery ? rows.map(({ row }) => Object(row)) : rows;
      }),
    checkSound: () => onDatabase(name, waitForEnds),
    async copy() {
      const copy = await Deno.makeTempDir({ prefix: "lasting" });
      return databaseNamed(await copyDatabase(name), copy);
    },
    async [Symbol.asyncDispose]() {
      await dropDatabase(name);
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The longest time in which a server notices that a program was killed, in milliseconds. */
const NOTICE_MS = 10_000;

/**
 * Waits until the server has noticed the end of killed programs: the last commit of such a program
 * may still be on its way. The server keeps its files and keys sound by itself.
 */
async function waitForEnds(client: Client): Promise<void> {
  for (let waited = 0; waited < NOTICE_MS; waited += 20) {
    const { rows: [row] } = await client.query(
      `select count(*)::int as others from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type = 'client backend'`,
    );
    if (row?.others === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("Cannot check the database: a program still uses it");
}

/** Who leads and who has which secret differs from run to run, and says nothing about a project. */
const OF_PROCESSES: readonly unknown[] = ["leader", "secret_checks"];

/** All rows of all tables, by table, as sorted texts: but for the one of the processes. */
export async function dump(lasting: Lasting): Promise<Record<string, string[]>> {
  const names = await lasting.query(
    ENGINE === "sqlite"
      ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const tables: Record<string, string[]> = {};
  for (const name of names.map((row) => String(row.name)).sort()) {
    if (OF_PROCESSES.includes(name)) continue;
    const rows = await lasting.query(`SELECT * FROM "${name}"`);
    tables[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return tables;
}
