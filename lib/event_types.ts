/**
 * The words of the events that this service sends: their types, and why a subscription ends.
 *
 * @module
 */

/** The types that a webhook can choose, in the order of the API document. */
export const CHOOSABLE_EVENT_TYPES = [
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

/** The types that no webhook can choose. A webhook for all types receives them. */
const OTHER_EVENT_TYPES = [
  "test",
  "price_increase_consent_required",
  "price_increase_consent_approved",
] as const;

/** A type as events carry it, such as `RENEWAL`. */
export type SentEventType = Uppercase<
  (typeof CHOOSABLE_EVENT_TYPES)[number] | (typeof OTHER_EVENT_TYPES)[number]
>;

/** All types as events carry them, those first that a webhook can choose. */
export const SENT_EVENT_TYPES: readonly string[] = [
  ...CHOOSABLE_EVENT_TYPES,
  ...OTHER_EVENT_TYPES,
].map((type) => type.toUpperCase());

/** Why a subscription can end, as events say it. */
export const EXPIRATION_REASONS = [
  "UNSUBSCRIBE",
  "BILLING_ERROR",
  "DEVELOPER_INITIATED",
  "PRICE_INCREASE",
  "CUSTOMER_SUPPORT",
  "UNKNOWN",
] as const;

/** Why a subscription ends. */
export type ExpirationReason = (typeof EXPIRATION_REASONS)[number];
