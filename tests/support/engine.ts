/**
 * The engine that the tests run on. `TEST_ENGINE=postgres` with `TEST_DATABASE=postgres://…` puts each
 * service on a database of its own, made from a template and dropped afterwards; otherwise SQLite is
 * the engine, and nothing is needed. With `TEST_POOLER=postgres://…` the services go through a pooler.
 *
 * @module
 */

import type { Client } from "../../lib/service/store/postgres/pg.d.ts";
import { createHash } from "node:crypto";
import { sql } from "kysely";
import {
  openService as openWithEngine,
  type Service,
  type ServiceOptions,
} from "../../lib/service/mod.ts";
import { migrations } from "../../lib/service/store/migrations/mod.ts";
import { openDatabase, type Store, type StoreOptions } from "../../lib/service/store/mod.ts";

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
 * or share it with programs that do.
 */
export async function openForTests(options: StoreOptions): Promise<Store> {
  if (ENGINE === "sqlite" || options.file !== ":memory:") return await openDatabase(options);
  return await openOnce(await createDatabase(), options);
}

/** Opens a new database on the server after a change of its tables. */
export async function openChanged(options: StoreOptions, change: string): Promise<Store> {
  const name = await createDatabase();
  await onDatabase(name, (client) => client.query(change));
  return await openOnce(name, options);
}

/** Opens a database that is dropped when the store is closed. */
async function openOnce(name: string, options: StoreOptions): Promise<Store> {
  const store = await openDatabase({ ...options, file: addressOf(name) });
  return {
    ...store,
    async close() {
      await store.close();
      await dropDatabase(name);
    },
  };
}

/** Whether the services reach the server through a pooler. */
export const POOLED: boolean = Deno.env.has("TEST_POOLER");

/** The address of a database on the server, for a service. */
export function addressOf(name: string): string {
  return beside(Deno.env.get("TEST_POOLER") ?? server(), name);
}

/** The address of a database on the server, without a pooler in between. */
export function directAddressOf(name: string): string {
  return beside(server(), name);
}

/** The address of a database beside another one. */
function beside(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

/** Makes a database with the schema, as quickly as the server can. Returns its name. */
export async function createDatabase(): Promise<string> {
  return await copyDatabase(await templateName());
}

/** Makes a copy of a database that nobody has open. Returns its name. */
export async function copyDatabase(name: string): Promise<string> {
  const copy = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  // Copies files: a third of the time of the other way, which writes each page into the log.
  const query = `create database ${copy} template ${name} strategy file_copy`;
  await onServer((client) => client.query(query));
  return copy;
}

/** Makes a database without tables. Returns its name. */
export async function createEmptyDatabase(): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await createNamedDatabase(name);
  return name;
}

/** Makes a database without tables under a name that the server's rules know. */
export async function createNamedDatabase(name: string): Promise<void> {
  await onServer((client) =>
    client.query(`create database ${name} encoding 'UTF8' template template0`)
  );
}

/** Drops a database, whoever uses it. */
export async function dropDatabase(name: string): Promise<void> {
  await onServer((client) => client.query(`drop database if exists ${name} with (force)`));
}

function server(): string {
  const address = Deno.env.get("TEST_DATABASE");
  if (address === undefined) {
    throw new Error(
      "Cannot test on PostgreSQL: set TEST_DATABASE to postgres://user@host:port/postgres",
    );
  }
  return address;
}

/** Does something on the server, on a connection for that alone. */
function onServer<T>(use: (client: Client) => Promise<T>): Promise<T> {
  return connected(server(), use);
}

/** Does something in a database, past the store. */
export function onDatabase<T>(name: string, use: (client: Client) => Promise<T>): Promise<T> {
  return connected(directAddressOf(name), use);
}

async function connected<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  // Loaded where it is needed: on SQLite nothing of it is.
  // @ts-types="../../lib/service/store/postgres/pg.d.ts"
  const { default: pg } = await import("pg");
  const client = new pg.Client(address);
  client.on("error", () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

let template: string | undefined;

/** The name of an empty database with this schema. The first who needs it makes it. */
async function templateName(): Promise<string> {
  if (template !== undefined) return template;
  const text = migrations.map(({ sql }) => sql).join();
  const name = `template_${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
  await onServer(async (client) => {
    // All test files start at once, each in a process of its own.
    await client.query("select pg_advisory_lock(1)");
    const known = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (known.rowCount !== 0) return;
    await client.query(`create database ${name}_new encoding 'UTF8' template template0`);
    await (await openDatabase({ file: directAddressOf(`${name}_new`) })).close();
    await client.query(`alter database ${name}_new rename to ${name}`);
  });
  return template = name;
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
