/**
 * The life of a subscription: its start, its payments and failed charges, and its end. `actions.ts`
 * has the actions of people and stores, `due.ts` the changes when time passes.
 *
 * Everything here is a pure function from a state and a moment to a step: no database, no clock, no
 * randomness.
 *
 * | Status | gives access | next by itself |
 * |---|---|---|
 * | `incomplete` | no | starts when its day has come; never, while its first invoice is unpaid |
 * | `trialing` | yes | at the end of the trial the first charge |
 * | `active` | yes | at the end of the period the next charge, or what was set for then |
 * | `in_grace_period` | yes | at the end of grace `in_billing_retry` |
 * | `in_billing_retry` | no | after 30 days `expired` |
 * | `paused` | no | on the day to resume the next charge |
 * | `expired` | no | nothing |
 *
 * @module
 */

import type { Reason } from "../store/holding_tables.ts";
import { addDuration } from "./calendar.ts";
import { type Money, negate, type Parts, splitPayment } from "./money.ts";
import type { MovementKind } from "./movements.ts";
import type { EventDraft, Payment, Step, Subscription, Transaction } from "./step.ts";
import { periodIn, transactionId } from "./stores.ts";

/** How long a store keeps retrying the charge after access has ended. */
export const RETRY = "P30D";

/** The period of a product without a duration. */
export const USUAL_DURATION = "P1M";

/** The fields of a state without a failing charge, a pause or a planned change. */
const CALM = {
  renewed_until: null,
  grace_ends_at: null,
  retry_ends_at: null,
  resumes_at: null,
  pending_product_id: null,
  pending_price_micros: null,
} as const;

/** The next time at which the subscription changes by itself, or null. */
function dueAt(state: Subscription): number | null {
  // A family share follows its source.
  if (state.shared_from_id !== null) return null;
  switch (state.status) {
    case "expired":
      return null;
    case "incomplete":
      return state.charge_fails === 1 ? null : state.starts_at;
    case "paused":
      return state.resumes_at;
    case "in_grace_period":
      return state.grace_ends_at;
    case "in_billing_retry":
      return state.retry_ends_at;
    default:
      return state.period_ends_at;
  }
}

/** The state with changes and its new due time. */
export function changed(state: Subscription, changes: Partial<Subscription>): Subscription {
  const after = { ...state, ...changes };
  return { ...after, due_at: dueAt(after) };
}

/** How a subscription starts, where that is unusual. */
export interface Beginning {
  /** The kind of its ledger row. Default: `trial_start` or `start`. */
  movement?: MovementKind;
  /** Its event. Default INITIAL_PURCHASE. */
  event?: EventDraft;
  /** The pending payment to complete. Default: a new one. */
  pending?: Transaction;
  /** Its first period's number. Default 1. */
  renewal_number?: number;
}

/** Starts an incomplete subscription, with its trial or its first paid period. */
export function begin(state: Subscription, at: number, how: Beginning = {}): Step {
  const trial = state.trial_duration;
  const length = periodIn(state.store, trial ?? state.duration ?? USUAL_DURATION);
  const begun = changed(state, {
    ...CALM,
    status: trial === null ? "active" : "trialing",
    auto_renewal_status: "will_renew",
    period_type: trial === null ? "normal" : "trial",
    starts_at: at,
    paid_since: trial === null ? at : null,
    period_starts_at: at,
    period_ends_at: addDuration(at, length),
    anchor_at: at,
    anchor_periods: 1,
    renewal_number: how.renewal_number ?? 1,
    charge_fails: 0,
  });
  const movement = how.movement ?? (trial === null ? "start" : "trial_start");
  const step = how.pending ? payPending(begun, how.pending) : pay(begun, trial === null);
  const event = how.event ?? { type: "INITIAL_PURCHASE" };
  return { ...step, before: state, at, movement, events: [{ ...event, money: step.money }] };
}

