/**
 * An upgrade without downtime: a process of a newer version changes the tables while those of the
 * version before answer requests. Runs with `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { migrations } from "../../../../lib/service/store/migrations/mod.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { createPool } from "../../../../lib/service/store/postgres/driver.ts";
import { migrate } from "../../../../lib/service/store/postgres/migrate.ts";
import { directAddressOf, onDatabase, ONLY_POSTGRES } from "../../../support/engine.ts";
import { openTogether, type Together } from "../../../support/together.ts";

/** Changes a database as a newer version would: more columns in each table, an index, a table. */
async function upgrade(name: string): Promise<void> {
  const tables = await onDatabase(name, async (client) => {
    const { rows } = await client.query(
      "select tablename as name from pg_tables where schemaname = 'public' order by name",
    );
    return rows.map((row) => String(row.name)).filter((table) => table !== "schema_migrations");
  });
  const statements = tables.flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN added_number INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE ${table} ADD COLUMN added_text TEXT`,
  ]);
  const sql = [
    ...statements,
    "CREATE INDEX offerings_added ON offerings (project_id, added_number)",
    "CREATE TABLE additions (\n  id TEXT NOT NULL PRIMARY KEY,\n  number INTEGER\n) STRICT",
  ].join(";\n");
  const pool = createPool(readAddress(directAddressOf(name)), 1);
  const wire = await pool.take();
  try {
    const steps = [...migrations, { name: "additions", sql }];
    await migrate(wire, steps, { shown: name, now: Date.now() });
  } finally {
    wire.release(false);
    await pool.close();
  }
}

/** The type of each column that the upgrade added, without repetitions. */
async function addedTypes(name: string): Promise<string[]> {
  return await onDatabase(name, async (client) => {
    const { rows } = await client.query(
      `select distinct column_name || ' ' || data_type || coalesce(' ' || collation_name, '') as line
      from information_schema.columns where column_name like 'added_%' order by line`,
    );
    return rows.map(({ line }) => String(line));
  });
}

/** Sends requests of several kinds to all processes, many at once. Returns the statuses. */
async function work({ send, services, projectId }: Together, round: string): Promise<number[]> {
  const path = `/v2/projects/${projectId}`;
  const sent = services.flatMap((_, place) =>
    Array.from({ length: 8 }, async (_, i) => {
      const key = `${round}-${place}-${i}`;
      const offering = { lookup_key: key, display_name: key };
      const customer = { id: key };
      return [
        await send(place, "GET", `${path}/offerings?limit=5`),
        await send(place, "POST", `${path}/offerings`, offering),
        await send(place, "POST", `${path}/customers`, customer),
        await send(place, "GET", `${path}/customers/${key}`),
        await send(place, "GET", `${path}/metrics/overview`),
      ];
    })
  );
  const responses = (await Promise.all(sent)).flat();
  await Promise.all(responses.map((response) => response.body?.cancel()));
  return [...new Set(responses.map(({ status }) => status))].sort();
}

Deno.test(
  "processes answer all requests while a newer version adds columns to all tables",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(2);
    // All connections have prepared their statements for the tables as they are now.
    deepEqual(await work(all, "before"), [200, 201]);
    let upgrading = true;
    const upgraded = upgrade(all.database).finally(() => upgrading = false);
    let rounds = 0;
    while (upgrading) deepEqual(await work(all, `during-${rounds++}`), [200, 201]);
    await upgraded;
    ok(rounds > 0);
    deepEqual(await work(all, "after"), [200, 201]);
    const advanced = await all.send(0, "POST", `/_sim/projects/${all.projectId}/clock/advance`, {
      by: "P40D",
    });
    equal(advanced.status, 200, await advanced.text());
    deepEqual(await addedTypes(all.database), ["added_number bigint", "added_text text C"]);
    // The version before starts no more.
    await rejects(all.open(), /its schema version is 2, and this program supports up to 1/);
  },
);
