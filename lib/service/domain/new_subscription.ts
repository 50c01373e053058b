/**
 * What all subscriptions and grants have before they begin.
 *
 * @module
 */

/** The fields of a subscription to which nothing has happened yet. */
export const NEW_SUBSCRIPTION = {
  seq: 0,
  not_renewing_since: null,
  paid_since: null,
  renewed_until: null,
  grace_ends_at: null,
  retry_ends_at: null,
  resumes_at: null,
  anchor_periods: 0,
  pending_product_id: null,
  pending_price_micros: null,
  transaction_count: 0,
  renewal_number: 1,
  cancel_reason: null,
  shared_from_id: null,
  share_count: 0,
  gross_usd_micros: 0,
  commission_usd_micros: 0,
  tax_usd_micros: 0,
  event_count: 0,
  due_at: null,
} as const;
