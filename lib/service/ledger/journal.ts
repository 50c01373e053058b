/**
 * Stores the results of steps: subscriptions, payments, invoices, the ledger with its daily sums,
 * and events. The journal collects them first, and writes them with few statements in its
 * transaction.
 *
 * @module
 */

import { heirsOf, mirror, shareSuccessor } from "../domain/family.ts";
import {
  addToTotals,
  monthsOf,
  type Movement,
  movementsOf,
  movementsOfPurchase,
  type MovementTotals,
  newTotals,
  SUM_KEY,
} from "../domain/ledger.ts";
import type { Purchase, PurchaseStep } from "../domain/purchase.ts";
import type { Settlement, Step, Subscription } from "../domain/step.ts";
import { type EventFactsReader, readEventFacts } from "./event_facts.ts";
import { addCohorts, markPayers } from "./cohorts.ts";
import { spellEvents } from "./dialect.ts";
import { emptyHistory, type History, MANY_EVENTS, sendHistory } from "./history.ts";
import { queueDeliveries } from "../events/queue.ts";
import { changeAsFarAsPossible } from "../records/balances.ts";
import type { Place } from "../records/find.ts";
import {
  eventsOfPurchase,
  eventsOfStep,
  invoiceOf,
  invoiceOfPurchase,
  latestPaymentEnd,
  type NewBalance,
  type NewEvent,
  transactionOf,
} from "./journal_rows.ts";
import {
  type Change,
  lastSeq,
  type ProjectTx,
  takeSeqs,
  updateChanged,
  updateRows,
  writeRows,
} from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Collects the results of one transaction. No other code may take a `seq` before it is written. */
export interface Journal {
  /** The facts about customers and products in events. */
  readonly facts: EventFactsReader;
  /** Records a step, and its effect on family shares. */
  record(step: Step): Promise<Subscription>;
  /** Records a one-time purchase or its refund. */
  recordPurchase(step: PurchaseStep): Promise<Purchase>;
  /** Records rows of the ledger without a step. */
  addMovements(movements: readonly Movement[]): void;
  /** Records an event without a step. */
  addEvent(event: NewEvent): void;
  /** Has the database begin to write, where it works beside this program and there is enough to do. */
  begin(): Promise<void>;
  /** Writes everything. The journal cannot be used again. */
  write(): Promise<void>;
}

/** The collected results. */
interface Pages {
  /** The project. */
  place: Place;
  /** The facts in events. */
  facts: EventFactsReader;
  /** The last `seq` taken. */
  seq: number;
  /** Changed subscriptions: as stored, and as they are now. */
  moved: Map<string, Change<Subscription>>;
  /** New subscriptions, as they are now. */
  begun: Map<string, Subscription>;
  /** New purchases. */
  bought: Purchase[];
  /** Changed purchases. */
  purchases: Purchase[];
  /** New rows that are not on their way to the database. */
  history: History;
  /** What is on its way there. */
  sent: Promise<unknown>[];
  /** Changes to earlier payments. */
  settled: Settled[];
  /** New ends of earlier payments, by the id of the payment. */
  ends: Map<string, NonNullable<ReturnType<typeof latestPaymentEnd>>>;
  /** All new rows of the ledger. */
  movements: Row<"movements">[];
  /** Their sums by day and cohort. */
  totals: MovementTotals;
  /** All new events. */
  events: Row<"events">[];
  /** The changes of balances by events. */
  balances: (NewBalance & { created_at: number })[];
}

/** A change to an earlier payment. */
interface Settled extends Settlement {
  /** The time of the change. */
  at: number;
}

/** The end of a payment. */
type PaymentEnd = Pick<Row<"transactions">, "id" | "effective_expires_at">;

/** The columns of a subscription that steps change. */
const MOVING = [
  "product_id",
  "shared_from_id",
  "status",
  "auto_renewal_status",
  "not_renewing_since",
  "period_type",
  "starts_at",
  "paid_since",
  "period_starts_at",
  "period_ends_at",
  "renewed_until",
  "grace_ends_at",
  "retry_ends_at",
  "resumes_at",
  "anchor_at",
  "anchor_periods",
  "duration",
  "grace_duration",
  "price_micros",
  "pending_product_id",
  "pending_price_micros",
  "transaction_id",
  "transaction_count",
  "renewal_number",
  "charge_fails",
  "cancel_reason",
  "share_count",
  "gross_usd_micros",
  "commission_usd_micros",
  "tax_usd_micros",
  "event_count",
  "due_at",
] as const;

