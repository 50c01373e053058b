/**
 * Changes from one product to another, now or at the end of the period.
 *
 * A trial keeps its subscription and continues with the new product. A paid subscription does not:
 * it ends, and a new subscription replaces it.
 *
 * Gap: the simulator charges the full price of the new product and refunds nothing for the rest of
 * the old period. Stores differ here.
 *
 * @module
 */

import { monthlyUsd } from "./movements.ts";
import { nameOf } from "./actions.ts";
import { type EventDraft, IllegalStep, type Step, type Subscription } from "./step.ts";
import { derivedHex, transactionId } from "./stores.ts";
import { begin, changed, expire, renew } from "./subscription.ts";

/** A product's price and periods. */
export interface Terms {
  /** The product's id. */
  product_id: string;
  /** The length of a period, ISO 8601. */
  duration: string;
  /** The grace period after a failed charge, ISO 8601, or null. */
  grace_duration: string | null;
  /** The price of a period, in micros of the subscription's currency. */
  price_micros: number;
}

/** Refuses a product change unless the subscription renews normally. */
export function checkChangeable(state: Subscription): void {
  const open = state.status === "active" || state.status === "trialing";
  const renewal = state.auto_renewal_status;
  const busy = renewal === "has_already_renewed" || renewal === "will_pause" ||
    renewal === "requires_price_increase_consent";
  if (!open || busy || state.charge_fails === 1) {
    throw new IllegalStep(`A subscription that is ${nameOf(state)} cannot change its product`);
  }
}

/** Changes the product now. */
export function changeNow(state: Subscription, at: number, terms: Terms): Step[] {
  const told = productChange(terms);
  if (state.period_type !== "trial") {
    const event = state.store === "play_store" ? "INITIAL_PURCHASE" : "RENEWAL";
    return succeed(state, at, terms, [told], event);
  }
  const after = changed(state, {
    ...termsOf(terms),
    auto_renewal_status: "will_renew",
    cancel_reason: null,
    pending_product_id: null,
    pending_price_micros: null,
  });
  return [{ before: state, after, at, movement: "trial_change", events: [told] }];
}

/** Sets the product of the next period. */
export function changeAtEnd(state: Subscription, at: number, terms: Terms): Step[] {
  const after = changed(state, {
    auto_renewal_status: "will_change_product",
    pending_product_id: terms.product_id,
    pending_price_micros: terms.price_micros,
  });
  const movement = "uncancellation";
  return [{ before: state, after, at, movement, events: [productChange(terms)] }];
}

/** Cancels a change that was planned for the end of the period. */
export function keepProduct(state: Subscription, at: number): Step[] {
  const after = changed(state, {
    auto_renewal_status: "will_renew",
    pending_product_id: null,
    pending_price_micros: null,
  });
  return [{ before: state, after, at, movement: "uncancellation", events: [] }];
}

/** Makes the change that was planned for the end of the period. */
export function makeChange(state: Subscription, at: number, terms: Terms): Step[] {
  if (state.period_type !== "trial") return succeed(state, at, terms, [], "RENEWAL");
  const step = renew(changed(state, termsOf(terms)), at, at);
  return [{ ...step, before: state }];
}

/** Ends a subscription and starts its replacement. */
function succeed(
  state: Subscription,
  at: number,
  terms: Terms,
  told: EventDraft[],
  type: "RENEWAL" | "INITIAL_PURCHASE",
): Step[] {
  const next = successorOf(state, at, terms);
  const movement = monthlyUsd(next) < monthlyUsd(state) ? "downgrade" : "upgrade";
  const renewal_number = type === "RENEWAL" ? state.renewal_number + 1 : 1;
  const event: EventDraft = type === "RENEWAL"
    ? { type, extra: { is_trial_conversion: false } }
    : { type };
  const start = begin(next, at, { movement, event, renewal_number });
  return [expire(state, at, movement, told), { ...start, before: undefined, succeeds: state }];
}

/** The replacement of a paid subscription, before it starts. */
function successorOf(state: Subscription, at: number, terms: Terms): Subscription {
  const id = successorId(state);
  const transaction_id = transactionId({ ...state, id }, { number: 1, at });
  return changed(state, {
    ...termsOf(terms),
    id,
    seq: 0,
    status: "incomplete",
    starts_at: at,
    trial_duration: null,
    transaction_id,
    original_transaction_id: state.store === "play_store"
      ? transaction_id
      : state.original_transaction_id,
    transaction_count: 0,
    cancel_reason: null,
    share_count: 0,
    gross_usd_micros: 0,
    commission_usd_micros: 0,
    tax_usd_micros: 0,
    event_count: 0,
  });
}

/**
 * The id of a subscription's replacement. It is derived, so that a replay gives the same id, and
 * longer than other ids of its kind, so that it never meets one of them.
 */
export function successorId({ project_id, id, renewal_number }: Subscription): string {
  return `sub${derivedHex(`${project_id}/${id}/${renewal_number}`, 16)}`;
}

function termsOf(terms: Terms): Terms {
  const { product_id, duration, grace_duration, price_micros } = terms;
  return { product_id, duration, grace_duration, price_micros };
}

function productChange({ product_id }: Terms): EventDraft {
  return { type: "PRODUCT_CHANGE", extra: { new_product_id: product_id } };
}
