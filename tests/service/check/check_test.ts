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
import { runWork } from "../../../lib/service/store/work.ts";
import { ENGINE } from "../../support/engine.ts";
import { openDesk } from "../../support/harness.ts";
import { openLawless, verdictOn } from "../../support/lawless.ts";
import { move, withNewDatabase } from "../../support/move_fixture.ts";
import { makePopulation } from "../../support/population_fixture.ts";
import { inFolder } from "../../support/store_fixture.ts";
import { VIOLATIONS } from "../../support/violations.ts";

const NOW = Date.UTC(2026, 10, 28, 12);

/** Makes a database with rows in all tables that invariants are about. */
async function makeDatabase(folder: string): Promise<void> {
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
}

/** What is wrong in a database after some statements, which are undone. */
interface Patient {
  /** The names of the broken invariants, each with its first rows. */
  after(...statements: string[]): Promise<Record<string, readonly Violation[]>>;
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
      async after(...statements) {
        await wire.send("begin");
        await wire.send("set local session_replication_role = replica");
        for (const statement of statements) await wire.send(statement);
        const session = createSession(wire, new Map());
        const broken = await runWork(session, (tx) => namesOf(checkAll(momentOf(tx))), "read");
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
    async after(...statements) {
      connection.run("BEGIN");
      for (const statement of statements) connection.script(statement);
      const broken = await runWork(connection, (tx) => namesOf(checkAll(momentOf(tx))), "read");
      connection.run("ROLLBACK");
      return broken;
    },
  });
  connection.close();
}

function momentOf(tx: Parameters<Parameters<typeof runWork>[1]>[0]) {
  return { tx, now: NOW, settled: true };
}

async function namesOf(
  checking: ReturnType<typeof checkAll>,
): Promise<Record<string, readonly Violation[]>> {
  const broken = (await checking).filter(({ rows }) => rows.length > 0);
  return Object.fromEntries(broken.map(({ name, rows }) => [name, rows]));
}

/** The first row of a table, as a condition. */
function first(table: string, where = "1 = 1", key = "id"): string {
  return `${key} = (select min(${key}) from ${table} where ${where})`;
}

