/**
 * Years of several projects at once, by one or more processes, in a file or on a server.
 *
 * Run as a program with a database and projects, it says when it is ready, lets the years of these
 * projects pass when it is told so, and says when they have.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { openDatabase, type Store } from "../../lib/service/store/mod.ts";
import type { PostgresServer } from "../postgres/server.ts";
import { linesOf, startDeno } from "./child.ts";
import { elapsed } from "./measure.ts";
import { passYear, sellSubscriptions } from "./year.ts";

/** A new database on a server. */
export interface ServerPlace {
  /** The folder of PostgreSQL's programs. */
  bin: string;
  /** The server. */
  server: PostgresServer;
  /** The name of the database. */
  name: string;
}

/** A database: a file, or one on a server. */
export type Place = { file: string } | ServerPlace;

/** What opens a database. */
function databaseAt(place: Place): string {
  return "file" in place ? place.file : place.server.address(place.name);
}

/** Makes a database on a server, empty or as a copy of another one that nobody has open. */
export async function createDatabase(
  { bin, server, name }: ServerPlace,
  template = "template0",
): Promise<void> {
  const args = ["--template", template, "--maintenance-db", server.address("postgres"), name];
  const { success, stderr } = await new Deno.Command(join(bin, "createdb"), { args }).output();
  if (!success) throw new Error(`createdb has failed: ${new TextDecoder().decode(stderr)}`);
}

/** Makes a database with projects that have sold so many subscriptions each. */
export async function sellYears(
  place: Place,
  projects: readonly string[],
  subscriptions: number,
): Promise<void> {
  if (!("file" in place)) await createDatabase(place);
  await inStore(databaseAt(place), async (store) => {
    for (const project of projects) await sellSubscriptions(store, subscriptions, project);
  });
}

/** A copy of a database, under another name. */
export async function copyOfYears(place: Place, name: string): Promise<Place> {
  if ("file" in place) {
    const file = join(dirname(place.file), `${name}.db`);
    await Deno.copyFile(place.file, file);
    return { file };
  }
  const copy = { ...place, name };
  await createDatabase(copy, place.name);
  return copy;
}

/**
 * Lets the years of projects pass, those of each list in a process of its own, all at once. Returns the
 * renewals per second.
 */
export async function renewalsPerSecond(
  place: Place,
  lists: readonly (readonly string[])[],
): Promise<number> {
  const database = databaseAt(place);
  await using stack = new AsyncDisposableStack();
  const flags = ["--no-check", "--no-prompt", "--allow-net=127.0.0.1", "--allow-env"];
  const script = fileURLToPath(import.meta.url);
  const args = ["--quiet", ...flags, "--allow-read", "--allow-write", script, database];
  const processes = lists.map((projects) => stack.use(startDeno([...args, ...projects])));
  for (const process of processes) await process.line();
  const ms = await elapsed(() =>
    Promise.all(processes.map(async (process) => {
      await process.say("go");
      await process.line();
    }))
  );
  let renewals = 0;
  await inStore(database, async (store) => {
    renewals = await countRenewals(store);
  });
  if (renewals === 0) throw new Error("Cannot trust the years: nothing was renewed");
  return renewals / ms * 1000;
}

async function countRenewals(store: Store): Promise<number> {
  return await store.read(async (tx) => {
    const { rows: [row] } = await sql<{ n: number }>`
      select count(*) as n from events where type = 'RENEWAL'`.execute(tx);
    return Number(row?.n);
  });
}

async function inStore(database: string, use: (store: Store) => Promise<void>): Promise<void> {
  const stopwatch = () => performance.now();
  const store = await openDatabase({ file: database, clock: Date.now, stopwatch });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

if (import.meta.main) {
  const [database = "", ...projects] = Deno.args;
  await inStore(database, async (store) => {
    console.log("ready");
    await linesOf(Deno.stdin.readable).next();
    await Promise.all(projects.map((project) => passYear(store, project)));
    console.log("through");
  });
}
