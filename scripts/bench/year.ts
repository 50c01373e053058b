/**
 * A year of many monthly subscriptions, with charges that fail, cancellations and refunds: how long
 * it takes, and whether anything of it is missing or doubled when the process is killed meanwhile.
 *
 * Run as a program with a file, it goes on with the year in that file. It prints a dot now and then, and
 * a line with its figures at the end.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cancel, failNext, recover } from "../../lib/service/domain/actions.ts";
import { addDuration, DAY_MS } from "../../lib/service/domain/calendar.ts";
import { subscribe, type SubscriptionSale } from "../../lib/service/domain/purchase.ts";
import { refund } from "../../lib/service/domain/refunds.ts";
import type { Step, Subscription } from "../../lib/service/domain/step.ts";
import { type Journal, openJournal } from "../../lib/service/ledger/journal.ts";
import { createCatchUp } from "../../lib/service/ledger/catch_up.ts";
import { connect } from "../../lib/service/store/sqlite/connection.ts";
import {
  acrossProjects,
  inProject,
  openStore,
  type Store,
  type Tx,
} from "../../lib/service/store/mod.ts";
import { elapsed, limited, type Measured, plain, toMebibytes } from "./measure.ts";

/** The project of a year that is alone. */
const PROJECT = "projyear0000";
const PRODUCT = "prodmonthly0";
const APP = "appbilling00";

/** When the first subscription starts; the others follow within 28 days. */
export const YEAR_STARTS = Date.UTC(2027, 0, 31, 12);

/** When the year is over. */
export const YEAR_ENDS = addDuration(YEAR_STARTS + 28 * DAY_MS, "P1Y");

/** What happens on the way besides renewals, to which of every 100 subscriptions. */
const FATES = { fails: 7, cancels: 13, isRefunded: 29 } as const;

/** Measures a year, in one go and with the process killed in the middle. */
export async function measureYear(
  { folder, subscriptions }: { folder: string; subscriptions: number },
): Promise<Measured> {
  const [whole, broken] = [join(folder, "year.db"), join(folder, "broken_year.db")];
  await inStore(whole, (store) => sellSubscriptions(store, subscriptions));
  await Deno.copyFile(whole, broken);
  const { ms, rss } = await passYearAlone(whole);
  const renewals = countRenewals(whole);
  const kills = await passYearKilled(broken);
  if (digestOf(whole) !== digestOf(broken)) {
    throw new Error("Cannot trust the year: the results with and without kills differ");
  }
  const perSecond = renewals / ms * 1000;
  return {
    method:
      `${subscriptions} web-billing subscriptions in a file; of every 100, one fails to pay ` +
      "and recovers, one is cancelled and one is refunded. Each renewal writes a payment, an " +
      "invoice, a row of the ledger and an event. The second run is the same, with `kill -9` " +
      "in the middle: all rows of both files are identical.",
    findings: [
      limited("The year", { value: ms / 1000, unit: "s", budget: { atMost: 15 } }),
      plain("Renewals", String(renewals)),
      plain("Renewals per second", perSecond.toFixed(0)),
      limited("Memory of the process", {
        value: toMebibytes(rss),
        unit: "MiB",
        budget: { atMost: 300 },
      }),
      plain("Kills in the middle without lost or duplicate rows", String(kills)),
    ],
  };
}

/** Sells subscriptions in a project of their own, and lets its clock stand still. */
export async function sellSubscriptions(
  store: Store,
  count: number,
  project = PROJECT,
): Promise<void> {
  await store.write((tx) => addProject(tx, project));
  for (let from = 0; from < count; from += 500) {
    const length = Math.min(500, count - from);
    await store.write(async (tx) => {
      const numbers = Array.from({ length }, (_, i) => from + i);
      for (const number of numbers) await addCustomer(tx, project, number);
      const journal = await openYear(tx, project);
      for (const number of numbers) {
        const at = startOf(number, count);
        const state = await journal.record(subscribe(saleOf(project, number, at), at));
        const fate = fateOf(number);
        if (fate === "fails") await journal.record(failNext(state, at, "P16D"));
        if (fate === "cancels") await journal.record(cancel(state, at, "UNSUBSCRIBE"));
      }
      await journal.write();
    }, project);
  }
}

/** When a subscription starts. */
export function startOf(number: number, count: number): number {
  return YEAR_STARTS + Math.floor(28 * DAY_MS * number / count);
}

