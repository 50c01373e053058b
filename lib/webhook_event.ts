/**
 * Events as webhooks deliver them. Fields and types may be added at any time, so a receiver must
 * ignore unknown ones.
 *
 * @module
 */

/** The fields of every event. */
export interface EventBase {
  /** What happened, in upper case. */
  type: string;
  /** The event's id, a UUID. A repeated delivery has the same id: process each id once. */
  id: string;
  /** When the event was created, in milliseconds since 1970; not the time of its cause. */
  event_timestamp_ms: number;
  /** The app; absent for promotional grants. */
  app_id?: string;
}

/** Production or sandbox. */
export type EventEnvironment = "PRODUCTION" | "SANDBOX" | (string & Record<never, never>);

/** The store of a purchase. */
export type EventStore =
  | "AMAZON"
  | "APP_STORE"
  | "MAC_APP_STORE"
  | "PADDLE"
  | "PLAY_STORE"
  | "PROMOTIONAL"
  | "ROKU"
  | "STRIPE"
  | "SVC_BILLING"
  | "TEST_STORE"
  | (string & Record<never, never>);

/** The reason for a cancellation or an end. */
export type EventReason =
  | "UNSUBSCRIBE"
  | "BILLING_ERROR"
  | "DEVELOPER_INITIATED"
  | "PRICE_INCREASE"
  | "CUSTOMER_SUPPORT"
  | "SUBSCRIPTION_PAUSED"
  | "UNKNOWN"
  | (string & Record<never, never>);

/** An attribute of a customer. */
export interface EventAttribute {
  /** Its value. */
  value: string;
  /** When it was set, in milliseconds since 1970. */
  updated_at_ms: number;
}

/** An experiment of a customer. */
export interface EventExperiment {
  /** The experiment. */
  experiment_id: string;
  /** The customer's variant. */
  experiment_variant: string;
  /** The start, in milliseconds since 1970. */
  enrolled_at_ms?: number;
}

/** The fields of every event about one customer. */
export interface CustomerEvent extends EventBase {
  /** The customer's latest id. */
  app_user_id: string;
  /** The customer's first id. */
  original_app_user_id: string;
  /** All ids of the customer. */
  aliases: string[];
  /** The customer's attributes by name. */
  subscriber_attributes: Record<string, EventAttribute>;
  /** The customer's experiments. */
  experiments?: EventExperiment[];
}

/** The fields of every event about a subscription or purchase. */
export interface LifecycleEvent extends CustomerEvent {
  /** Production or sandbox. */
  environment: EventEnvironment;
  /** The store. */
  store: EventStore;
  /** The store's product identifier. */
  product_id: string;
  /** Lookup keys of the product's entitlements, or null for none. */
  entitlement_ids: string[] | null;
  /** Deprecated: use `entitlement_ids`. */
  entitlement_id: string | null;
  /** The type of the period; null before payment. */
  period_type:
    | "TRIAL"
    | "INTRO"
    | "NORMAL"
    | "PROMOTIONAL"
    | "PREPAID"
    | (string & Record<never, never>)
    | null;
  /** The purchase, or the start of the renewed period, in milliseconds since 1970. */
  purchased_at_ms: number;
  /** The end, in milliseconds since 1970; null for no end. */
  expiration_at_ms: number | null;
  /** Lookup key of the offering that was shown, if known. */
  presented_offering_id: string | null;
  /** The payment in US dollars: 0 if free, negative for a refund. */
  price: number | null;
  /** ISO 4217 code of the payment's currency. */
  currency: string | null;
  /** The payment in that currency. */
  price_in_purchased_currency: number | null;
  /** The share of tax, from 0 to 1. */
  tax_percentage: number | null;
  /** The store's share, from 0 to 1. */
  commission_percentage: number | null;
  /** Deprecated: use the other two shares. */
  takehome_percentage: number | null;
  /** The store's id of the transaction. */
  transaction_id: string | null;
  /** The store's id of the first transaction. */
  original_transaction_id: string | null;
  /** Whether it comes from family sharing. */
  is_family_share: boolean | null;
  /** The country of the customer's last visit, ISO 3166-1 alpha-2. */
  country_code: string | null;
  /** The offer code, if one was used. */
  offer_code: string | null;
  /** The period's number, from 1. */
  renewal_number: number | null;
  /** More details from the store. */
  metadata: Record<string, unknown> | null;
}

