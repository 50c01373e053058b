/**
 * Refunds of a subscription's payments, and reversals of refunds.
 *
 * @module
 */

import {
  type EventDraft,
  IllegalStep,
  type Step,
  type Subscription,
  type Transaction,
} from "./step.ts";
import { addRevenue, changed, expiration, expire, isOpen, moneyOf } from "./subscription.ts";

/**
 * Refunds a payment. With `revoke`, access ends at once if it is the latest payment. A refund of an
 * earlier payment has no event.
 */
export function refund(
  state: Subscription,
  at: number,
  transaction: Transaction,
  revoke: boolean,
): Step {
  checkRefundable(transaction);
  const money = moneyOf(transaction, "refund");
  const latest = transaction.id === state.transaction_id;
  const ends = latest && revoke && state.status !== "expired";
  const told: EventDraft = {
    type: "CANCELLATION",
    money,
    extra: { cancel_reason: "CUSTOMER_SUPPORT" },
  };
  const events = latest ? [told] : [];
  if (ends && isOpen(state)) events.push(expiration("CUSTOMER_SUPPORT"));
  const ended = ends ? expire(state, at, "refund", []).after : state;
  const after = {
    ...ended,
    cancel_reason: ends ? "CUSTOMER_SUPPORT" as const : state.cancel_reason,
  };
  const settlement = { transaction, status: "refunded" } as const;
  const movement = "refund";
  return {
    before: state,
    after: addRevenue(after, money),
    at,
    movement,
    money,
    settlement,
    events,
  };
}

/** Reverses a refund. If the refund ended access, access returns until the end of the paid period. */
export function reverseRefund(state: Subscription, at: number, transaction: Transaction): Step {
  if (transaction.status !== "refunded") throw new IllegalStep("The payment is not refunded");
  const money = moneyOf(transaction, "payment");
  const { expires_at } = transaction;
  const revives = state.status === "expired" && state.cancel_reason === "CUSTOMER_SUPPORT" &&
    transaction.id === state.transaction_id && expires_at !== null && expires_at > at;
  const after = revives
    ? changed(state, { status: "active", period_ends_at: expires_at, cancel_reason: "UNSUBSCRIBE" })
    : state;
  return {
    before: state,
    after: addRevenue(after, money),
    at,
    movement: "refund_reversal",
    money,
    settlement: { transaction, status: "completed" },
    events: [{ type: "REFUND_REVERSED", money }],
  };
}

/** Refuses a payment that cannot be refunded. */
function checkRefundable({ status, gross_micros }: Transaction): void {
  if (status === "refunded") throw new IllegalStep("The payment is already refunded");
  if (status !== "completed") throw new IllegalStep("The payment was never completed");
  if (gross_micros === 0) throw new IllegalStep("The payment was free");
}
