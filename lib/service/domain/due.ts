/**
 * What happens to a subscription when time passes and nobody acts.
 *
 * @module
 */

import type { Reason } from "../store/holding_tables.ts";
import { addDuration } from "./calendar.ts";
import { makeChange, type Terms } from "./product_change.ts";
import type { Step, Subscription } from "./step.ts";
import { renewsAgain } from "./stores.ts";
import {
  begin,
  changed,
  charge,
  expiration,
  expire,
  movementOfEnd,
  RETRY,
} from "./subscription.ts";

/**
 * The steps of a subscription at its due time. `next` holds the terms of the product that it changes
 * to.
 */
export function passDue(state: Subscription, next?: Terms): Step[] {
  const at = state.due_at;
  if (at === null) return [];
  switch (state.status) {
    case "incomplete":
      return [begin(state, at)];
    case "paused":
      return [charge(state, at, at)];
    case "in_grace_period":
      return [endGrace(state, at)];
    case "in_billing_retry":
      return [endRetry(state, at)];
    default:
      return endPeriod(state, at, next);
  }
}

/** The end of a period with access. */
function endPeriod(state: Subscription, at: number, next?: Terms): Step[] {
  switch (state.auto_renewal_status) {
    case "will_not_renew":
      return [end(state, at, state.cancel_reason ?? "UNSUBSCRIBE")];
    case "requires_price_increase_consent":
      return [end(state, at, "PRICE_INCREASE")];
    case "has_already_renewed":
      return [beginPaidPeriod(state, at)];
    case "will_pause":
      return [pauseNow(state, at)];
    case "will_change_product":
      // A failed charge is for the old product and cancels the change.
      return next && state.charge_fails === 0
        ? makeChange(state, at, next)
        : [charge(state, at, at)];
    case "will_renew": {
      const again = renewsAgain(state.store, state.renewal_number - 1);
      return [again ? charge(state, at, at) : end(state, at, "UNSUBSCRIBE")];
    }
  }
}

/** The end of grace. The store keeps retrying without access, unless the customer has cancelled. */
function endGrace(state: Subscription, at: number): Step {
  if (state.auto_renewal_status === "will_not_renew") return end(state, at, "BILLING_ERROR");
  const after = changed(state, {
    status: "in_billing_retry",
    grace_ends_at: null,
    retry_ends_at: addDuration(at, RETRY),
  });
  const movement = state.period_type === "trial" ? "trial_expiration" : "lapse";
  return { before: state, after, at, movement, events: [expiration("BILLING_ERROR")] };
}

/** The store stops retrying. An earlier event announced the end of access. */
function endRetry(state: Subscription, at: number): Step {
  const step = expire(state, at, "expiration", []);
  return { ...step, after: { ...step.after, cancel_reason: "BILLING_ERROR" } };
}

/** Starts the next period, which is already paid for. */
export function beginPaidPeriod(state: Subscription, at: number): Step {
  const after = changed(state, {
    auto_renewal_status: "will_renew",
    period_starts_at: at,
    period_ends_at: state.renewed_until,
    renewed_until: null,
  });
  return { before: state, after, at, movement: "renewal", events: [] };
}

/** Starts a pause that was requested earlier. */
function pauseNow(state: Subscription, at: number): Step {
  const after = changed(state, {
    status: "paused",
    auto_renewal_status: "will_renew",
    period_starts_at: at,
    period_ends_at: state.resumes_at,
  });
  const events = [expiration("SUBSCRIPTION_PAUSED")];
  return { before: state, after, at, movement: "pause", events };
}

/** Ends a subscription and its access. */
function end(state: Subscription, at: number, reason: Reason): Step {
  return expire(state, at, movementOfEnd(state), [expiration(reason)]);
}
