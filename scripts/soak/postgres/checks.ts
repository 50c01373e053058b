/**
 * What must hold after processes and the server were killed under load.
 *
 * @module
 */

import { acrossProjects, openDatabase, type Store } from "../../../lib/service/store/mod.ts";
import { checkSums } from "../../../tests/support/ledger_sums.ts";
import type { Arrival } from "./receiver.ts";
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
  /** When something was killed, in milliseconds since 1970. */
  kills: readonly number[];
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

/** How long after an event's acceptance a kill explains that it is sent again, in milliseconds. */
const UNRECORDED_MS = 3000;

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
      deliveries: await all.selectFrom("deliveries").select(["event_id", "state"]).execute(),
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

/** Checks that each event arrived, once where nothing was killed, and in order. */
function findDeliveries(
  { accepted, kills }: Past,
  rows: Rows,
  { figures, wrong }: Findings,
): void {
  const seqs = new Map(rows.events.map((row) => [row.id, row]));
  const first = new Map<string, number>();
  let [again, unexplained] = [0, 0];
  for (const { id, at } of accepted) {
    if (!seqs.has(id)) wrong.push(`event ${id} was sent, and is not in the database`);
    const before = first.get(id);
    if (before === undefined) {
      first.set(id, at);
      continue;
    }
    again++;
    if (kills.some((kill) => kill >= before - 50 && kill <= before + UNRECORDED_MS)) continue;
    unexplained++;
    wrong.push(`event ${id} was accepted at ${before} and sent again, and nothing was killed`);
  }
  for (const { event_id, state } of rows.deliveries) {
    if (state !== "delivered") wrong.push(`the delivery of event ${event_id} is ${state}`);
    if (!first.has(event_id)) wrong.push(`event ${event_id} never arrived`);
  }
  // The receiver's order is that of the first acceptances.
  const last = new Map<string, number>();
  let turned = 0;
  for (const id of first.keys()) {
    const row = seqs.get(id);
    if (!row) continue;
    const key = `${row.project_id} ${row.customer_id}`;
    if ((last.get(key) ?? 0) > row.seq) {
      turned++;
      wrong.push(`event ${id} of ${key} arrived after a later one`);
    }
    last.set(key, Math.max(last.get(key) ?? 0, row.seq));
  }
  figures["events"] = rows.events.length;
  figures["events that arrived"] = first.size;
  figures["sent again after a kill"] = again - unexplained;
  figures["sent again without a kill"] = unexplained;
  figures["out of order"] = turned;
}