/** What happens to a subscription besides renewals, if anything. */
export function fateOf(number: number): keyof typeof FATES | undefined {
  if (number % 100 === FATES.fails) return "fails";
  if (number % 100 === FATES.cancels) return "cancels";
  return number % 100 === FATES.isRefunded ? "isRefunded" : undefined;
}

/** Lets the year pass, or what is left of it. */
export async function passYear(store: Store, project = PROJECT): Promise<void> {
  const catchUp = createCatchUp(store, () => YEAR_STARTS);
  const stops: [number, (tx: Tx, project: string) => Promise<void>][] = [
    // By then grace is over for every charge that fails, and the store has given up on some.
    [YEAR_STARTS + 80 * DAY_MS, recoverAll],
    [YEAR_STARTS + 200 * DAY_MS, refundAll],
    [YEAR_ENDS, async () => {}],
  ];
  for (const [stop, act] of stops) {
    await catchUp.project(project);
    const isThere = await store.write((tx) => goTo(tx, project, stop), project);
    await catchUp.project(project);
    if (isThere) await store.write((tx) => act(tx, project), project);
  }
}

/** Sets out for a moment. Returns whether the clock was not beyond it. */
async function goTo(tx: Tx, project: string, stop: number): Promise<boolean> {
  const { numUpdatedRows } = await acrossProjects(tx).updateTable("projects").set({
    clock_advancing_to: stop,
  })
    .where("id", "=", project).where("clock_frozen_at", "<=", stop).executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function recoverAll(tx: Tx, project: string): Promise<void> {
  const now = YEAR_STARTS + 80 * DAY_MS;
  const failing = await subscriptions(tx, project, "fails");
  const journal = await openYear(tx, project);
  for (const state of failing) {
    if (state.status === "in_billing_retry") await journal.record(recover(state, now));
  }
  await journal.write();
}

async function refundAll(tx: Tx, project: string): Promise<void> {
  const now = YEAR_STARTS + 200 * DAY_MS;
  const refunded = await subscriptions(tx, project, "isRefunded");
  const steps: Step[] = [];
  for (const state of refunded) {
    if (state.status === "expired") continue;
    const transaction = await acrossProjects(tx).selectFrom("transactions").selectAll()
      .where("project_id", "=", project).where("id", "=", state.transaction_id)
      .executeTakeFirstOrThrow();
    steps.push(refund(state, now, transaction, true));
  }
  const journal = await openYear(tx, project);
  for (const step of steps) await journal.record(step);
  await journal.write();
}

async function subscriptions(
  tx: Tx,
  project: string,
  fate: keyof typeof FATES,
): Promise<Subscription[]> {
  const rows = await acrossProjects(tx).selectFrom("subscriptions").selectAll()
    .where("project_id", "=", project).where("starts_at", "<=", YEAR_ENDS).orderBy("seq").execute();
  return rows.filter(({ id }) => fateOf(Number(id.slice(3))) === fate);
}

/** What a process says of the year that it let pass. */
interface Passed {
  /** How long it took, in milliseconds. */
  ms: number;
  /** The process's memory at the end, in bytes. */
  rss: number;
}

/** Lets the year pass in a process that does nothing else. */
async function passYearAlone(file: string): Promise<Passed> {
  const { success, stdout } = await program(file).output();
  if (!success) throw new Error("Cannot measure the year: it failed");
  return JSON.parse(new TextDecoder().decode(stdout).replaceAll(".\n", ""));
}

/** This file as a program. */
function program(file: string): Deno.Command {
  const flags = ["--no-check", "--allow-read", "--allow-write", "--allow-env"];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, fileURLToPath(import.meta.url), file],
    stdout: "piped",
    stderr: "inherit",
  });
}

/** Lets the year pass in processes that are killed. Returns how many were. */
async function passYearKilled(file: string): Promise<number> {
  let kills = 0;
  for (let patience = 1; await isKilled(file, patience); patience++) kills++;
  return kills;
}

/** Lets a process pass the year, and kills it after some batches. Returns whether that came first. */
async function isKilled(file: string, patience: number): Promise<boolean> {
  const child = program(file).spawn();
  // It prints a line with a dot after each batch.
  let left = patience * 20;
  for await (const bytes of child.stdout) {
    left -= bytes.length / 2;
    if (left <= 0) {
      child.kill("SIGKILL");
      break;
    }
  }
  const { success, signal } = await child.status;
  if (!success && signal !== "SIGKILL") throw new Error("Cannot continue the year: it failed");
  return !success;
}