/** Opens a journal in a transaction. */
export async function openJournal(place: Place): Promise<Journal> {
  const seq = await lastSeq(place.tx);
  const pages: Pages = {
    place,
    facts: readEventFacts(place),
    seq,
    moved: new Map(),
    begun: new Map(),
    bought: [],
    purchases: [],
    history: emptyHistory(),
    sent: [],
    settled: [],
    ends: new Map(),
    movements: [],
    totals: newTotals(),
    events: [],
    balances: [],
  };
  return {
    facts: pages.facts,
    record: (step) => takeDown(pages, step),
    recordPurchase: (step) => takeDownPurchase(pages, step),
    addMovements: (movements) => addMovements(pages, movements),
    addEvent: (event) => addEvent(pages, event),
    begin: () => begin(pages),
    write: () => write(pages),
  };
}

/** Stores some steps in order. Returns the subscriptions after them. */
export async function recordSteps(place: Place, steps: readonly Step[]): Promise<Subscription[]> {
  const journal = await openJournal(place);
  const after: Subscription[] = [];
  for (const step of steps) after.push(await journal.record(step));
  await journal.write();
  return after;
}

/** Stores a one-time purchase or its refund. Returns the purchase after it. */
export async function recordPurchase(place: Place, step: PurchaseStep): Promise<Purchase> {
  const journal = await openJournal(place);
  const after = await journal.recordPurchase(step);
  await journal.write();
  return after;
}

async function takeDown(pages: Pages, step: Step): Promise<Subscription> {
  const { facts } = pages;
  const isNew = step.before === undefined;
  const heirs = await heirsIn(pages, step);
  const placed = isNew ? { ...step.after, ...next(pages), share_count: heirs.length } : step.after;
  const events = await eventsOfStep({ ...step, after: placed }, facts);
  const after = {
    ...placed,
    not_renewing_since: notRenewingSince(step),
    event_count: placed.event_count + events.length,
  };
  const { before, at, payment, settlement } = step;
  if (before === undefined || pages.begun.has(after.id)) pages.begun.set(after.id, after);
  else pages.moved.set(after.id, { before: pages.moved.get(after.id)?.before ?? before, after });

  for (const event of events) addEvent(pages, event);
  if (payment) {
    const product = await facts.product(after.product_id ?? "");
    pages.history.transactions.push({
      ...transactionOf(after, payment, at, product),
      ...next(pages),
    });
    const invoice = invoiceOf(after, payment, at, product);
    if (invoice) pages.history.invoices.push({ ...invoice, ...next(pages) });
  }
  if (settlement) pages.settled.push({ ...settlement, at });
  const end = latestPaymentEnd(step);
  if (end) pages.ends.set(after.transaction_id, end);
  const { since } = await facts.customer(after.customer_id);
  addMovements(pages, movementsOf({ ...step, after }, since));
  if (step.before && step.before.share_count > 0) {
    for (const member of await membersOf(pages, after.id)) {
      await takeDown(pages, mirror(step, member));
    }
  }
  for (const heir of heirs) await takeDown(pages, shareSuccessor({ ...step, after }, heir));
  return after;
}

/** When renewal was switched off; null while it is on. A share has the time of its source. */
function notRenewingSince({ before, after, at }: Step): number | null {
  if (after.auto_renewal_status !== "will_not_renew") return null;
  return (before ?? after).not_renewing_since ?? at;
}

async function takeDownPurchase(pages: Pages, step: PurchaseStep): Promise<Purchase> {
  const { facts } = pages;
  const after = step.starts ? { ...step.after, ...next(pages) } : step.after;
  (step.starts ? pages.bought : pages.purchases).push(after);
  for (const event of await eventsOfPurchase(step, facts)) addEvent(pages, event);
  if (step.starts) {
    const invoice = invoiceOfPurchase(after, await facts.product(after.product_id));
    if (invoice) pages.history.invoices.push({ ...invoice, ...next(pages) });
  }
  const { since } = await facts.customer(after.customer_id);
  addMovements(pages, movementsOfPurchase(step, since));
  return after;
}

function addMovements(pages: Pages, movements: readonly Movement[]): void {
  for (const movement of movements) {
    const numbered = { ...movement, ...next(pages) };
    pages.movements.push(numbered);
    pages.history.movements.push(numbered);
    addToTotals(pages.totals, movement);
  }
}