/** Charges for the period that starts at `from`. The charge fails when the state says so. */
export function charge(state: Subscription, at: number, from: number): Step {
  return state.charge_fails === 1 ? failCharge(state, at) : renew(state, at, from);
}

/** A successful charge: a paid period starts at `from`. */
export function renew(state: Subscription, at: number, from: number): Step {
  const renewed = changed(state, {
    ...CALM,
    ...nextPeriod(state, from),
    status: "active",
    auto_renewal_status: "will_renew",
    period_type: "normal",
    paid_since: state.paid_since ?? from,
    period_starts_at: from,
    renewal_number: state.renewal_number + 1,
    charge_fails: 0,
    cancel_reason: null,
  });
  const step = pay(renewed, true);
  const is_trial_conversion = state.period_type === "trial";
  const event: EventDraft = { type: "RENEWAL", money: step.money, extra: { is_trial_conversion } };
  return { ...step, before: state, at, movement: movementOfRenewal(state), events: [event] };
}

/** A charge for the next period before the current one has ended. */
export function renewEarly(state: Subscription, at: number): Step {
  const from = state.period_ends_at ?? at;
  const { period_ends_at: renewed_until, ...anchor } = nextPeriod(state, from);
  const renewed = changed(state, {
    ...anchor,
    renewed_until,
    auto_renewal_status: "has_already_renewed",
    renewal_number: state.renewal_number + 1,
  });
  const step = pay(renewed, true);
  const extra = { is_trial_conversion: false };
  const event: EventDraft = { type: "RENEWAL", money: step.money, extra };
  return { ...step, before: state, at, movement: "renewal", events: [event] };
}

/** A failed charge: grace if the product has one, else the end of access. */
export function failCharge(state: Subscription, at: number): Step {
  const tried = attempt(state);
  const movement = state.period_type === "trial" ? "trial_expiration" : "lapse";
  const step = { ...tried, before: state, at };
  const cancelled: EventDraft = {
    type: "CANCELLATION",
    extra: { cancel_reason: "BILLING_ERROR" },
  };
  // After a pause there is no access to keep, so there is no grace.
  const paused = state.status === "paused";
  if (state.grace_duration !== null && !paused) {
    const grace_ends_at = addDuration(at, periodIn(state.store, state.grace_duration));
    const after = failing(tried.after, { status: "in_grace_period", grace_ends_at });
    const events = [billingIssue(grace_ends_at), cancelled];
    return { ...step, after, movement: "billing_issue", events };
  }
  const retry = { status: "in_billing_retry", retry_ends_at: addDuration(at, RETRY) } as const;
  const after = failing(tried.after, paused ? { ...retry, period_ends_at: at } : retry);
  // The pause already announced the end of access.
  const end = paused ? [] : [expiration("BILLING_ERROR")];
  return { ...step, after, movement, events: [billingIssue(null), cancelled, ...end] };
}

/** Ends a subscription, with these events. */
export function expire(
  state: Subscription,
  at: number,
  movement: MovementKind,
  events: EventDraft[],
): Step {
  const ended = state.period_ends_at !== null && state.period_ends_at <= at;
  const after = changed(state, {
    ...CALM,
    status: "expired",
    auto_renewal_status: "will_not_renew",
    period_ends_at: ended ? state.period_ends_at : at,
    charge_fails: 0,
  });
  return { before: state, after, at, movement, events };
}

/** The ledger kind of a subscription's end. */
export function movementOfEnd(state: Subscription): MovementKind {
  return state.period_type === "trial" ? "trial_expiration" : "expiration";
}

/** The event for the end of access. */
export function expiration(reason: Reason): EventDraft {
  return { type: "EXPIRATION", extra: { expiration_reason: reason } };
}

/** Whether the status gives access. */
export function isOpen({ status }: Subscription): boolean {
  return status === "trialing" || status === "active" || status === "in_grace_period";
}

