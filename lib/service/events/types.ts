/**
 * The event types that an integration can subscribe to, in its spelling. Events have the same names
 * in upper case.
 *
 * @module
 */

/** All types. */
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