/** A customer subscribed or started a trial. */
export interface InitialPurchaseEvent extends LifecycleEvent {
  /** Always `INITIAL_PURCHASE`. */
  type: "INITIAL_PURCHASE";
}

/** A subscription renewed, a trial converted, or a customer subscribed again. */
export interface RenewalEvent extends LifecycleEvent {
  /** Always `RENEWAL`. */
  type: "RENEWAL";
  /** Whether this converted a trial. */
  is_trial_conversion?: boolean;
}

/** Renewal was switched off, or a payment was refunded. Access may continue. */
export interface CancellationEvent extends LifecycleEvent {
  /** Always `CANCELLATION`. */
  type: "CANCELLATION";
  /** The reason. */
  cancel_reason: EventReason;
}

/** Renewal was switched on again before the end. */
export interface UncancellationEvent extends LifecycleEvent {
  /** Always `UNCANCELLATION`. */
  type: "UNCANCELLATION";
}

/** A customer made a one-time purchase or received a grant. */
export interface NonRenewingPurchaseEvent extends LifecycleEvent {
  /** Always `NON_RENEWING_PURCHASE`. */
  type: "NON_RENEWING_PURCHASE";
}

/** A subscription will pause at the end of its period. Access continues until then. */
export interface SubscriptionPausedEvent extends LifecycleEvent {
  /** Always `SUBSCRIPTION_PAUSED`. */
  type: "SUBSCRIPTION_PAUSED";
  /** When it resumes, in milliseconds since 1970; null for an open end. */
  auto_resume_at_ms?: number | null;
}

/** Access has ended. */
export interface ExpirationEvent extends LifecycleEvent {
  /** Always `EXPIRATION`. */
  type: "EXPIRATION";
  /** The reason. */
  expiration_reason: EventReason;
}

/** A charge failed. */
export interface BillingIssueEvent extends LifecycleEvent {
  /** Always `BILLING_ISSUE`. */
  type: "BILLING_ISSUE";
  /** The end of the grace period, in milliseconds since 1970; null if there is none. */
  grace_period_expiration_at_ms: number | null;
}

/** A customer changed to another product, now or later. */
export interface ProductChangeEvent extends LifecycleEvent {
  /** Always `PRODUCT_CHANGE`. */
  type: "PRODUCT_CHANGE";
  /** The store's identifier of the new product. */
  new_product_id?: string;
}

/** The end of a subscription was postponed. */
export interface SubscriptionExtendedEvent extends LifecycleEvent {
  /** Always `SUBSCRIPTION_EXTENDED`. */
  type: "SUBSCRIPTION_EXTENDED";
}

/** A refund was reversed. */
export interface RefundReversedEvent extends LifecycleEvent {
  /** Always `REFUND_REVERSED`. */
  type: "REFUND_REVERSED";
}

/** An unpaid invoice was issued. */
export interface InvoiceIssuanceEvent extends LifecycleEvent {
  /** Always `INVOICE_ISSUANCE`. */
  type: "INVOICE_ISSUANCE";
}

/** Purchases moved to another customer. */
export interface TransferEvent extends EventBase {
  /** Always `TRANSFER`. */
  type: "TRANSFER";
  /** Production or sandbox. */
  environment: EventEnvironment;
  /** The store. */
  store: EventStore;
  /** All ids of the customer who had them. */
  transferred_from: string[];
  /** All ids of the customer who has them now. */
  transferred_to: string[];
}

/** The store is unreachable: temporary access for up to a day. */
export interface TemporaryEntitlementGrantEvent
  extends EventBase, Partial<Omit<LifecycleEvent, keyof EventBase>> {
  /** Always `TEMPORARY_ENTITLEMENT_GRANT`. */
  type: "TEMPORARY_ENTITLEMENT_GRANT";
  /** The customer's latest id. */
  app_user_id: string;
  /** The store. */
  store: EventStore;
}

