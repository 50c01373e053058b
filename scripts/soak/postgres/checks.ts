/**
 * What must hold after processes and the server were killed under load.
 *
 * @module
 */

import { acrossProjects, openDatabase, type Store } from "../../../lib/service/store/mod.ts";
import { checkSums } from "../../../tests/support/ledger_sums.ts";
import type { Arrival } from "./receiver.ts";
import { isExplained, type Stop } from "./resent.ts";
import type { Record, Shop } from "./shop.ts";

/** What happened. */
interface Past {
  /** The address of the database. */
  database: string;
  /** The projects. */
  shops: readonly Shop[];
  /** What was acknowledged. */
  record: Record;
  /** The events that the receiver accepted. */
  accepted: readonly Arrival[];
  /** What was killed, and when. */
  stops: readonly Stop[];
  /** The time of all projects at the end. */
  now: number;
}

/** Figures of a check. */
export interface Findings {
  /** Figures by name. */
  figures: { [name: string]: number };
  /** What is wrong. */
  wrong: string[];
}

/** How long it may take to store a result while nothing is killed, in milliseconds. */
const STORED_MS = 3000;

/** The time of a lease: a result that is not stored so long after its attempt is lost. */
const LEASE_MS = 40_000;

/** Checks all. */
export async function findFaults(past: Past): Promise<Findings> {
  const store = await openDatabase({ file: past.database, clock: Date.now });
  try {
    const rows = await readRows(store);
    const found: Findings = { figures: {}, wrong: [] };
    findLost(past.record, rows, found);
    findRenewals(past, rows, found);
    findDeliveries(past, rows, found);
    await checkSums(store, past.now).catch((error) => found.wrong.push(`sums: ${String(error)}`));
    return found;
  } finally {
    await store.close();
  }
}

type Rows = Awaited<ReturnType<typeof readRows>>;

async function readRows(store: Store) {
  return await store.read(async (tx) => {
    const all = acrossProjects(tx);
    return {
      offerings: await all.selectFrom("offerings").select(["id", "display_name"]).execute(),
      customers: await all.selectFrom("customers").select("id").execute(),
      subscriptions: await all.selectFrom("subscriptions").selectAll().execute(),
      purchases: await all.selectFrom("purchases").selectAll().execute(),
      transactions: await all.selectFrom("transactions").selectAll().orderBy("seq").execute(),
      events: await all.selectFrom("events")
        .select(["id", "project_id", "seq", "type", "customer_id"]).orderBy("seq").execute(),
      deliveries: await all.selectFrom("deliveries")
        .select(["id", "project_id", "event_id", "state", "attempts", "finished_at"]).execute(),
      attempts: await all.selectFrom("attempts")
        .select(["project_id", "delivery_id", "number", "started_at", "error", "status", "timing"])
        .orderBy("number").execute(),
    };
  });
}

/** Looks for each acknowledged write. */
function findLost(record: Record, rows: Rows, { figures, wrong }: Findings): void {
  const names = new Map(rows.offerings.map((row) => [row.id, row.display_name]));
  const customers = new Set(rows.customers.map(({ id }) => id));
  const subscriptions = new Map(rows.subscriptions.map((row) => [row.id, row]));
  const purchases = new Map(rows.purchases.map((row) => [row.id, row]));
  const lost: string[] = [];
  for (const [id, { name }] of record.offerings) {
    if (names.get(id) !== name) lost.push(`offering ${id} is named ${names.get(id)}, not ${name}`);
  }
  for (const [id, { there }] of record.customers) {
    if (customers.has(id) !== there) lost.push(`customer ${id} is ${there ? "missing" : "there"}`);
  }
  for (const [id, { cancelled }] of record.subscriptions) {
    const status = subscriptions.get(id)?.auto_renewal_status;
    if (status !== (cancelled ? "will_not_renew" : "will_renew")) {
      lost.push(`subscription ${id} is ${status}, and was ${cancelled ? "" : "not "}cancelled`);
    }
  }
  for (const [id, { refunded }] of record.purchases) {
    const status = purchases.get(id)?.status;
    if (status !== (refunded ? "refunded" : "owned")) {
      lost.push(`purchase ${id} is ${status}, and was ${refunded ? "" : "not "}refunded`);
    }
  }
  const { offerings, customers: people, subscriptions: subs, purchases: bought } = record;
  figures["acknowledged objects"] = offerings.size + people.size + subs.size + bought.size;
  figures["lost of them"] = lost.length;
  wrong.push(...lost);
}

