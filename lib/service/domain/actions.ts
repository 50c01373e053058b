/**
 * What customers, developers and stores do to a subscription. When the state does not allow an
 * action, it throws an `IllegalStep` with the reason.
 *
 * @module
 */

import type { Reason } from "../store/holding_tables.ts";
import { IllegalStep, type Step, type Subscription } from "./step.ts";
import {
  changed,
  charge,
  expiration,
  expire,
  failCharge,
  isOpen,
  movementOfEnd,
  renew,
  renewEarly,
} from "./subscription.ts";

/** Turns auto-renewal off. Access lasts to the end of the paid period; without access, it ends now. */
export function cancel(state: Subscription, at: number, reason: Reason): Step {
  if (state.auto_renewal_status === "will_not_renew") {
    throw new IllegalStep(
      state.status === "expired"
        ? "The subscription has expired"
        : "The subscription is already cancelled",
    );
  }
  const told = { type: "CANCELLATION", extra: { cancel_reason: reason } } as const;
  if (!isOpen(state)) {
    const events = state.status === "incomplete" ? [] : [told];
    const step = expire(state, at, "expiration", events);
    return { ...step, after: { ...step.after, cancel_reason: reason } };
  }
  const after = changed(state, {
    auto_renewal_status: "will_not_renew",
    cancel_reason: reason,
    period_ends_at: state.renewed_until ?? state.period_ends_at,
    renewed_until: null,
    resumes_at: null,
    pending_product_id: null,
    pending_price_micros: null,
  });
  return { before: state, after, at, movement: "cancellation", events: [told] };
}

/** Turns auto-renewal back on. */
export function uncancel(state: Subscription, at: number): Step {
  if (state.auto_renewal_status !== "will_not_renew" || state.store === "promotional") {
    throw new IllegalStep("The subscription is not cancelled");
  }
  if (state.status === "expired") {
    throw new IllegalStep("The subscription has expired; the customer must buy it again");
  }
  const after = changed(state, { auto_renewal_status: "will_renew", cancel_reason: null });
  const events = [{ type: "UNCANCELLATION" } as const];
  return { before: state, after, at, movement: "uncancellation", events };
}

/** Charges for the next period now. A trial ends at once; a paid period runs to its end. */
export function renewNow(state: Subscription, at: number): Step {
  const renews = state.auto_renewal_status === "will_renew";
  if (renews && state.charge_fails === 0) {
    if (state.status === "trialing") return renew(state, at, at);
    if (state.status === "active") return renewEarly(state, at);
  }
  if (state.charge_fails === 1) {
    throw new IllegalStep("The subscription's charges are failing; recover it instead");
  }
  throw new IllegalStep(`A subscription that is ${nameOf(state)} cannot be renewed now`);
}

/** Makes the next charge fail. */
export function failNext(state: Subscription, at: number, grace: string | null): Step {
  checkFailing(state);
  const after = changed(state, { charge_fails: 1, grace_duration: grace });
  return { before: state, after, at, movement: "billing_issue", events: [] };
}

/** Ends the period now and fails the charge for the next one. */
export function failNow(state: Subscription, at: number, grace: string | null): Step {
  checkFailing(state);
  const ending = changed(state, {
    grace_duration: grace,
    period_ends_at: at,
    ...state.period_type === "trial" ? {} : { anchor_at: at, anchor_periods: 0 },
  });
  return { ...failCharge(ending, at), before: state };
}

/** Makes charges succeed again, and charges the outstanding amount. */
export function recover(state: Subscription, at: number): Step {
  if (state.charge_fails === 0) throw new IllegalStep("The subscription has no failing charge");
  // A store does not charge after a cancellation. Cancelled in grace, access ends with grace.
  if (state.status === "in_grace_period" && state.auto_renewal_status === "will_not_renew") {
    throw new IllegalStep(
      "The subscription is cancelled; uncancel it first, or wait for grace to end",
    );
  }
  const able = changed(state, { charge_fails: 0 });
  if (state.status === "in_billing_retry") return { ...charge(able, at, at), before: state };
  if (state.status === "in_grace_period") {
    // The new period starts where the last one ended, unless it would be over by now.
    const step = charge(able, at, state.period_ends_at ?? at);
    const ends = step.after.period_ends_at;
    const late = ends !== null && ends <= at;
    return { ...late ? charge(able, at, at) : step, before: state };
  }
  if (state.status === "incomplete") {
    throw new IllegalStep("The subscription's invoice is unpaid");
  }
  return { before: state, after: able, at, movement: "recovery", events: [] };
}

