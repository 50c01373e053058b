/**
 * Promotional grants: entitlements given until a date, without a store.
 *
 * @module
 */

import { NEW_SUBSCRIPTION } from "./new_subscription.ts";
import type { Step, Subscription } from "./step.ts";
import { derivedHex, platformOf } from "./stores.ts";
import { changed, expiration, expire } from "./subscription.ts";

/** The data of a grant. */
interface NewGrant {
  /** The project's id. */
  project_id: string;
  /** The id of the grant. */
  id: string;
  /** The customer who gets it. */
  customer_id: string;
  /** The entitlement's id. */
  entitlement_id: string;
  /** When it ends. */
  expires_at: number;
}

/** Grants an entitlement that the customer has no grant for. */
export function grant(given: NewGrant, at: number): Step {
  const { customer_id, expires_at, ...ids } = given;
  const transaction_id = `promo_${derivedHex(`${ids.project_id}/${ids.id}`, 20)}`;
  const after = changed(NO_GRANT, {
    ...ids,
    customer_id,
    original_customer_id: customer_id,
    starts_at: at,
    period_starts_at: at,
    period_ends_at: expires_at,
    anchor_at: at,
    transaction_id,
    original_transaction_id: transaction_id,
  });
  const events = [{ type: "NON_RENEWING_PURCHASE" } as const];
  return { before: undefined, after, at, movement: "start", events };
}

/**
 * Changes the end of a grant. Undefined when nothing changes.
 *
 * Gap: a later end is reported as a new grant, an earlier one as a cancellation by the developer.
 */
export function regrant(state: Subscription, at: number, expiresAt: number): Step | undefined {
  const { period_ends_at } = state;
  if (period_ends_at === expiresAt) return undefined;
  const sooner = period_ends_at === null || expiresAt < period_ends_at;
  const after = changed(state, {
    period_ends_at: expiresAt,
    cancel_reason: sooner ? "DEVELOPER_INITIATED" : null,
  });
  const extra = { cancel_reason: "DEVELOPER_INITIATED" } as const;
  const told = sooner
    ? { type: "CANCELLATION", extra } as const
    : { type: "NON_RENEWING_PURCHASE" } as const;
  return { before: state, after, at, movement: "renewal", events: [told] };
}

/** Ends a grant at once. */
export function revoke(state: Subscription, at: number): Step {
  const cancelled = changed(state, { cancel_reason: "DEVELOPER_INITIATED" });
  const extra = { cancel_reason: "DEVELOPER_INITIATED" } as const;
  return {
    ...expire(cancelled, at, "expiration", [
      { type: "CANCELLATION", extra },
      expiration("DEVELOPER_INITIATED"),
    ]),
    before: state,
  };
}

/** A grant before it starts. */
const NO_GRANT: Subscription = {
  ...NEW_SUBSCRIPTION,
  project_id: "",
  id: "",
  customer_id: "",
  original_customer_id: "",
  product_id: null,
  app_id: null,
  entitlement_id: "",
  store: "promotional",
  environment: "production",
  ownership: "purchased",
  status: "active",
  auto_renewal_status: "will_not_renew",
  period_type: "promotional",
  starts_at: 0,
  period_starts_at: 0,
  period_ends_at: null,
  anchor_at: 0,
  duration: null,
  grace_duration: null,
  trial_duration: null,
  currency: "USD",
  price_micros: 0,
  country: null,
  platform: platformOf("promotional"),
  offering_id: null,
  transaction_id: "",
  original_transaction_id: "",
  charge_fails: 0,
};
