import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { createWebhook } from "../../../lib/resources/webhooks.ts";
import { checkAll, checkDatabase, invariants } from "../../../lib/service/check/check.ts";
import type { Violation } from "../../../lib/service/check/invariant.ts";
import { placeOf } from "../../../lib/service/store/frozen.ts";
import { migrations } from "../../../lib/service/store/migrations/mod.ts";
import { schemaAfter } from "../../../lib/service/store/move/tables.ts";
import { readAddress } from "../../../lib/service/store/postgres/address.ts";
import { connect as connectTo } from "../../../lib/service/store/postgres/connect.ts";
import { createSession } from "../../../lib/service/store/postgres/session.ts";
import { readRules } from "../../../lib/service/store/rules.ts";
import { connect } from "../../../lib/service/store/sqlite/connection.ts";
import type { Tx } from "../../../lib/service/store/queries.ts";
import { runWork } from "../../../lib/service/store/work.ts";
import { ENGINE } from "../../support/engine.ts";
import { openDesk } from "../../support/harness.ts";
import { openLawless, verdictOn } from "../../support/lawless.ts";
import { move, withNewDatabase } from "../../support/move_fixture.ts";
import { makePopulation } from "../../support/population_fixture.ts";
import { differencesBetween, FAULTS, FAULTY, NOW, statementsFor } from "../../support/meddling.ts";
import { inFolder } from "../../support/store_fixture.ts";
import { copyProject, TWINS } from "../../support/twin_project.ts";
import { VIOLATIONS } from "../../support/violations.ts";

/**
 * Makes a database with rows in all tables that invariants are about, with a second project of the same
 * ids if one is named. Returns the id of the first one.
 */
async function makeDatabase(folder: string, twin?: string): Promise<string> {
  await using desk = await openDesk({
    database: join(folder, "service.db"),
    clock: () => NOW,
    webhookTargets: "loopback",
  });
  // A receiver that refuses everything, so deliveries stay pending.
  await using receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(null, { status: 503 }),
  );
  await createWebhook(desk.client, {
    name: "All",
    url: `http://127.0.0.1:${receiver.addr.port}/hook`,
    event_types: ["initial_purchase", "renewal", "cancellation", "expiration"],
  });
  await makePopulation(desk.service, { customers: 120 });
  const { service: { store, deliverer }, projectId } = desk;
  await deliverer.idle();
  if (twin !== undefined) await copyProject(store, projectId, { id: twin, now: NOW });
  return projectId;
}

/** What is wrong in a database after some statements, which are undone. */
interface Patient {
  /** The names of the broken invariants, of all or some, each with its first rows. */
  after(
    statements: readonly string[],
    among?: readonly string[],
  ): Promise<Record<string, readonly Violation[]>>;
}

/** Runs a test with a database on the engine of the tests. */
async function withPatient(
  folder: string,
  test: (patient: Patient) => Promise<void>,
): Promise<void> {
  if (ENGINE === "sqlite") return await withFile(join(folder, "service.db"), test);
  await withNewDatabase(async (address) => {
    await move(folder, address);
    const { pool, wire } = await connectTo(readAddress(address), 1);
    await test({
      async after(statements, among) {
        await wire.send("begin");
        await wire.send("set local session_replication_role = replica");
        for (const statement of statements) await wire.send(statement);
        const session = createSession(wire, new Map());
        const broken = await runWork(session, (tx) => brokenIn(tx, among), "read");
        await wire.send("rollback");
        return broken;
      },
    });
    wire.release(false);
    await pool.close();
  });
}

async function withFile(file: string, test: (patient: Patient) => Promise<void>): Promise<void> {
  const connection = connect(file);
  connection.rows("PRAGMA foreign_keys = OFF");
  connection.rows("PRAGMA ignore_check_constraints = ON");
  await test({
    async after(statements, among) {
      connection.run("BEGIN");
      for (const statement of statements) connection.script(statement);
      const broken = await runWork(connection, (tx) => brokenIn(tx, among), "read");
      connection.run("ROLLBACK");
      return broken;
    },
  });
  connection.close();
}

/** The broken invariants with their first rows. */
async function brokenIn(
  tx: Tx,
  among: readonly string[] | undefined,
): Promise<Record<string, readonly Violation[]>> {
  const some = invariants.filter(({ name }) => !among || among.includes(name));
  const verdicts = await checkAll({ tx, now: NOW, settled: true }, {}, some);
  const broken = verdicts.filter(({ rows }) => rows.length > 0);
  return Object.fromEntries(broken.map(({ name, rows }) => [name, rows]));
}