/** Adds an amount, which may be negative, to a subscription's total. */
export function addRevenue(state: Subscription, { usd }: Money): Subscription {
  return {
    ...state,
    gross_usd_micros: state.gross_usd_micros + usd.gross,
    commission_usd_micros: state.commission_usd_micros + usd.commission,
    tax_usd_micros: state.tax_usd_micros + usd.tax,
  };
}

/** The amount of a payment or of its refund. */
export function moneyOf(transaction: Transaction, what: "payment" | "refund"): Money {
  const money = {
    currency: transaction.currency,
    local: partsOf(
      transaction.gross_micros,
      transaction.commission_micros,
      transaction.tax_micros,
    ),
    usd: partsOf(
      transaction.gross_usd_micros,
      transaction.commission_usd_micros,
      transaction.tax_usd_micros,
    ),
  };
  return what === "payment" ? money : negate(money);
}

function partsOf(gross: number, commission: number, tax: number): Parts {
  return { gross, commission, tax };
}

/**
 * The end of the period that starts at `from`. Consecutive periods are counted from one anchor, so
 * they keep the day of the month. After a gap, counting starts again.
 */
function nextPeriod(
  state: Subscription,
  from: number,
): Pick<Subscription, "anchor_at" | "anchor_periods"> & { period_ends_at: number } {
  const duration = periodIn(state.store, state.duration ?? USUAL_DURATION);
  const follows = isOpen(state) && state.period_type === "normal" && state.period_ends_at === from;
  const anchor_at = follows ? state.anchor_at : from;
  const anchor_periods = follows ? state.anchor_periods + 1 : 1;
  const period_ends_at = addDuration(anchor_at, duration, anchor_periods);
  return { anchor_at, anchor_periods, period_ends_at };
}

/** The ledger kind of a successful charge. */
function movementOfRenewal({ period_type, status }: Subscription): MovementKind {
  if (period_type === "trial") return "trial_conversion";
  if (status === "paused") return "resumption";
  return status === "active" ? "renewal" : "recovery";
}

/** The state of a subscription with an outstanding payment. */
function failing(state: Subscription, changes: Partial<Subscription>): Subscription {
  return changed(state, {
    ...CALM,
    auto_renewal_status: "will_renew",
    charge_fails: 1,
    ...changes,
  });
}

/** The event for a failed charge. */
function billingIssue(graceEndsAt: number | null): EventDraft {
  return { type: "BILLING_ISSUE", extra: { grace_period_expiration_at_ms: graceEndsAt } };
}

/** The parts of a step that a payment adds. */
type Paid = Pick<Step, "after" | "payment" | "settlement"> & { money: Money };

/** Pays for the current period; nothing when it is free. */
function pay(state: Subscription, costs: boolean): Paid {
  const { payment, after } = nextPayment(state, costs ? state.price_micros : 0, "completed");
  const paid = addRevenue({ ...after, transaction_id: payment.id }, payment.money);
  return { after: paid, payment, money: payment.money };
}

/** Completes the pending payment. */
function payPending(state: Subscription, transaction: Transaction): Paid {
  const money = moneyOf(transaction, "payment");
  const expires_at = state.period_ends_at;
  const settlement = { transaction, status: "completed", expires_at } as const;
  return { after: addRevenue(state, money), settlement, money };
}

/** A failed payment for the next period. */
function attempt(state: Subscription): { after: Subscription; payment: Payment } {
  return nextPayment(state, state.price_micros, "failed");
}

/** The id and number of a subscription's next payment. */
export function nextPayment(
  state: Subscription,
  gross: number,
  status: "completed" | "failed" | "pending",
): { after: Subscription; payment: Payment } {
  const number = state.transaction_count + 1;
  const id = number === 1 ? state.transaction_id : transactionId(state, {
    number,
    at: state.period_starts_at,
    original: state.original_transaction_id,
  });
  const payment: Payment = {
    id,
    money: splitPayment(gross, state),
    status,
    period_type: state.period_type,
    expires_at: status === "completed" ? state.renewed_until ?? state.period_ends_at : null,
  };
  return { after: { ...state, transaction_count: number }, payment };
}
