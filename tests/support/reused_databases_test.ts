import { deepEqual, equal, notEqual } from "node:assert/strict";
import { ONLY_POSTGRES, openService } from "./engine.ts";
import { dropFree, giveBack, takeDatabase } from "./reused_databases.ts";
import {
  addressOf,
  connectTo,
  createDatabase,
  directAddressOf,
  dropDatabase,
} from "./server_databases.ts";
import { onDatabase, POOLED } from "./server_databases.ts";
import type { Client } from "../../lib/service/store/postgres/pg.d.ts";

/** A pooler keeps connections open, so nothing is reused behind one. */
const REUSES = { ignore: ONLY_POSTGRES.ignore || POOLED };

/** Everything that a test could find in a database. */
async function contentsOf(client: Client): Promise<Record<string, unknown[]>> {
  const contents: Record<string, unknown[]> = {};
  const look = async (name: string, text: string) => {
    contents[name] = (await client.query(text)).rows;
  };
  const { rows: tables } = await client.query(
    "select cast(oid::regclass as text) as name from pg_class where oid >= 16384 and relkind = 'r'",
  );
  for (const { name } of tables) await look(`rows of ${name}`, `select * from ${name}`);
  await look("sequences", "select * from pg_sequences order by 1, 2");
  await look(
    "columns",
    "select attrelid, attname, atttypid, attnotnull, atthasdef, attcollation from pg_attribute " +
      "order by 1, attnum",
  );
  await look("routines", "select oid from pg_proc where oid >= 16384");
  await look("triggers", "select tgrelid, tgname, tgenabled from pg_trigger order by 1, 2");
  await look("conditions", "select conname, contype, convalidated from pg_constraint order by 1");
  await look("indexes", "select indexrelid, indisvalid, indisunique from pg_index order by 1");
  await look("statistics", "select starelid from pg_statistic where starelid >= 16384");
  await look(
    "sizes",
    "select relname, relpages, reltuples from pg_class where oid >= 16384 order by 1",
  );
  await look("settings", "select setconfig from pg_db_role_setting");
  await look(
    "locks",
    "select objid from pg_locks where locktype = 'advisory' and database = " +
      "(select oid from pg_database where datname = current_database())",
  );
  return contents;
}

/** Takes a database, and gives it back after a change. Returns its name, and that of the next one. */
async function changed(change: (name: string) => Promise<unknown>): Promise<[string, string]> {
  // The next one would be one that an earlier test gave back.
  await dropFree();
  const name = await takeDatabase();
  await change(name);
  await giveBack(name);
  const next = await takeDatabase();
  await giveBack(next);
  return [name, next];
}

Deno.test("a database that is used again is like a new one, after any use", REUSES, async () => {
  const made = await createDatabase();
  const usual = await onDatabase(made, contentsOf);
  await dropDatabase(made);
  // The next one would be one that an earlier test gave back.
  await dropFree();
  for (let round = 0; round < 3; round++) {
    const name = await takeDatabase();
    for (const [what, rows] of Object.entries(await onDatabase(name, contentsOf))) {
      deepEqual(rows, usual[what], what);
    }
    {
      await using service = await openService({ database: addressOf(name) });
      const { access_token } = await service.oauth.issueToken({ rotates: false });
      const headers = {
        Authorization: `Bearer ${access_token}`,
        "Content-Type": "application/json",
      };
      const url = `http://127.0.0.1:4010/v2/projects/${service.projectId}/customers`;
      for (let i = 0; i < 20; i++) {
        const body = JSON.stringify({ id: `customer-${i}` });
        const answer = await service.fetch(new Request(url, { method: "POST", headers, body }));
        equal(answer.status, 201);
      }
    }
    // A table of more than ten pages is emptied in another way.
    await onDatabase(
      name,
      (client) =>
        client.query(
          "insert into settings select n, repeat('x', 900) from generate_series(1, 150) n",
        ),
    );
    await onDatabase(name, async (client) => {
      await client.query("update schema_migrations set name = 'extra'");
      await client.query("delete from client_redirect_uris");
    });
    await giveBack(name);
    const next = await takeDatabase();
    equal(next, name, "it was used again");
    await giveBack(next);
  }
});

/** What a test may leave behind besides rows. */
const REMAINS: Readonly<Record<string, string>> = {
  "a table": "create table extra (n int)",
  "a column": "alter table customers add column extra text",
  "a default": "alter table customers alter column id set default 'x'",
  "a column that may be null": "alter table customers alter column first_seen_at drop not null",
  "a condition less": "alter table settings drop constraint settings_pkey",
  "an index": "create index extra on settings (value)",
  "a function": "create function extra() returns int language sql as 'select 1'",
  "a trigger":
    "create function extra() returns trigger language plpgsql as 'begin return new;end'; " +
    "create trigger extra before insert on settings for each row execute function extra()",
  "a trigger that is off": "alter table customers disable trigger all",
  "a sequence": "create sequence extra",
  "a type": "create type extra as enum ('a')",
  "a schema": "create schema extra",
  "a view": "create view extra as select 1",
  "statistics": "insert into settings values ('a', 'b'); analyze settings",
  "a vacuumed table": "insert into settings values ('a', 'b'); vacuum settings",
  "a setting": "do $$ begin execute format('alter database %I set work_mem = 1024', " +
    "current_database()); end $$",
};

for (const [what, change] of Object.entries(REMAINS)) {
  Deno.test(`a database with ${what} left behind is not used again`, REUSES, async () => {
    const [name, next] = await changed((name) =>
      onDatabase(name, async (client) => {
        for (const statement of change.startsWith("do ") ? [change] : change.split("; ")) {
          await client.query(statement);
        }
      })
    );
    notEqual(next, name);
  });
}

Deno.test("a database that somebody still uses is not used again", REUSES, async () => {
  let client: Client | undefined;
  const [name, next] = await changed(async (name) => {
    client = await connectTo(directAddressOf(name));
  });
  notEqual(next, name);
  await client?.end().catch(() => {});
});
