/**
 * The ledger of money: the meaning of each kind of movement, and of its numbers.
 *
 * A movement is one row of `movements`. It is written in the transaction of what it tells, together
 * with its share of `movements_daily`, `movements_monthly` and `cohort_payments`, and never changed
 * after, except for whose it is: customers are joined and deleted. Every chart is a sum over them:
 *
 * - **Levels** are sums over everything up to a moment: how many subscriptions are paid for
 *   (`actives_delta`), on trial (`trials_delta`), paid and going to renew (`renewing_delta`), paid and
 *   with a payment outstanding (`billing_issues_delta`), and what they bring per month
 *   (`mrr_delta_micros`). Paid subscriptions that are neither renewing nor have a billing issue are
 *   set to end.
 * - **Flows** are sums over a span: money (`gross_usd_micros`, `commission_usd_micros`,
 *   `tax_usd_micros`; refunds negative), payments (`payments_delta`, those of more than nothing), and
 *   refunds (`refunds_delta`; a reversal takes one back).
 *
 * The levels of one subscription always add up to what `levelsOf` says of it, and for each dimension
 * they add up to 0 once it has ended: a subscription whose product changes leaves one product and
 * enters another. Store, environment, app, offering, country and platform of a subscription never
 * change; they are those of its start.
 *
 * Promotional grants and family shares make no movements: nobody pays for them.
 *
 * @module
 */

import type { Row } from "../store/tables.ts";
import { convert, perMonth } from "./money.ts";

/** The kind of a movement. */
export type MovementKind =
  /** A free trial starts: trials +1. */
  | "trial_start"
  /**
   * A trial turns into a paid period: trials -1 (0 where it had lapsed before), actives +1, a
   * payment. `started_at` is its start. Where the product changes with it there are two rows, so
   * conversions are counted by `actives_delta`.
   */
  | "trial_conversion"
  /** A trial ends without a payment: trials -1. Also when the grace of its first charge is over. */
  | "trial_expiration"
  /** A customer starts to pay for a product for the first time: actives +1, a payment. */
  | "start"
  /** A customer who paid for the product before, and let that end, starts anew: as `start`. */
  | "resubscription"
  /** A period is paid for, also ahead of time: a payment. */
  | "renewal"
  /** A failed charge goes through. After grace ended (`lapse` before), also actives +1. */
  | "recovery"
  /** A paused subscription goes on: actives +1, a payment. */
  | "resumption"
  /** A charge fails, and grace begins: billing issues +1, renewing -1. */
  | "billing_issue"
  /** A failed charge ends the access, while the store still tries: actives -1 or trials -1. */
  | "lapse"
  /** A paused subscription's period ends: actives -1. */
  | "pause"
  /** A paid subscription ends: actives -1; nothing if it lapsed or paused before. */
  | "expiration"
  /** It is set to end: renewing -1. */
  | "cancellation"
  /** It is set to renew again: renewing +1. */
  | "uncancellation"
  /**
   * Another product replaces a paid one, two rows: the old subscription's actives -1, the new one's
   * actives +1 with a payment. The two rows' `mrr_delta_micros` together are the expansion.
   * Consent to a higher price is one row, with the difference.
   */
  | "upgrade"
  /** The same where the new product brings less per month: together they are the contraction. */
  | "downgrade"
  /** A trial changes its product, two rows: trials -1 in the old one, +1 in the new one. */
  | "trial_change"
  /** A payment is given back: negative money, refunds +1; if that ends the access, actives -1. */
  | "refund"
  /** A refund is undone: positive money, refunds -1; if that brings back the access, actives +1. */
  | "refund_reversal"
  /** A one-time purchase: a payment. */
  | "purchase"
  /** The customer is deleted: what it had is taken out of the levels. Money stays. */
  | "deletion";

/** A subscription's contribution to the levels at a moment. */
export interface Levels {
  /** Micros of US dollars per month, before commission and tax. */
  mrr: number;
  /** 1 while it is paid for, grace included. */
  actives: number;
  /** 1 while it is on trial, grace included. */
  trials: number;
  /** 1 while it is paid for and going to renew. */
  renewing: number;
  /** 1 while it is paid for and in grace. */
  billing_issues: number;
}

const NONE: Levels = { mrr: 0, actives: 0, trials: 0, renewing: 0, billing_issues: 0 };

/** The levels of a subscription; zero when there is none. */
export function levelsOf(subscription: Row<"subscriptions"> | undefined): Levels {
  if (!subscription) return NONE;
  const { status, period_type, ownership, auto_renewal_status: renewal } = subscription;
  const grace = status === "in_grace_period";
  const live = grace || status === "active" || status === "trialing";
  if (!live || ownership !== "purchased" || period_type === "promotional") return NONE;
  if (period_type === "trial") return { ...NONE, trials: 1 };
  return {
    mrr: monthlyUsd(subscription),
    actives: 1,
    trials: 0,
    renewing: !grace && renewal !== "will_not_renew" ? 1 : 0,
    billing_issues: grace ? 1 : 0,
  };
}

/** A subscription's price per month, in micros of US dollars. */
export function monthlyUsd(
  { price_micros, currency, duration }: Pick<
    Row<"subscriptions">,
    "price_micros" | "currency" | "duration"
  >,
): number {
  return duration === null ? 0 : perMonth(convert(price_micros, currency, "USD"), duration);
}
