/**
 * Two projects that share every key: the second one is a copy of the first, row by row.
 *
 * @module
 */

import { deepEqual } from "node:assert/strict";
import { CompiledQuery, sql, SqliteAdapter } from "kysely";
import { SHARED_TABLES } from "../../lib/service/store/tables.ts";
import type { Store, Tx } from "../../lib/service/store/mod.ts";

/** Ids of a second project: one comes before all others in every index, one after them. */
export const TWINS = { before: "proj!twin", after: "proj~twin" } as const;

/** What stands in texts of the second project, and nowhere else. */
export const MARK = "OfTheTwin";

/** Columns of texts that are marked in the second project, as no key is made of them. */
const TEXTS = [
  "display_name",
  "title",
  "description",
  "value",
  "last_seen_app_version",
  "payload",
  "action_type",
  "response_body",
];

/** A moment at which nothing is sent any more, in milliseconds since 1970. */
const NEVER = 1e15;

/** Tables in which each key belongs to one project alone, whatever the project. */
const UNIQUE: Readonly<Record<string, string>> = { app_keys: "key" };

/** Copies a project with all that it holds. Nobody has a seat in the copy, and its time stands. */
export async function copyProject(
  store: Store,
  from: string,
  to: { id: string; now: number },
): Promise<void> {
  await store.write(async (tx) => {
    await deferKeys(tx);
    for (const table of await projectTables(tx)) {
      const { rows } = await sql<Record<string, unknown>>`
        select * from ${sql.table(table)} where ${ownColumn(table)} = ${from}`.execute(tx);
      for (const row of rows) await insert(tx, table, { ...row, ...changesOf(table, row, to) });
    }
  });
}

/** All rows of a project as text, by table. */
export async function rowsOfProject(store: Store, id: string): Promise<Record<string, string>> {
  return await store.read(async (tx) => {
    const all: Record<string, string> = {};
    for (const table of await projectTables(tx)) {
      const { rows } = await sql`
        select * from ${sql.table(table)} where ${ownColumn(table)} = ${id}
        `.execute(tx);
      all[table] = rows.map((row) => JSON.stringify(row)).sort().join("\n");
    }
    return all;
  });
}

/** Compares the rows of a project with the earlier ones. `after` names what may have changed them. */
export async function checkUntouched(
  store: Store,
  id: string,
  before: Record<string, string>,
  after?: string,
): Promise<void> {
  for (const [table, rows] of Object.entries(await rowsOfProject(store, id))) {
    if (rows === before[table]) continue;
    const was = (before[table] ?? "").split("\n");
    const now = rows.split("\n");
    const gone = was.filter((row) => !now.includes(row));
    const come = now.filter((row) => !was.includes(row));
    deepEqual({ after, table, come, gone }, { after, table, come: [], gone: [] });
  }
}

/** Removes a project with all that it holds. */
export async function removeProject(store: Store, id: string): Promise<void> {
  await store.write(async (tx) => {
    await deferKeys(tx);
    for (const table of await projectTables(tx)) {
      await sql`delete from ${sql.table(table)} where ${ownColumn(table)} = ${id}`.execute(tx);
    }
  });
}

/** Puts the rows of a project behind all others, where no index gives them an order. */
export async function moveBehind(store: Store, id: string): Promise<void> {
  const rows = await rowsOfProject(store, id);
  await removeProject(store, id);
  await restoreProject(store, rows);
}

/** Puts the rows of a project back that were removed. */
export async function restoreProject(store: Store, rows: Record<string, string>): Promise<void> {
  await store.write(async (tx) => {
    await deferKeys(tx);
    for (const [table, lines] of Object.entries(rows)) {
      for (const line of lines.split("\n").filter(Boolean)) {
        await insert(tx, table, JSON.parse(line));
      }
    }
  });
}

/** Whether the database is a file, also where tests run on a server. */
function isSqlite(tx: Tx): boolean {
  return tx.getExecutor().adapter instanceof SqliteAdapter;
}

/** Lets keys point nowhere for the rest of the transaction. */
async function deferKeys(tx: Tx): Promise<void> {
  const deferred = isSqlite(tx)
    ? sql`pragma defer_foreign_keys = on`
    // Only a few of the server's keys can wait; this switches the checks off.
    : sql`set local session_replication_role = replica`;
  await deferred.execute(tx);
}

/** The tables that hold rows of projects, as the database itself lists them. */
async function projectTables(tx: Tx): Promise<string[]> {
  const columns = isSqlite(tx)
    ? sql<{ table: string; name: string }>`
      select m.name as "table", c.name as name from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like 'sqlite_%'`
    : sql<{ table: string; name: string }>`
      select table_name as "table", column_name as name from information_schema.columns
      where table_schema = 'public'`;
  const { rows } = await columns.execute(tx);
  const shared: readonly string[] = SHARED_TABLES;
  const own = rows.filter(({ table, name }) =>
    !shared.includes(table) && (table === "projects" || name === "project_id")
  );
  return [...new Set(own.map(({ table }) => table))].sort();
}

function ownColumn(table: string) {
  return sql.ref(table === "projects" ? "id" : "project_id");
}

function changesOf(
  table: string,
  row: Record<string, unknown>,
  { id, now }: { id: string; now: number },
): Record<string, unknown> {
  if (table === "projects") {
    const clock = { clock_frozen_at: now, clock_advancing_to: null };
    return { id, seq: id === TWINS.before ? 0 : 99, name: MARK, ...clock };
  }
  const unique = UNIQUE[table];
  const texts = TEXTS.filter((column) => typeof row[column] === "string")
    .map((column) => [column, marked(column, String(row[column]))]);
  return {
    ...Object.fromEntries(texts),
    project_id: id,
    ...unique !== undefined && { [unique]: `${row[unique]}${MARK}${id}` },
    // Its own events would show whose they are.
    ...table === "webhook_integrations" && { url: `${row["url"]}?${MARK}` },
    // Nothing is sent in the copy.
    ...table === "deliveries" && { lease: null, ready_at: row["ready_at"] === null ? null : NEVER },
    ...table === "collaborators" && { account_id: null, accepted_at: null },
  };
}

/** A text with the mark; what is JSON stays JSON. */
function marked(column: string, text: string): string {
  return column === "payload" ? text.replace(/}$/, `,"${MARK}":1}`) : `${text} ${MARK}`;
}

async function insert(tx: Tx, table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row).map((name) => `"${name}"`).join(", ");
  const places = Object.keys(row).map(() => "?").join(", ");
  const text = `insert into "${table}" (${names}) values (${places})`;
  await tx.getExecutor().executeQuery(CompiledQuery.raw(text, Object.values(row)));
}
