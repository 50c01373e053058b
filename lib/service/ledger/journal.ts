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
  TOTAL_KEY,
  totalsOf,
} from "../domain/ledger.ts";
import type { Purchase, PurchaseStep } from "../domain/purchase.ts";
import type { Step, Subscription, Transaction } from "../domain/step.ts";
import { type EventFactsReader, readEventFacts } from "./event_facts.ts";
import { addCohorts, markPayers } from "./cohorts.ts";
import { spellEvents } from "./dialect.ts";
import { emptyHistory, type History, MANY_EVENTS, sendHistory } from "./history.ts";
import { queueDeliveries } from "../events/queue.ts";
import { changeAsFarAsPossible } from "../records/balances.ts";
import type { ProjectCall } from "../records/find.ts";
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
  afterChanges,
  type PaymentEnds,
  type Settled,
  writeEnds,
  writeSettlement,
} from "./settlements.ts";
import {
  type Change,
  findRow,
  lastSeq,
  takeSeqs,
  updateChanged,
  updateRows,
  writeRows,
} from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/**
 * Collects the results of one transaction. No other code may take a `seq` before it is written. Until
 * then the database has older rows: who records more than one step reads through the journal.
 */
export interface Journal {
  /** The facts about customers and products in events. */
  readonly facts: EventFactsReader;
  /** A one-time purchase after all that this journal has recorded, if there is one. */
  purchase(id: string): Promise<Purchase | undefined>;
  /** A payment of a subscription after all that this journal has recorded, if there is one. */
  payment(id: string): Promise<Transaction | undefined>;
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
  place: ProjectCall;
  /** The facts in events. */
  facts: EventFactsReader;
  /** The last `seq` taken. */
  seq: number;
  /** Changed subscriptions: as stored, and as they are now. */
  moved: Map<string, Change<Subscription>>;
  /** New subscriptions, as they are now. */
  begun: Map<string, Subscription>;
  /** New purchases, as they are now. */
  bought: Map<string, Purchase>;
  /** Changed purchases, as they are now. */
  purchases: Map<string, Purchase>;
  /** New rows that are not on their way to the database. */
  history: History;
  /** What is on its way there. */
  sent: Promise<unknown>[];
  /** Changes to earlier payments. */
  settled: Settled[];
  /** New ends of earlier payments, by the id of the payment. */
  ends: PaymentEnds;
  /** All new rows of the ledger. */
  movements: Row<"movements">[];
  /** Their sums by day and cohort. */
  totals: MovementTotals;
  /** All new events. */
  events: Row<"events">[];
  /** The changes of balances by events. */
  balances: (NewBalance & { created_at: number })[];
}

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
export async function openJournal(place: ProjectCall): Promise<Journal> {
  const seq = await lastSeq(place.tx);
  const pages: Pages = {
    place,
    facts: readEventFacts(place),
    seq,
    moved: new Map(),
    begun: new Map(),
    bought: new Map(),
    purchases: new Map(),
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
    purchase: (id) => purchaseNow(pages, id),
    payment: (id) => paymentNow(pages, id),
    record: (step) => takeDown(pages, step),
    recordPurchase: (step) => takeDownPurchase(pages, step),
    addMovements: (movements) => addMovements(pages, movements),
    addEvent: (event) => addEvent(pages, event),
    begin: () => begin(pages),
    write: () => write(pages),
  };
}

/** Stores some steps in order. Returns the subscriptions after them. */
export async function recordSteps(
  place: ProjectCall,
  steps: readonly Step[],
): Promise<Subscription[]> {
  const journal = await openJournal(place);
  const after: Subscription[] = [];
  for (const step of steps) after.push(await journal.record(step));
  await journal.write();
  return after;
}

/** Stores a one-time purchase or its refund. Returns the purchase after it. */
export async function recordPurchase(place: ProjectCall, step: PurchaseStep): Promise<Purchase> {
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
  const isNew = step.starts || pages.bought.has(after.id);
  (isNew ? pages.bought : pages.purchases).set(after.id, after);
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

async function purchaseNow({ place: { tx }, bought, purchases }: Pages, id: string) {
  return bought.get(id) ?? purchases.get(id) ?? await findRow(tx, "purchases", id);
}

async function paymentNow(pages: Pages, id: string): Promise<Transaction | undefined> {
  const { place: { tx }, history, settled, ends } = pages;
  const payment = history.transactions.findLast((row) => row.id === id) ??
    await findRow(tx, "transactions", id);
  return payment && afterChanges(payment, settled, ends);
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
  const isAlone = pages.begun.size === 0 && pages.bought.size === 0;
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
  await writeRows(tx, "purchases", [...pages.bought.values()]);
  await updateRows(tx, "purchases", [...pages.purchases.values()], ["status", "refunded_at"]);
  await writeRows(tx, "transactions", history.transactions);
  await writeRows(tx, "invoices", history.invoices);
  for (const settled of pages.settled) await writeSettlement(tx, settled);
  await writeEnds(tx, pages.ends);
  await writeRows(tx, "movements", history.movements);
  const { days, cohorts } = pages.totals;
  await writeRows(tx, "movements_daily", [...days.values()], { key: SUM_KEY, then: "add" });
  await writeRows(tx, "movements_monthly", monthsOf(pages.totals), { key: SUM_KEY, then: "add" });
  await writeRows(tx, "movement_totals", totalsOf(pages.totals), { key: TOTAL_KEY, then: "add" });
  await addCohorts(tx, cohorts);
  await markPayers(pages.place, pages.facts, pages.movements);
  for (const { created_at, transaction_id, product_id, ...change } of pages.balances) {
    const transaction = { transaction_id, product_id, created_at, reference: null };
    await changeAsFarAsPossible(pages.place, change, { ...transaction, source: "in_app_purchase" });
  }
  await writeRows(tx, "events", await spellEvents(tx.whole, history.events));
  await queueDeliveries(pages.place, pages.events);
}
