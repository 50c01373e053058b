/**
 * The kinds of events that an integration can choose, as it writes them. Events themselves have the
 * same names in upper case.
 *
 * @module
 */

/** Every kind that can be chosen. */
export const EVENT_TYPES = [
  "initial_purchase",
  "renewal",
  "product_change",
  "cancellation",
  "billing_issue",
  "non_renewing_purchase",
  "uncancellation",
  "transfer",
  "subscription_paused",
  "expiration",
  "subscription_extended",
  "invoice_issuance",
  "temporary_entitlement_grant",
  "refund_reversed",
  "virtual_currency_transaction",
] as const;
