/**
 * Databases on the server of the tests. `TEST_DATABASE` is the address of the server, and
 * `TEST_POOLER` that of a pooler in front of it.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { migrations } from "../../lib/service/store/migrations/mod.ts";
import { openDatabase } from "../../lib/service/store/mod.ts";
import type { Client } from "../../lib/service/store/postgres/pg.d.ts";

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
  // Many tests, and many services of one test, share the machine.
  url.searchParams.set("connect_timeout", "20");
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

/** Opens a connection. When it is lost, the next statement on it fails. */
export async function connectTo(address: string): Promise<Client> {
  // Loaded where it is needed: on SQLite nothing of it is.
  // @ts-types="../../lib/service/store/postgres/pg.d.ts"
  const { default: pg } = await import("pg");
  const client = new pg.Client(address);
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function connected<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectTo(address);
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
