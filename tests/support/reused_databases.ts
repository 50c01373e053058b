/**
 * Databases that tests use one after the other. To make a database takes the server longer than most
 * tests take. So a database that is given back is emptied, and the next test gets it, unless it differs
 * from a new one in anything but its rows: then it is dropped.
 *
 * @module
 */

import type { Client } from "../../lib/service/store/postgres/pg.d.ts";
import {
  connectTo,
  createDatabase,
  directAddressOf,
  dropDatabase,
  POOLED,
} from "./server_databases.ts";

/** A database that no test uses, or one does. */
interface Reused {
  /** Its name. */
  name: string;
  /** A connection to it, to empty it on. */
  client: Client;
}

/** So many wait for a test at most. */
const MOST_IDLE = 8;

/** How long the connections of a service may take to end after it was closed, in milliseconds. */
const ENDS_MS = 4000;

/** The server plans for a new table as for one of this size, in pages. Larger ones are truncated. */
const MOST_PAGES = 10;

/** The databases in use, by name. */
const used = new Map<string, Reused>();

/** Those that are free, or will be. Undefined comes of one that had to be dropped. */
const free: Promise<Reused | undefined>[] = [];

/** A new database. */
interface Fresh {
  /** Its state, but for the rows. */
  state: string;
  /** Statements that write the rows that the schema itself brings. */
  rows: string[];
}

/** What a new database has. All are copies of one. */
let fresh: Fresh | undefined;

/** Takes a database with the schema and no rows. Returns its name. */
export async function takeDatabase(): Promise<string> {
  if (POOLED) return await createDatabase();
  for (let next = free.shift(); next; next = free.shift()) {
    const found = await next;
    if (found) return use(found);
  }
  const name = await createDatabase();
  const client = await connectTo(directAddressOf(name));
  fresh ??= { state: await stateOf(client), rows: await rowsOf(client) };
  return use({ name, client });
}

/** Gives a database back that nothing uses any more. */
export async function giveBack(name: string): Promise<void> {
  const found = used.get(name);
  used.delete(name);
  if (found === undefined) return await dropDatabase(name);
  if (free.length < MOST_IDLE) return void free.push(empty(found));
  await drop(found);
}

/** Drops the databases that no test uses. */
export async function dropFree(): Promise<void> {
  for (const one of free.splice(0)) {
    const found = await one;
    if (found) await drop(found);
  }
}

function use(found: Reused): string {
  used.set(found.name, found);
  return found.name;
}

async function drop({ name, client }: Reused): Promise<void> {
  await client.end().catch(() => {});
  await dropDatabase(name);
}

/** Empties a database. Undefined: it differs from a new one, or is in use, and was dropped. */
async function empty(found: Reused): Promise<Reused | undefined> {
  try {
    if (await isAlone(found.client) && await deleteRows(found.client)) return found;
  } catch {
    // Such as a connection that a test has ended.
  }
  await drop(found).catch(() => {});
  return undefined;
}

/** Waits until no other connection to the database is left. False: one stays. */
async function isAlone(client: Client): Promise<boolean> {
  for (const end = Date.now() + ENDS_MS; Date.now() < end;) {
    const { rows: [others] } = await client.query({
      name: "others",
      text: "select numbackends as n from pg_stat_database where datname = current_database()",
    });
    if (Number(others?.n) === 1) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

/** Deletes the rows of tests. False, and nothing deleted, when the database differs from a new one. */
async function deleteRows(client: Client): Promise<boolean> {
  if (fresh === undefined || await stateOf(client) !== fresh.state) return false;
  const { rows: tables } = await client.query({ name: "tables", text: TABLES });
  const large = tables.filter(({ pages }) => Number(pages) > MOST_PAGES);
  const small = tables.filter(({ pages }) => Number(pages) <= MOST_PAGES);
  await client.query([
    "begin",
    // Neither foreign keys nor triggers are looked at.
    "set local session_replication_role = replica",
    ...large.length > 0 ? [`truncate ${large.map(({ name }) => name).join()} cascade`] : [],
    ...small.map(({ name }) => `delete from ${name}`),
    ...fresh.rows,
    SEQUENCES,
    "commit",
  ].join("; "));
  return true;
}

/** The statements that write the rows of a database again. */
async function rowsOf(client: Client): Promise<string[]> {
  const statements: string[] = [];
  for (const { name } of (await client.query(TABLES)).rows) {
    const { rows: [all] } = await client.query(
      `select quote_literal(cast(json_agg(one) as text)) as rows from ${name} as one`,
    );
    statements.push(
      `insert into ${name} select * from json_populate_recordset(cast(null as ${name}), ${all?.rows})`,
    );
  }
  return statements;
}

/** The tables that rows were written to, with their sizes. */
const TABLES = `select cast(oid::regclass as text) as name, pg_relation_size(oid) / 8192 as pages
  from pg_class where relkind = 'r' and oid >= 16384
    and pg_relation_size(oid) > 0`;

/** Sets the sequences that were used back. */
const SEQUENCES =
  `select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
  from pg_sequences where last_value is not null`;

/** Catalogs whose rows change only together with the schema, the statistics or the settings. */
const CATALOGS = [
  "pg_attribute",
  "pg_attrdef",
  "pg_index",
  "pg_constraint",
  "pg_trigger",
  "pg_proc",
  "pg_type",
  "pg_namespace",
  "pg_rewrite",
  "pg_policy",
  "pg_extension",
  "pg_event_trigger",
  "pg_collation",
  "pg_operator",
  "pg_cast",
  "pg_description",
  "pg_statistic",
  "pg_statistic_ext",
  "pg_largeobject_metadata",
  "pg_db_role_setting",
];

/** The columns of `pg_class` that a truncated table keeps. */
const CLASS = [
  "oid",
  "relname",
  "relnamespace",
  "relkind",
  "relpersistence",
  "relnatts",
  "relchecks",
  "relhasrules",
  "relhastriggers",
  "relrowsecurity",
  "reloptions",
  "relpages",
  "reltuples",
];

/** Everything in a database but the rows of the service's tables, as a short text. */
const STATE = `select concat_ws(' ', ${
  [
    ...CATALOGS.map((name) =>
      `(select count(*) || '/' || max(cast(cast(xmin as text) as bigint)) from ${name})`
    ),
    `(select md5(string_agg(concat_ws(',', ${CLASS.join()}), ' ' order by oid))
      from pg_class where oid >= 16384)`,
  ].join()
}) as state`;

async function stateOf(client: Client): Promise<string> {
  const { rows: [row] } = await client.query({ name: "state", text: STATE });
  return String(row?.state);
}
