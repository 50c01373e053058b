/**
 * The ledger rows of a step, and their sums by day and month. `movements.ts` explains each kind.
 *
 * @module
 */

import type { MovementSums } from "../store/holding_tables.ts";
import type { Row } from "../store/tables.ts";
import { dayOf, monthOf } from "./calendar.ts";
import { addToCohorts, type CohortTotals } from "./cohorts.ts";
import type { Parts } from "./money.ts";
import { NOTHING } from "./money.ts";
import { type Levels, levelsOf } from "./movements.ts";
import type { PurchaseStep } from "./purchase.ts";
import type { Step, Subscription } from "./step.ts";

/** A ledger row without its sequence number. */
export type Movement = Omit<Row<"movements">, "seq">;

/** The ledger rows for a step of a subscription. None when neither money nor levels change. */
export function movementsOf(step: Step, customerSince: number): Movement[] {
  const { before, after } = step;
  const flows = flowsOf(step);
  const was = levelsOf(before);
  const is = levelsOf(after);
  const draft = (state: Subscription, sums: MovementSums): Movement[] =>
    isNothing(sums) ? [] : [{ ...aboutSubscription(step, state, customerSince), ...sums }];
  if (before && before.product_id !== after.product_id) {
    const leaves = sumsOf({ usd: NOTHING, payments: 0, refunds: 0 }, was, NO_LEVELS);
    return [...draft(before, leaves), ...draft(after, sumsOf(flows, NO_LEVELS, is))];
  }
  return draft(after, sumsOf(flows, was, is));
}

/** The ledger rows that take a subscription out of all levels when its customer is deleted. */
export function movementsOfDeletion(
  state: Subscription,
  at: number,
  customerSince: number,
): Movement[] {
  const after = { ...state, status: "expired" } as const;
  const step: Step = { before: state, after, at, movement: "deletion", events: [] };
  return movementsOf(step, customerSince).map((row) => ({ ...row, customer_id: null }));
}

/** The ledger row for a one-time purchase or its refund. None when it is free. */
export function movementsOfPurchase(step: PurchaseStep, customerSince: number): Movement[] {
  const { after, at, movement, money } = step;
  const refunds = movement === "refund" ? 1 : movement === "refund_reversal" ? -1 : 0;
  const payments = movement === "purchase" && money.usd.gross !== 0 ? 1 : 0;
  const sums = sumsOf({ usd: money.usd, payments, refunds }, NO_LEVELS, NO_LEVELS);
  if (isNothing(sums)) return [];
  return [{
    ...dimensionsOf(after),
    at,
    kind: movement,
    customer_id: after.customer_id,
    customer_since: customerSince,
    subscription_id: null,
    purchase_id: after.id,
    transaction_id: after.store_purchase_identifier,
    transaction_at: after.purchased_at,
    started_at: after.purchased_at,
    paid_since: after.purchased_at,
    renewal_number: null,
    period_type: null,
    product_id: after.product_id,
    product_duration: null,
    ...sums,
  }];
}

/** The key of a row of sums: every column that is not a sum. */
export const SUM_KEY = [
  "project_id",
  "day",
  "kind",
  "environment",
  "store",
  "app_id",
  "product_id",
  "product_duration",
  "offering_id",
  "country",
  "platform",
] as const;

/** The key of a row of totals, by day. */
export const TOTAL_KEY = ["project_id", "day", "kind", "environment"] as const;

/** Sums of movements by day and by cohort, by the text of their keys. */
export interface MovementTotals {
  /** Rows of `movements_daily`. */
  days: Map<string, Row<"movements_daily">>;
  /** Rows of `cohort_payments`. */
  cohorts: CohortTotals;
}

/** Makes sums of no movements. */
export function newTotals(): MovementTotals {
  return { days: new Map(), cohorts: new Map() };
}

/** Adds a movement to the sums of its day and its cohort. */
export function addToTotals({ days, cohorts }: MovementTotals, movement: Movement): void {
  addRow(days, dayRowOf(movement));
  addToCohorts(cohorts, movement);
}

/** Rows of `movements_monthly`: the sums of days, added up. */
export function monthsOf({ days }: MovementTotals): Row<"movements_monthly">[] {
  const months: MovementTotals["days"] = new Map();
  for (const row of days.values()) addRow(months, { ...row, day: monthOf(row.day) });
  return [...months.values()];
}

/** Rows of `movement_totals`: the sums of days, added up by kind and environment alone. */
export function totalsOf({ days }: MovementTotals): Row<"movement_totals">[] {
  const totals = new Map<string, Row<"movement_totals">>();
  for (const row of days.values()) {
    const key = TOTAL_KEY.map((name) => row[name]).join("\0");
    const known = totals.get(key);
    if (known) addSums(known, row);
    else totals.set(key, totalOf(row));
  }
  return [...totals.values()];
}

/** Adds a row to the one with its key. That one may change, so both belong to the sums. */
function addRow(rows: MovementTotals["days"], row: Row<"movements_daily">): void {
  const key = SUM_KEY.map((name) => row[name]).join("\0");
  const known = rows.get(key);
  if (known) addSums(known, row);
  else rows.set(key, row);
}