/** A digest of all rows that the year has left. */
function digestOf(file: string): string {
  const connection = connect(file);
  const hash = createHash("sha256");
  for (
    const table of ["projects", "subscriptions", "transactions", "invoices", "movements", "events"]
  ) {
    const key = table === "projects" ? "id" : "seq";
    for (const row of connection.rows(`SELECT * FROM ${table} ORDER BY ${key}`)) {
      hash.update(JSON.stringify(row));
    }
  }
  connection.close();
  return hash.digest("hex");
}

function countRenewals(file: string): number {
  const connection = connect(file);
  const [row] = connection.rows("SELECT count(*) AS n FROM events WHERE type = 'RENEWAL'");
  connection.close();
  return Number(row?.n);
}

async function inStore(file: string, use: (store: Store) => Promise<void>): Promise<void> {
  const store = openStore({ file });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

async function openYear(tx: Tx, id: string): Promise<Journal> {
  const project = await acrossProjects(tx).selectFrom("projects").selectAll().where("id", "=", id)
    .executeTakeFirstOrThrow();
  return await openJournal({ tx: inProject(tx, id), project });
}

function saleOf(project_id: string, number: number, at: number): SubscriptionSale {
  return {
    project_id,
    id: `sub${number}`,
    customer_id: `customer${number}`,
    app_id: APP,
    product_id: PRODUCT,
    store: "svc_billing",
    environment: "production",
    ownership: "purchased",
    currency: "EUR",
    country: "DE",
    platform: "Web",
    offering_id: null,
    duration: "P1M",
    grace_duration: "P3D",
    trial_duration: null,
    price_micros: 9_990_000,
    starts_at: at,
    paid: true,
  };
}

async function addProject(tx: Tx, id: string): Promise<void> {
  const { last } = await acrossProjects(tx).selectFrom("projects")
    .select((project) => project.fn.max("seq").as("last")).executeTakeFirstOrThrow();
  await acrossProjects(tx).insertInto("projects").values({
    id,
    seq: (last ?? 0) + 1,
    name: "Year",
    icon_url: null,
    icon_url_large: null,
    created_at: YEAR_STARTS,
    current_offering_id: null,
    clock_frozen_at: YEAR_STARTS + 28 * DAY_MS,
  }).execute();
  const common = { project_id: id, created_at: YEAR_STARTS };
  await acrossProjects(tx).insertInto("apps").values({
    ...common,
    id: APP,
    seq: 1,
    name: "Web",
    type: "svc_billing",
    settings: "{}",
    secrets: "{}",
  }).execute();
  await acrossProjects(tx).insertInto("products").values({
    ...common,
    id: PRODUCT,
    seq: 2,
    app_id: APP,
    store_identifier: "monthly",
    type: "subscription",
    display_name: "Monthly",
    title: null,
    duration: "P1M",
    grace_period_duration: "P3D",
    trial_duration: null,
    is_consumable: null,
  }).execute();
}

async function addCustomer(tx: Tx, project_id: string, number: number): Promise<void> {
  const id = `customer${number}`;
  // Behind the numbers that the journal gives out.
  const seq = 1_000_000_000 + number;
  await acrossProjects(tx).insertInto("customers").values({
    project_id,
    id,
    seq,
    first_seen_at: YEAR_STARTS,
    last_seen_at: YEAR_STARTS,
    last_seen_app_version: null,
    last_seen_country: "DE",
    last_seen_platform: "web",
    last_seen_platform_version: null,
  }).execute();
  await acrossProjects(tx).insertInto("customer_aliases")
    .values({ project_id, alias: id, customer_id: id, seq, created_at: YEAR_STARTS }).execute();
}

if (import.meta.main) {
  const [file = ""] = Deno.args;
  await inStore(file, async (store) => {
    const dot = new TextEncoder().encode(".\n");
    const timer = setInterval(() => void Deno.stdout.writeSync(dot), 1);
    const ms = await elapsed(() => passYear(store));
    clearInterval(timer);
    const passed: Passed = { ms, rss: Deno.memoryUsage().rss };
    console.log(JSON.stringify(passed));
  });
}