/** Pauses a subscription at the end of its period, until a given time or until it is resumed. */
export function pause(state: Subscription, at: number, resumesAt: number | null): Step {
  const { status, auto_renewal_status: renewal } = state;
  if (status !== "active" || renewal !== "will_renew" && renewal !== "will_pause") {
    throw new IllegalStep(`A subscription that is ${nameOf(state)} cannot be paused`);
  }
  if (resumesAt !== null && resumesAt <= (state.period_ends_at ?? at)) {
    throw new IllegalStep("The pause would end before the current period does");
  }
  const after = changed(state, { auto_renewal_status: "will_pause", resumes_at: resumesAt });
  const extra = { auto_resume_at_ms: resumesAt };
  const events = [{ type: "SUBSCRIPTION_PAUSED", extra } as const];
  return { before: state, after, at, movement: "pause", events };
}

/** Ends a pause, or cancels one that has not started. */
export function resume(state: Subscription, at: number): Step {
  if (state.status === "paused") return charge(state, at, at);
  if (state.auto_renewal_status !== "will_pause") {
    throw new IllegalStep("The subscription is not paused");
  }
  const after = changed(state, { auto_renewal_status: "will_renew", resumes_at: null });
  return { before: state, after, at, movement: "resumption", events: [] };
}

/** Extends the current period. Later periods are counted from its new end. */
export function extend(state: Subscription, at: number, until: number): Step {
  const open = state.status === "active" || state.status === "trialing";
  if (!open || state.auto_renewal_status === "has_already_renewed") {
    throw new IllegalStep(`A subscription that is ${nameOf(state)} cannot be extended`);
  }
  if (until <= (state.period_ends_at ?? at)) {
    throw new IllegalStep("The new end must be later than the end of the current period");
  }
  const pauses = state.resumes_at !== null && state.resumes_at <= until;
  if (pauses) throw new IllegalStep("The pause would end before the current period does");
  const after = changed(state, { period_ends_at: until, anchor_at: until, anchor_periods: 0 });
  const events = [{ type: "SUBSCRIPTION_EXTENDED" } as const];
  return { before: state, after, at, movement: "renewal", events };
}

/** Ends a subscription at once. */
export function expireNow(state: Subscription, at: number, reason: Reason): Step {
  if (state.status === "expired") throw new IllegalStep("The subscription has already expired");
  // Without access, an earlier event announced the end, or the subscription never started.
  const step = expire(state, at, movementOfEnd(state), isOpen(state) ? [expiration(reason)] : []);
  return { ...step, after: { ...step.after, cancel_reason: reason } };
}

/** Announces a higher price from the next period on. The customer must agree to it. */
export function raisePrice(state: Subscription, at: number, price: number): Step {
  if (state.status !== "active" || state.auto_renewal_status !== "will_renew") {
    throw new IllegalStep(`Cannot raise the price of a subscription that is ${nameOf(state)}`);
  }
  if (price <= state.price_micros) throw new IllegalStep("The new price must be higher");
  const after = changed(state, {
    auto_renewal_status: "requires_price_increase_consent",
    pending_price_micros: price,
  });
  const events = [{ type: "PRICE_INCREASE_CONSENT_REQUIRED" } as const];
  return { before: state, after, at, movement: "upgrade", events };
}

/** Accepts the higher price for the customer. */
export function agreeToPrice(state: Subscription, at: number): Step {
  if (state.auto_renewal_status !== "requires_price_increase_consent") {
    throw new IllegalStep("The subscription has no price increase to agree to");
  }
  const after = changed(state, {
    auto_renewal_status: "will_renew",
    price_micros: state.pending_price_micros ?? state.price_micros,
    pending_price_micros: null,
  });
  const events = [{ type: "PRICE_INCREASE_CONSENT_APPROVED" } as const];
  return { before: state, after, at, movement: "upgrade", events };
}

/** A state's name in a sentence. */
export function nameOf({ status, auto_renewal_status: renewal }: Subscription): string {
  if (status !== "active" || renewal === "will_renew") return status.replaceAll("_", " ");
  return `${status} and ${renewal.replaceAll("_", " ")}`;
}

function checkFailing(state: Subscription): void {
  const open = state.status === "active" || state.status === "trialing";
  const renews = state.auto_renewal_status === "will_renew" ||
    state.auto_renewal_status === "will_change_product";
  if (open && renews && state.charge_fails === 0) return;
  if (state.charge_fails === 1) {
    throw new IllegalStep("The subscription's charges are already failing");
  }
  throw new IllegalStep(`A subscription that is ${nameOf(state)} is not charged`);
}
