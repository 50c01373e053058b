/**
 * The engine that the tests run on. `TEST_ENGINE=postgres` with `TEST_DATABASE=postgres://…` puts each
 * service on a database of its own, made from a template and dropped afterwards; otherwise SQLite is
 * the engine, and nothing is needed. With `TEST_POOLER=postgres://…` the services go through a pooler.
 *
 * @module
 */

import { sql } from "kysely";
import {
  openService as openWithEngine,
  type Service,
  type ServiceOptions,
} from "../../lib/service/mod.ts";
import { openDatabase, type Store, type StoreOptions } from "../../lib/service/store/mod.ts";
import { giveBack, takeDatabase } from "./reused_databases.ts";
import { addressOf, onDatabase } from "./server_databases.ts";

export {
  addressOf,
  copyDatabase,
  createDatabase,
  createEmptyDatabase,
  createNamedDatabase,
  directAddressOf,
  dropDatabase,
  onDatabase,
  POOLED,
} from "./server_databases.ts";

/** The engine that the tests run on. */
export const ENGINE: "sqlite" | "postgres" = Deno.env.get("TEST_ENGINE") === "postgres"
  ? "postgres"
  : "sqlite";

/**
 * Registers a test of something that only SQLite has. On PostgreSQL it is skipped, and the program
 * that runs the tests prints its name with the reason.
 */
export function testOnSqlite(name: string, reason: string, test: () => void | Promise<void>): void {
  const ignore = ENGINE !== "sqlite";
  const list = Deno.env.get("TEST_SKIPPED");
  if (ignore && list !== undefined) {
    Deno.writeTextFileSync(list, `${name}: ${reason}\n`, { append: true, create: true });
  }
  Deno.test({ name, ignore, fn: test });
}

/** Whether a test is about several processes on one database, or a server's end. */
export const ONLY_POSTGRES: { ignore: boolean } = { ignore: ENGINE !== "postgres" };

/** A service of a test. At the end of its scope it closes. */
export interface TestService extends Service, AsyncDisposable {}

/**
 * Opens a service on the engine of the tests, in memory unless the options name a database. This is the
 * one way for tests. At the end of its scope an internal error that the service reported is thrown,
 * unless the test passes a `report` of its own.
 */
export async function openService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const faults: unknown[] = [];
  const service = await openWithEngine({
    database: ":memory:",
    open: openForTests,
    report: (error) => faults.push(error),
    ...options,
  });
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      await service.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}

/**
 * Opens a database on the engine of the tests. A file stays one: tests that name it are about files,
 * or share it with programs that do. Rows without an order come backwards.
 */
export async function openForTests(options: StoreOptions): Promise<Store> {
  if (ENGINE === "sqlite" || options.file !== ":memory:") {
    return await openDatabase({ backwards: true, ...options });
  }
  return await openOnce(await takeDatabase(), options);
}

/** Opens a new database on the server after a change of its tables. */
export async function openChanged(options: StoreOptions, change: string): Promise<Store> {
  const name = await takeDatabase();
  await onDatabase(name, (client) => client.query(change));
  return await openOnce(name, options);
}

/** Opens a database that is given back when the store is closed. */
async function openOnce(name: string, options: StoreOptions): Promise<Store> {
  const store = await openDatabase({ ...options, file: addressOf(name) });
  return {
    ...store,
    async close() {
      await store.close();
      await giveBack(name);
    },
  };
}

/** Makes each new row of a table fail, with an error that names the table. */
export async function breakInserts(store: Store, table: string): Promise<void> {
  const message = sql.lit(`${table} is broken`);
  const steps = ENGINE === "sqlite"
    ? [sql`create trigger broken before insert on ${sql.table(table)}
      begin select raise(abort, ${message}); end`]
    : [
      sql`create function break_it() returns trigger language plpgsql as
        ${sql.lit(`begin raise exception '${table} is broken'; end`)}`,
      sql`create trigger broken before insert on ${sql.table(table)}
        for each row execute function break_it()`,
    ];
  await store.write(async (tx) => {
    for (const step of steps) await step.execute(tx);
  });
}