/** A purchase or refund changed a customer's virtual currencies. */
export interface VirtualCurrencyTransactionEvent extends CustomerEvent {
  /** Always `VIRTUAL_CURRENCY_TRANSACTION`. */
  type: "VIRTUAL_CURRENCY_TRANSACTION";
  /** The changes; negative amounts are subtracted. */
  adjustments: {
    /** The amount. */
    amount: number;
    /** The currency. */
    currency: { code: string; name: string; description: string | null };
  }[];
  /** The store's product identifier. */
  product_id: string;
  /** The product's display name. */
  product_display_name: string | null;
  /** Production or sandbox. */
  purchase_environment: EventEnvironment;
  /** The cause of the change. */
  source: "in_app_purchase" | "admin_api" | (string & Record<never, never>);
  /** The store. */
  store: EventStore;
  /** The store's id of the transaction. */
  transaction_id: string;
  /** The id of the change. */
  virtual_currency_transaction_id: string;
  /** The country of the customer's last visit, ISO 3166-1 alpha-2. */
  country_code: string | null;
}

/** A test that events arrive. The other fields hold sample values. */
export interface TestEvent extends LifecycleEvent {
  /** Always `TEST`. */
  type: "TEST";
}

/** A customer joined an experiment. */
export interface ExperimentEnrollmentEvent extends EventBase {
  /** Always `EXPERIMENT_ENROLLMENT`. */
  type: "EXPERIMENT_ENROLLMENT";
  /** The customer's latest id. */
  app_user_id?: string;
  /** The experiment. */
  experiment_id: string;
  /** The customer's variant. */
  experiment_variant: string;
  /** Lookup key of the offering that is shown. */
  offering_id: string | null;
  /** The start, in milliseconds since 1970. */
  experiment_enrolled_at_ms: number;
}

/** A higher price is announced and needs the customer's consent. */
export interface PriceIncreaseConsentRequiredEvent extends LifecycleEvent {
  /** Always `PRICE_INCREASE_CONSENT_REQUIRED`. */
  type: "PRICE_INCREASE_CONSENT_REQUIRED";
}

/** The customer accepted a higher price. */
export interface PriceIncreaseConsentApprovedEvent extends LifecycleEvent {
  /** Always `PRICE_INCREASE_CONSENT_APPROVED`. */
  type: "PRICE_INCREASE_CONSENT_APPROVED";
}

/** Known event types with only the common fields. */
export interface OtherEvent extends EventBase {
  /** The type. `SUBSCRIBER_ALIAS` is deprecated. */
  type:
    | "SUBSCRIBER_ALIAS"
    | "PURCHASE_REDEEMED"
    | "PAYWALL_IMPRESSION"
    | "PAYWALL_CLOSE"
    | "PAYWALL_CANCEL"
    | "PAYWALL_EXIT_OFFER"
    | "PAYWALL_COMPONENT_INTERACTED";
  /** All other fields. */
  [field: string]: unknown;
}

/** Events of every type known to this version. */
export type KnownEvent =
  | InitialPurchaseEvent
  | RenewalEvent
  | CancellationEvent
  | UncancellationEvent
  | NonRenewingPurchaseEvent
  | SubscriptionPausedEvent
  | ExpirationEvent
  | BillingIssueEvent
  | ProductChangeEvent
  | SubscriptionExtendedEvent
  | RefundReversedEvent
  | InvoiceIssuanceEvent
  | TransferEvent
  | TemporaryEntitlementGrantEvent
  | VirtualCurrencyTransactionEvent
  | TestEvent
  | ExperimentEnrollmentEvent
  | PriceIncreaseConsentRequiredEvent
  | PriceIncreaseConsentApprovedEvent
  | OtherEvent;

/** An event of a type unknown to this version. */
export interface UnknownEvent extends EventBase {
  /** All other fields. */
  [field: string]: unknown;
}

/** An event. {@linkcode isEvent} narrows its type. */
export type WebhookEvent = KnownEvent | UnknownEvent;

/** The event of one type, or of each of several types. */
export type EventOf<T extends KnownEvent["type"], E extends KnownEvent = KnownEvent> = E extends
  KnownEvent ? T extends E["type"] ? E : never : never;

/** Whether an event is of one of these types. */
export function isEvent<const T extends KnownEvent["type"]>(
  event: WebhookEvent,
  ...types: T[]
): event is EventOf<T> {
  return types.some((type) => type === event.type);
}
