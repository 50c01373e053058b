/**
 * Which entitlements a customer has, by status and by time.
 *
 * @module
 */

import type { Row } from "../store/tables.ts";

type Subscription = Pick<
  Row<"subscriptions">,
  "status" | "starts_at" | "period_ends_at" | "renewed_until" | "grace_ends_at"
>;

/** Whether a subscription gives its entitlements at a moment. */
export function givesAccess(subscription: Subscription, now: number): boolean {
  const { status, starts_at } = subscription;
  const open = status === "trialing" || status === "active" || status === "in_grace_period";
  const end = accessEnd(subscription);
  return open && starts_at <= now && (end === null || now < end);
}

/**
 * The end of a subscription's access if no further payment comes: the end of the paid or granted
 * period, grace included. Null for access without end.
 */
export function accessEnd(subscription: Subscription): number | null {
  const { grace_ends_at, renewed_until, period_ends_at } = subscription;
  return grace_ends_at ?? renewed_until ?? period_ends_at;
}

/** A source of an entitlement, with or without an end. */
export interface Source {
  /** The entitlement's id. */
  entitlement_id: string;
  /** When it ends, or null for never. */
  expires_at: number | null;
}

/** The latest end for each entitlement. Null, for no end, is the latest of all. */
export function furthestEnds(sources: Iterable<Source>): Map<string, number | null> {
  const ends = new Map<string, number | null>();
  for (const { entitlement_id, expires_at } of sources) {
    const known = ends.get(entitlement_id);
    const further = known === undefined || known !== null &&
        (expires_at === null || expires_at > known);
    if (further) ends.set(entitlement_id, expires_at);
  }
  return ends;
}