/** Checks that each period follows the one before, is paid once, and has one event. */
function findRenewals({ now }: Past, rows: Rows, { figures, wrong }: Findings): void {
  const paid = Map.groupBy(rows.transactions, (row) => row.subscription_id);
  let renewals = 0;
  for (const { id, auto_renewal_status, period_ends_at } of rows.subscriptions) {
    const all = paid.get(id) ?? [];
    renewals += Math.max(0, all.length - 1);
    for (const [i, row] of all.entries()) {
      const before = all[i - 1];
      if (before && row.purchased_at !== before.expires_at) {
        wrong.push(`${id}: a period begins at ${row.purchased_at}, not at ${before.expires_at}`);
      }
    }
    if (auto_renewal_status === "will_renew" && (period_ends_at ?? 0) <= now) {
      wrong.push(`${id}: its renewal at ${period_ends_at} is missing`);
    }
  }
  const told = rows.events.filter(({ type }) => type === "RENEWAL").length;
  figures["renewals"] = renewals;
  if (told !== renewals) wrong.push(`${renewals} renewals have ${told} events`);
  const firsts = rows.events.filter(({ type }) => type === "INITIAL_PURCHASE").length;
  if (firsts !== rows.subscriptions.length) {
    wrong.push(`${rows.subscriptions.length} subscriptions have ${firsts} events of their start`);
  }
}

/** How long it took at most to store a result, from the end of its attempt, in milliseconds. */
function slowestResult({ deliveries, attempts }: Rows): number {
  const ends = new Map(attempts.map(({ project_id, delivery_id, number, started_at, timing }) => {
    const { total = 0 }: { total?: number } = JSON.parse(timing);
    return [`${project_id} ${delivery_id} ${number}`, started_at + total];
  }));
  return deliveries.reduce((slowest, { project_id, id, attempts, finished_at }) => {
    const end = ends.get(`${project_id} ${id} ${attempts}`);
    if (end === undefined || finished_at === null) return slowest;
    return Math.max(slowest, finished_at - end);
  }, 0);
}

/** The attempts to deliver an event, for whoever looks for the reason of a second one. */
function attemptsOf(rows: Rows, event: string): string {
  const ids = new Set(
    rows.deliveries.filter(({ event_id }) => event_id === event)
      .map(({ id }) => id),
  );
  return rows.attempts.filter(({ delivery_id }) => ids.has(delivery_id))
    .map(({ number, started_at, status, error }) =>
      `${number} at ${started_at}: ${error ?? status}`
    ).join("; ");
}

/** Checks that each event arrived, once where nothing was killed, and in order. */
function findDeliveries(
  { accepted, stops }: Past,
  rows: Rows,
  { figures, wrong }: Findings,
): void {
  const seqs = new Map(rows.events.map((row) => [row.id, row]));
  /** The last acceptances, in the order of the first ones: that of the receiver. */
  const last = new Map<string, Arrival>();
  const slowest = slowestResult(rows);
  if (slowest > LEASE_MS) wrong.push(`it took ${slowest} ms to store a result`);
  let [again, unexplained] = [0, 0];
  for (const one of accepted) {
    const { id } = one;
    if (!seqs.has(id)) wrong.push(`event ${id} was sent, and is not in the database`);
    const before = last.get(id);
    last.set(id, one);
    if (before === undefined) continue;
    again++;
    if (isExplained(before, one, stops, Math.max(slowest, STORED_MS))) continue;
    unexplained++;
    wrong.push(
      `event ${id} was accepted at ${before.at} and at ${one.at}, and nothing that was killed ` +
        `explains that; its attempts: ${attemptsOf(rows, id)}`,
    );
  }
  for (const { event_id, state } of rows.deliveries) {
    if (state !== "delivered") wrong.push(`the delivery of event ${event_id} is ${state}`);
    if (!last.has(event_id)) wrong.push(`event ${event_id} never arrived`);
  }
  const reached = new Map<string, number>();
  let turned = 0;
  for (const id of last.keys()) {
    const row = seqs.get(id);
    if (!row) continue;
    const key = `${row.project_id} ${row.customer_id}`;
    if ((reached.get(key) ?? 0) > row.seq) {
      turned++;
      wrong.push(`event ${id} of ${key} arrived after a later one`);
    }
    reached.set(key, Math.max(reached.get(key) ?? 0, row.seq));
  }
  figures["events"] = rows.events.length;
  figures["events that arrived"] = last.size;
  figures["sent again after a kill"] = again - unexplained;
  figures["sent again without a kill"] = unexplained;
  figures["out of order"] = turned;
  figures["slowest result, in ms"] = slowest;
}
