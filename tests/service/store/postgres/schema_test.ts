import { deepEqual, notDeepEqual, ok } from "node:assert/strict";
import {
  createDatabase,
  dropDatabase,
  onDatabase,
  ONLY_POSTGRES,
} from "../../../support/engine.ts";
import { inPostgresWords, type Lines, readPostgres, readSqlite } from "../../../support/schemas.ts";

/** What a step that is for one engine only would do there, and where it shows. */
const CHANGES: readonly (readonly [keyof Lines, string])[] = [
  ["columns", "alter table customers add more text"],
  ["columns", "alter table customers drop column last_seen_country"],
  ["columns", "alter table customers alter first_seen_at drop not null"],
  ["columns", "alter table customers alter seq type integer"],
  ["columns", 'alter table customers alter last_seen_country type text collate "default"'],
  ["columns", "alter table entitlements alter state set default 'inactive'"],
  ["columns", "create table more (id text)"],
  ["keys", "alter table accounts drop constraint accounts_email_key"],
  ["keys", "alter table customers add unique (project_id, first_seen_at)"],
  ["keys", "drop index deliveries_first"],
  ["indexes", "alter index deliveries_first rename to deliveries_foremost"],
  ["references", "alter table apps drop constraint apps_project_id_fkey"],
  ["references", "alter table grants add foreign key (client_id) references clients (id)"],
  ["conditions", "alter table accounts drop constraint accounts_has_mfa_check"],
  ["conditions", "alter table accounts add check (email <> '')"],
  [
    "predicates",
    "drop index deliveries_ready; create index deliveries_ready on deliveries " +
    "(project_id, integration_id, ready_at, seq) where ready_at is null",
  ],
];

Deno.test(
  "both engines have the same columns, keys, references and rules",
  ONLY_POSTGRES,
  async () => {
    const { checks, wheres, ...own } = readSqlite();
    ok(checks.length >= 60 && wheres.length >= 10 && own.references.length >= 50);
    const name = await createDatabase();
    try {
      await onDatabase(name, async (client) => {
        const expected: Lines = {
          ...own,
          conditions: await inPostgresWords(client, checks),
          predicates: await inPostgresWords(client, wheres),
        };
        deepEqual(await readPostgres(client), expected);
        for (const [kind, statement] of CHANGES) {
          await client.query("begin");
          await client.query(statement);
          const changed = await readPostgres(client);
          notDeepEqual(changed[kind], expected[kind], statement);
          await client.query("rollback");
        }
      });
    } finally {
      await dropDatabase(name);
    }
  },
);
