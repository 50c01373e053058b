/**
 * Events as webhooks deliver them. Fields and types may be added at any time, so a receiver has to
 * leave alone what it does not know.
 *
 * @module
 */

/** What every event has. */
export interface EventBase {
  /** What happened, in upper case. */
  type: string;
  /** The event's id, a UUID. It stays when the event is delivered again: act on each id once. */
  id: string;
  /** When the event was made, in milliseconds since 1970; not when its cause was. */
  event_timestamp_ms: number;
  /** The app; absent for promotional grants. */
  app_id?: string;
}

/** Whether money is real. */
export type EventEnvironment = "PRODUCTION" | "SANDBOX" | (string & Record<never, never>);

/** Where something was bought. */
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

/** Why something was cancelled or ended. */
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

/** An experiment that a customer is part of. */
export interface EventExperiment {
  /** The experiment. */
  experiment_id: string;
  /** Which of its variants the customer sees. */
  experiment_variant: string;
  /** Since when, in milliseconds since 1970. */
  enrolled_at_ms?: number;
}

/** What every event about one customer has. */
export interface CustomerEvent extends EventBase {
  /** The customer's id, as it was last seen. */
  app_user_id: string;
  /** The id that the customer had first. */
  original_app_user_id: string;
  /** All ids of the customer. */
  aliases: string[];
  /** The customer's attributes by name. */
  subscriber_attributes: Record<string, EventAttribute>;
  /** Experiments that the customer is part of. */
  experiments?: EventExperiment[];
}

/** What every event about a subscription or purchase has. */
export interface LifecycleEvent extends CustomerEvent {
  /** Whether money is real. */
  environment: EventEnvironment;
  /** Where it was bought. */
  store: EventStore;
  /** The store's name of the product. */
  product_id: string;
  /** Lookup keys of what the product gives, or null where it gives nothing. */
  entitlement_ids: string[] | null;
  /** Deprecated in favour of `entitlement_ids`. */
  entitlement_id: string | null;
  /** What the period is; null before payment. */
  period_type:
    | "TRIAL"
    | "INTRO"
    | "NORMAL"
    | "PROMOTIONAL"
    | "PREPAID"
    | (string & Record<never, never>)
    | null;
  /** When it was bought or renewed, in milliseconds since 1970. */
  purchased_at_ms: number;
  /** When it ends, in milliseconds since 1970; null for what never ends. */
  expiration_at_ms: number | null;
  /** Lookup key of the offering that was shown, if known. */
  presented_offering_id: string | null;
  /** What was paid in US dollars: 0 for nothing, negative for a refund. */
  price: number | null;
  /** ISO 4217 code of what was paid in. */
  currency: string | null;
  /** What was paid in that currency. */
  price_in_purchased_currency: number | null;
  /** The state's share, from 0 to 1. */
  tax_percentage: number | null;
  /** The store's share, from 0 to 1. */
  commission_percentage: number | null;
  /** Deprecated in favour of the other two shares. */
  takehome_percentage: number | null;
  /** The store's id of the transaction. */
  transaction_id: string | null;
  /** The store's id of the first transaction. */
  original_transaction_id: string | null;
  /** Whether it was shared by the family and not bought. */
  is_family_share: boolean | null;
  /** The country that the customer was last seen in, ISO 3166-1 alpha-2. */
  country_code: string | null;
  /** The offer code that was used. */
  offer_code: string | null;
  /** Which period this is, from 1. */
  renewal_number: number | null;
  /** What the store knows besides. */
  metadata: Record<string, unknown> | null;
}

/** Somebody subscribed, or began a trial. */
export interface InitialPurchaseEvent extends LifecycleEvent {
  /** Always `INITIAL_PURCHASE`. */
  type: "INITIAL_PURCHASE";
}

/** A subscription went on, a trial was converted, or somebody came back. */
export interface RenewalEvent extends LifecycleEvent {
  /** Always `RENEWAL`. */
  type: "RENEWAL";
  /** Whether a trial ended with it. */
  is_trial_conversion?: boolean;
}

/** Somebody switched renewal off, or got money back. Access may go on. */
export interface CancellationEvent extends LifecycleEvent {
  /** Always `CANCELLATION`. */
  type: "CANCELLATION";
  /** Why. */
  cancel_reason: EventReason;
}

/** Somebody switched renewal on again before the end. */
export interface UncancellationEvent extends LifecycleEvent {
  /** Always `UNCANCELLATION`. */
  type: "UNCANCELLATION";
}

/** Somebody bought something that does not renew, or was granted it. */
export interface NonRenewingPurchaseEvent extends LifecycleEvent {
  /** Always `NON_RENEWING_PURCHASE`. */
  type: "NON_RENEWING_PURCHASE";
}

/** A subscription will pause at the end of its period. Access goes on until then. */
export interface SubscriptionPausedEvent extends LifecycleEvent {
  /** Always `SUBSCRIPTION_PAUSED`. */
  type: "SUBSCRIPTION_PAUSED";
  /** When it goes on, in milliseconds since 1970; null if that is open. */
  auto_resume_at_ms?: number | null;
}

/** Access has ended. */
export interface ExpirationEvent extends LifecycleEvent {
  /** Always `EXPIRATION`. */
  type: "EXPIRATION";
  /** Why. */
  expiration_reason: EventReason;
}

/** A charge failed. */
export interface BillingIssueEvent extends LifecycleEvent {
  /** Always `BILLING_ISSUE`. */
  type: "BILLING_ISSUE";
  /** Until when access goes on all the same, in milliseconds since 1970; null if it does not. */
  grace_period_expiration_at_ms: number | null;
}