/** For each kind of fault, the statements that make it, and what else is then broken. */
const FAULTS: readonly (readonly [name: string, statements: string[], also?: string[]])[] = [
  ["references", [`delete from accounts`]],
  ["references", [
    `update transactions set subscription_id = 'none' where ${
      first("transactions", "status = 'completed' and gross_usd_micros > 0")
    }`,
  ], [
    "payments",
  ]],
  ["keys", [
    "drop index deliveries_first",
    `update deliveries set ready_at = 0 where state = 'pending'`,
  ], ["deliveries"]],
  ["daily-sums", [
    `update movements_daily set refunds_delta = refunds_delta + 1 where ${
      first("movements_daily", "1 = 1", "day")
    }`,
  ]],
  ["daily-sums", [`delete from movements_daily where ${first("movements_daily", "1 = 1", "day")}`]],
  ["daily-totals", [
    `update movement_totals set payments_delta = payments_delta + 1 where ${
      first("movement_totals", "1 = 1", "day")
    }`,
  ]],
  ["daily-totals", [
    `delete from movement_totals where ${first("movement_totals", "1 = 1", "day")}`,
  ]],
  ["monthly-sums", [
    `update movements_monthly set tax_usd_micros = tax_usd_micros - 1 where ${
      first("movements_monthly", "1 = 1", "day")
    }`,
  ]],
  ["monthly-sums", [
    `update movements_monthly set day = day + 86400000 where ${
      first("movements_monthly", "gross_usd_micros <> 0", "day")
    } and gross_usd_micros <> 0`,
  ]],
  ["levels", [
    `update subscriptions set price_micros = price_micros + 5000000 where ${
      first(
        "subscriptions",
        "status = 'active' and period_type = 'normal' and ownership = 'purchased'",
      )
    }`,
  ]],
  ["levels", [
    `delete from movements where kind = 'start' and ${first("movements", "kind = 'start'", "seq")}`,
  ], ["daily-sums", "daily-totals", "monthly-sums", "money", "cohort-sums"]],
  ["cohort-sums", [
    `update cohort_payments set tax_usd_micros = tax_usd_micros + 1 where ${
      first("cohort_payments", "1 = 1", "day")
    }`,
  ]],
  ["cohort-sums", [
    `delete from cohort_payments where ${first("cohort_payments", "1 = 1", "day")}`,
  ]],
  ["cohort-sums", [
    `update cohort_payments set week = week + 1 where ${first("cohort_payments", "1 = 1", "day")}`,
  ]],
  ["first-days", [
    `update movements set customer_since = customer_since + 1 where ${
      first("movements", "customer_id is not null", "seq")
    }`,
  ]],
  ["payers", [`update customers set paid_in = 0 where ${first("customers", "paid_in = 1")}`]],
  ["payers", [`update customers set paid_in = 3 where ${first("customers", "paid_in = 0")}`]],
  ["money", [
    `update purchases set gross_usd_micros = gross_usd_micros + 1 where ${
      first("purchases", "status = 'owned'")
    }`,
  ]],
  ["payments", [
    `update transactions set gross_usd_micros = gross_usd_micros + 1 where ${
      first("transactions", "status = 'completed'")
    }`,
  ]],
  ["periods", [
    `insert into transactions (project_id, id, seq, subscription_id, product_store_identifier,
      period_type, purchased_at, expires_at, status, currency, gross_micros, commission_micros,
      tax_micros, gross_usd_micros, commission_usd_micros, tax_usd_micros)
    select project_id, 'twice', seq, subscription_id, product_store_identifier, period_type,
      purchased_at, expires_at, status, currency, 0, 0, 0, 0, 0, 0 from transactions
    where ${first("transactions", "status = 'completed' and expires_at is not null")}`,
  ]],
  ["overdue", [
    `update subscriptions set due_at = ${NOW - 1} where ${
      first("subscriptions", "due_at is not null")
    }`,
  ]],
  ["future", [`update events set created_at = ${NOW + 1} where ${first("events")}`]],
  ["order", [`update projects set last_seq = last_seq - 1`]],
  ["aliases", [
    `delete from customer_aliases where alias = customer_id and ${
      first("customer_aliases", "alias = customer_id", "customer_id")
    }`,
  ]],
  ["balances", [
    `insert into virtual_currencies (project_id, id, seq, name, created_at)
    select id, 'GLD', 0, 'Gold', 0 from projects`,
    `insert into currency_balances (project_id, customer_id, currency_id, balance)
    select project_id, (select min(id) from customers), id, 5 from virtual_currencies`,
  ]],
  ["family-shares", [
    `update subscriptions set share_count = share_count + 1 where ${first("subscriptions")}`,
  ]],
  ["listeners", [
    `insert into listeners (project_id, name, acknowledged, secret, created_at)
    select id, 'one', last_seq + 1, 'whsec_', 0 from projects`,
  ]],
  ["deliveries", [
    `update deliveries set ready_at = null where ${first("deliveries", "ready_at is not null")}`,
  ]],
  ["attempts", [
    `insert into attempts (project_id, delivery_id, number, started_at, url, request_headers,
      response_cut, timing)
    select project_id, id, 3, 0, 'https://example.com', '{}', 0, '{}' from deliveries
    where ${first("deliveries")}`,
  ]],
  ["tokens", [
    `update grants set rotates = 1`,
    `insert into refresh_tokens (hash, grant_id, created_at, expires_at)
    select 'other', grant_id, created_at, expires_at from refresh_tokens`,
  ]],
  ["json", [`update events set payload = '{"cut":' where ${first("events")}`]],
];

Deno.test("one fault of each kind is found, and nothing else", () =>
  inFolder(async (folder) => {
    await makeDatabase(folder);
    await withPatient(folder, async (patient) => {
      deepEqual(await patient.after(), {}, "a database that nobody meddled with");
      for (const [name, statements, also = []] of FAULTS) {
        const found = await patient.after(...statements);
        const names = Object.keys(found).sort();
        deepEqual(names, [name, ...also].sort(), `${names}: ${statements.join("; ")}`);
        ok(JSON.stringify(found).length < 6000);
      }
      const known = new Set([...FAULTS.map(([name]) => name), "conditions"]);
      deepEqual([...known].sort(), invariants.map(({ name }) => name).sort());
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