/** What a row of a day adds to the total of its kind and environment. */
function totalOf(row: Row<"movements_daily">): Row<"movement_totals"> {
  const { project_id, day, kind, environment, movements } = row;
  return { project_id, day, kind, environment, movements, ...sumsIn(row) };
}

/** The sums of a row alone. */
function sumsIn(row: MovementSums): MovementSums {
  return {
    gross_usd_micros: row.gross_usd_micros,
    commission_usd_micros: row.commission_usd_micros,
    tax_usd_micros: row.tax_usd_micros,
    payments_delta: row.payments_delta,
    refunds_delta: row.refunds_delta,
    mrr_delta_micros: row.mrr_delta_micros,
    actives_delta: row.actives_delta,
    trials_delta: row.trials_delta,
    renewing_delta: row.renewing_delta,
    billing_issues_delta: row.billing_issues_delta,
  };
}

/** What a movement adds to the row of its day. */
function dayRowOf(row: Movement): Row<"movements_daily"> {
  return {
    project_id: row.project_id,
    day: dayOf(row.at),
    kind: row.kind,
    environment: row.environment,
    store: row.store,
    app_id: row.app_id,
    product_id: row.product_id,
    product_duration: row.product_duration ?? "",
    offering_id: row.offering_id ?? "",
    country: row.country ?? "",
    platform: row.platform,
    movements: 1,
    ...sumsIn(row),
  };
}

/** Adds the sums of a row to another one with the same key. */
function addSums(sum: Row<"movement_totals">, row: Row<"movement_totals">): void {
  sum.movements += row.movements;
  sum.gross_usd_micros += row.gross_usd_micros;
  sum.commission_usd_micros += row.commission_usd_micros;
  sum.tax_usd_micros += row.tax_usd_micros;
  sum.payments_delta += row.payments_delta;
  sum.refunds_delta += row.refunds_delta;
  sum.mrr_delta_micros += row.mrr_delta_micros;
  sum.actives_delta += row.actives_delta;
  sum.trials_delta += row.trials_delta;
  sum.renewing_delta += row.renewing_delta;
  sum.billing_issues_delta += row.billing_issues_delta;
}

const NO_LEVELS = levelsOf(undefined);

/** The money and counts of a step. */
interface Flows {
  /** Money in US dollars. */
  usd: Parts;
  /** Payments made. */
  payments: number;
  /** Payments refunded. */
  refunds: number;
}

function flowsOf({ money, payment, settlement }: Step): Flows {
  const usd = money?.usd ?? NOTHING;
  const paid = payment?.status === "completed" || settlement?.transaction.status === "pending";
  const refunds = settlement?.status === "refunded"
    ? 1
    : settlement?.transaction.status === "refunded"
    ? -1
    : 0;
  return { usd, payments: paid && usd.gross > 0 ? 1 : 0, refunds };
}

function sumsOf({ usd, payments, refunds }: Flows, was: Levels, is: Levels): MovementSums {
  return {
    gross_usd_micros: usd.gross,
    commission_usd_micros: usd.commission,
    tax_usd_micros: usd.tax,
    payments_delta: payments,
    refunds_delta: refunds,
    mrr_delta_micros: is.mrr - was.mrr,
    actives_delta: is.actives - was.actives,
    trials_delta: is.trials - was.trials,
    renewing_delta: is.renewing - was.renewing,
    billing_issues_delta: is.billing_issues - was.billing_issues,
  };
}

function isNothing(sums: MovementSums): boolean {
  return Object.values(sums).every((value) => value === 0);
}

function aboutSubscription(
  step: Step,
  state: Subscription,
  customerSince: number,
): Omit<Movement, keyof MovementSums> {
  const transaction = step.settlement?.transaction;
  return {
    ...dimensionsOf(state),
    at: step.at,
    kind: step.movement,
    customer_id: state.customer_id,
    customer_since: customerSince,
    subscription_id: state.id,
    purchase_id: null,
    transaction_id: step.payment?.id ?? transaction?.id ?? null,
    transaction_at: step.payment ? step.at : transaction?.purchased_at ?? null,
    started_at: state.starts_at,
    paid_since: state.paid_since,
    renewal_number: state.renewal_number,
    period_type: state.period_type,
    product_id: state.product_id ?? "",
    product_duration: state.duration,
  };
}

type Dimension =
  | "project_id"
  | "environment"
  | "store"
  | "app_id"
  | "offering_id"
  | "country"
  | "platform"
  | "currency";

function dimensionsOf(
  sold: Pick<Subscription, Dimension>,
): Pick<Movement, Dimension> {
  return {
    project_id: sold.project_id,
    environment: sold.environment,
    store: sold.store,
    app_id: sold.app_id ?? "",
    offering_id: sold.offering_id,
    country: sold.country,
    platform: sold.platform,
    currency: sold.currency,
  };
}