Deno.test("one fault of each kind is found, and nothing else", () =>
  inFolder(async (folder) => {
    const project = await makeDatabase(folder);
    await withPatient(folder, async (patient) => {
      deepEqual(await patient.after([]), {}, "a database that nobody meddled with");
      for (const [name, statements, also = []] of FAULTS) {
        const found = await patient.after(statementsFor(project, statements));
        const names = Object.keys(found).sort();
        deepEqual(names, [name, ...also].sort(), `${names}: ${statements.join("; ")}`);
        ok(JSON.stringify(found).length < 6000);
      }
      const known = new Set([...FAULTS.map(([name]) => name), "conditions"]);
      deepEqual([...known].sort(), invariants.map(({ name }) => name).sort());
    });
  }));

Deno.test("a fault in one of two projects with the same ids is found there, and not in the other", () =>
  inFolder(async (folder) => {
    const twin = TWINS.after;
    const first = await makeDatabase(folder, twin);
    await withPatient(folder, async (patient) => {
      const differences = differencesBetween(first, twin);
      deepEqual(await patient.after(differences), {}, "a database that nobody meddled with");
      const unpaid = [
        `update customers set paid_in = 0 where project_id = '${twin}'`,
        `update movements set customer_id = null where project_id = '${twin}'`,
      ];
      deepEqual(await patient.after(unpaid, ["payers"]), {}, "nobody pays in another project");
      for (const [name, statements, also = []] of FAULTS) {
        // The others belong to no project.
        if (!statements.join().includes(FAULTY)) continue;
        for (const project of [first, twin]) {
          const own = statementsFor(project, statements);
          const found = await patient.after([...differences, ...own], [name, ...also]);
          const where = Object.values(found).flat().map(({ project_id }) => project_id);
          deepEqual(new Set(where), new Set([project]), own.join("; "));
        }
      }
    });
  }));

Deno.test("a row that breaks a condition is found with its condition", async () => {
  const empty = openLawless();
  for (const [table, { good, broken }] of Object.entries(VIOLATIONS)) {
    for (const [condition, changes] of Object.entries(broken)) {
      const { rows } = await verdictOn(empty, "conditions", [[table, good, changes[0] ?? {}]]);
      deepEqual(rows.map((row) => [row.found_in, row.condition]), [[table, condition]]);
    }
  }
});

Deno.test("a row that refers to nothing is found with its reference", async () => {
  const empty = openLawless();
  const { references } = readRules();
  ok(references.length >= 50);
  for (const { table, target, columns } of references) {
    const { good = {} } = VIOLATIONS[table] ?? {};
    const own = Object.fromEntries(columns.map(([from]) => [from, "gone"]));
    const { rows } = await verdictOn(empty, "references", [[table, good, own]]);
    ok(rows.some((row) => row.found_in === table && row.target === target), `${table} ${target}`);
  }
});

Deno.test("every unique key of the schema is looked at", () => {
  const { keys } = readRules();
  const shapes = schemaAfter(migrations).tables;
  for (const { name, key } of shapes) {
    // A number that counts the rows is a key without an index.
    if (name === "schema_migrations") continue;
    ok(keys.some(({ table, columns }) => table === name && `${columns}` === `${key}`), name);
  }
  equal(keys.filter(({ where }) => where !== undefined).length, 4);
});

Deno.test("a check reads a database in use, and finds U+0000 and damage in a file", () =>
  inFolder(async (folder) => {
    const told: string[] = [];
    const report = (name: string) => void told.push(name);
    const options = { now: NOW, signal: new AbortController().signal, report };
    await using desk = await openDesk({ database: join(folder, "service.db") });
    equal((await desk.send("GET", "/v2/projects")).status, 200);
    const brokenIn = async () =>
      (await checkDatabase(placeOf(folder), { ...options, now: Date.now() })).verdicts
        .filter(({ rows }) => rows.length > 0);
    deepEqual(await brokenIn(), []);
    deepEqual(told, ["storage", ...invariants.map(({ name }) => name)]);
    const connection = connect(join(folder, "service.db"));
    connection.script("insert into settings values ('odd', 'a' || char(0))");
    const [cut] = await brokenIn();
    deepEqual([cut?.name, cut?.rows], ["storage", [
      { problem: "a text contains U+0000", table: "settings", name: "odd" },
    ]]);
    connection.script("delete from settings where name = 'odd'");
    deepEqual(await brokenIn(), []);
    connection.close();
    await rejects(checkDatabase(placeOf(join(folder, "none")), options), /there is no database/);
  }));