/** Somebody changed to another product, now or later. */
export interface ProductChangeEvent extends LifecycleEvent {
  /** Always `PRODUCT_CHANGE`. */
  type: "PRODUCT_CHANGE";
  /** The store's name of the other product. */
  new_product_id?: string;
}

/** A subscription ends later than it was to. */
export interface SubscriptionExtendedEvent extends LifecycleEvent {
  /** Always `SUBSCRIPTION_EXTENDED`. */
  type: "SUBSCRIPTION_EXTENDED";
}

/** A refund was undone. */
export interface RefundReversedEvent extends LifecycleEvent {
  /** Always `REFUND_REVERSED`. */
  type: "REFUND_REVERSED";
}

/** An invoice was written that is not paid yet. */
export interface InvoiceIssuanceEvent extends LifecycleEvent {
  /** Always `INVOICE_ISSUANCE`. */
  type: "INVOICE_ISSUANCE";
}

/** What somebody bought belongs to somebody else now. */
export interface TransferEvent extends EventBase {
  /** Always `TRANSFER`. */
  type: "TRANSFER";
  /** Whether money is real. */
  environment: EventEnvironment;
  /** Where it was bought. */
  store: EventStore;
  /** All ids of the customer who had it. */
  transferred_from: string[];
  /** All ids of the customer who has it. */
  transferred_to: string[];
}

/** The store cannot be reached: access for a day at most, until it can. */
export interface TemporaryEntitlementGrantEvent
  extends EventBase, Partial<Omit<LifecycleEvent, keyof EventBase>> {
  /** Always `TEMPORARY_ENTITLEMENT_GRANT`. */
  type: "TEMPORARY_ENTITLEMENT_GRANT";
  /** The customer's id, as it was last seen. */
  app_user_id: string;
  /** Where it was bought. */
  store: EventStore;
}

/** What somebody has of virtual currencies changed with a purchase or refund. */
export interface VirtualCurrencyTransactionEvent extends CustomerEvent {
  /** Always `VIRTUAL_CURRENCY_TRANSACTION`. */
  type: "VIRTUAL_CURRENCY_TRANSACTION";
  /** The changes; negative amounts are taken away. */
  adjustments: {
    /** By how much. */
    amount: number;
    /** Of which currency. */
    currency: { code: string; name: string; description: string | null };
  }[];
  /** The store's name of the product. */
  product_id: string;
  /** The product's name for people. */
  product_display_name: string | null;
  /** Whether money is real. */
  purchase_environment: EventEnvironment;
  /** Where the change comes from. */
  source: "in_app_purchase" | "admin_api" | (string & Record<never, never>);
  /** Where it was bought. */
  store: EventStore;
  /** The store's id of the transaction. */
  transaction_id: string;
  /** The id of the change. */
  virtual_currency_transaction_id: string;
  /** The country that the customer was last seen in, ISO 3166-1 alpha-2. */
  country_code: string | null;
}

/** Nothing happened: somebody tries whether events arrive. The other fields stand for real ones. */
export interface TestEvent extends LifecycleEvent {
  /** Always `TEST`. */
  type: "TEST";
}

/** A customer became part of an experiment. */
export interface ExperimentEnrollmentEvent extends EventBase {
  /** Always `EXPERIMENT_ENROLLMENT`. */
  type: "EXPERIMENT_ENROLLMENT";
  /** The customer's id, as it was last seen. */
  app_user_id?: string;
  /** The experiment. */
  experiment_id: string;
  /** Which of its variants the customer sees. */
  experiment_variant: string;
  /** Lookup key of the offering that is shown. */
  offering_id: string | null;
  /** Since when, in milliseconds since 1970. */
  experiment_enrolled_at_ms: number;
}

/** A higher price is announced, and the customer has to agree to it. */
export interface PriceIncreaseConsentRequiredEvent extends LifecycleEvent {
  /** Always `PRICE_INCREASE_CONSENT_REQUIRED`. */
  type: "PRICE_INCREASE_CONSENT_REQUIRED";
}

/** The customer agreed to a higher price. */
export interface PriceIncreaseConsentApprovedEvent extends LifecycleEvent {
  /** Always `PRICE_INCREASE_CONSENT_APPROVED`. */
  type: "PRICE_INCREASE_CONSENT_APPROVED";
}

/** Events whose types are known, and of whose fields only the common ones are. */
export interface OtherEvent extends EventBase {
  /** What happened. `SUBSCRIBER_ALIAS` is deprecated. */
  type:
    | "SUBSCRIBER_ALIAS"
    | "PURCHASE_REDEEMED"
    | "PAYWALL_IMPRESSION"
    | "PAYWALL_CLOSE"
    | "PAYWALL_CANCEL"
    | "PAYWALL_EXIT_OFFER"
    | "PAYWALL_COMPONENT_INTERACTED";
  /** Everything else. */
  [field: string]: unknown;
}

/** Events of every type that this version knows. */
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

/** An event of a type that this version does not know. */
export interface UnknownEvent extends EventBase {
  /** Everything else. */
  [field: string]: unknown;
}

/** An event. {@linkcode isEvent} tells which. */
export type WebhookEvent = KnownEvent | UnknownEvent;

/** The event of one type, or of each of several. */
export type EventOf<T extends KnownEvent["type"], E extends KnownEvent = KnownEvent> = E extends
  KnownEvent ? T extends E["type"] ? E : never : never;

/** Whether an event is of one of these types. */
export function isEvent<const T extends KnownEvent["type"]>(
  event: WebhookEvent,
  ...types: T[]
): event is EventOf<T> {
  return types.some((type) => type === event.type);
}