function addEvent(pages: Pages, event: NewEvent): void {
  const { brings = [], ...row } = event;
  const numbered = { ...row, ...next(pages) };
  pages.events.push(numbered);
  pages.history.events.push(numbered);
  for (const change of brings) pages.balances.push({ ...change, created_at: event.created_at });
}

/** The next `seq` of the project. */
function next(pages: Pages): { project_id: string; seq: number } {
  return { project_id: pages.place.project.id, seq: ++pages.seq };
}

/** The current family shares of this subscription. */
async function membersOf(pages: Pages, id: string): Promise<Subscription[]> {
  const { tx } = pages.place;
  const rows = await tx.selectFrom("subscriptions").selectAll().where("shared_from_id", "=", id)
    .orderBy("seq").execute();
  const begun = [...pages.begun.values()].filter(({ shared_from_id }) => shared_from_id === id);
  return [...rows.map((row) => pages.moved.get(row.id)?.after ?? row), ...begun];
}

/** The family shares of the replacement of a shared subscription. */
async function heirsIn(pages: Pages, { succeeds, after }: Step): Promise<Subscription[]> {
  if (succeeds === undefined || succeeds.share_count === 0) return [];
  return heirsOf(after, await membersOf(pages, succeeds.id));
}

async function begin(pages: Pages): Promise<void> {
  const { history, place: { tx } } = pages;
  // New payments may belong to what is not written yet.
  const isAlone = pages.begun.size === 0 && pages.bought.length === 0;
  if (!tx.whole.arrays || !isAlone || history.events.length < MANY_EVENTS) return;
  pages.history = emptyHistory();
  pages.sent.push(...await sendHistory(tx, history));
}

async function write(pages: Pages): Promise<void> {
  const { tx } = pages.place;
  const { history } = pages;
  await Promise.all(pages.sent);
  await takeSeqs(tx, pages.seq);
  await writeRows(tx, "subscriptions", [...pages.begun.values()]);
  await updateChanged(tx, "subscriptions", [...pages.moved.values()], MOVING);
  await writeRows(tx, "purchases", pages.bought);
  await updateRows(tx, "purchases", pages.purchases, ["status", "refunded_at"]);
  await writeRows(tx, "transactions", history.transactions);
  await writeRows(tx, "invoices", history.invoices);
  for (const settled of pages.settled) await settle(pages.place, settled);
  await writeEnds(tx, pages.ends);
  await writeRows(tx, "movements", history.movements);
  const { days, cohorts } = pages.totals;
  await writeRows(tx, "movements_daily", [...days.values()], { key: SUM_KEY, then: "add" });
  await writeRows(tx, "movements_monthly", monthsOf(pages.totals), { key: SUM_KEY, then: "add" });
  await addCohorts(tx, cohorts);
  await markPayers(pages.place, pages.facts, pages.movements);
  for (const { created_at, transaction_id, product_id, ...change } of pages.balances) {
    const transaction = { transaction_id, product_id, created_at, reference: null };
    await changeAsFarAsPossible(pages.place, change, { ...transaction, source: "in_app_purchase" });
  }
  await writeRows(tx, "events", await spellEvents(tx.whole, history.events));
  await queueDeliveries(pages.place, pages.events);
}

/** Changes the ends of earlier payments: for some the paid end as well as the effective one. */
async function writeEnds(tx: ProjectTx, ends: Pages["ends"]): Promise<void> {
  const effective: PaymentEnd[] = [];
  const both: (PaymentEnd & Pick<Row<"transactions">, "expires_at">)[] = [];
  for (const [id, { expires_at, effective_expires_at }] of ends) {
    if (expires_at === undefined) effective.push({ id, effective_expires_at });
    else both.push({ id, effective_expires_at, expires_at });
  }
  await updateRows(tx, "transactions", effective, ["effective_expires_at"]);
  await updateRows(tx, "transactions", both, ["expires_at", "effective_expires_at"]);
}

/** Changes an earlier payment, and its open invoice. */
async function settle({ tx }: Place, settled: Settled): Promise<void> {
  const { transaction, status, at, expires_at } = settled;
  const wasPending = transaction.status === "pending";
  await tx.updateTable("transactions").set({
    status,
    refunded_at: status === "refunded" ? at : null,
    ...wasPending ? { purchased_at: at } : {},
    ...expires_at === undefined ? {} : { expires_at, effective_expires_at: expires_at },
  }).where("id", "=", transaction.id).execute();
  if (!wasPending) return;
  await tx.updateTable("invoices").set({ paid_at: at })
    .where("subscription_id", "=", transaction.subscription_id)
    .where("paid_at", "is", null).execute();
}
