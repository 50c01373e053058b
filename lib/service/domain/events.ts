/**
 * Events as webhooks deliver them: the fields of each type, in order.
 *
 * @module
 */

import { commissionRate, fromMicros, type Money, taxRate } from "./money.ts";
import type { EventDraft, Subscription } from "./step.ts";
import type { Purchase } from "./purchase.ts";

/** The customer's data in an event. */
export interface EventCustomer {
  /** The customer's first id. */
  id: string;
  /** All its ids, oldest first. */
  aliases: readonly string[];
  /** Its attributes by name. */
  attributes: Readonly<Record<string, { value: string; updated_at_ms: number }>>;
  /** The country in which the customer was last seen. */
  country: string | null;
}

/** The data of an event besides its subscription or purchase. */
export interface EventFacts {
  /** The event's id, a UUID. */
  id: string;
  /** The time of the event, in milliseconds since 1970. */
  at: number;
  /** The customer. */
  customer: EventCustomer;
  /** The product's store identifier. */
  product_id: string;
  /** The store identifier of the product that it changes to. */
  new_product_id?: string | undefined;
  /** Lookup keys of the product's entitlements. */
  entitlement_ids: readonly string[];
  /** Lookup key of the offering shown at purchase. */
  presented_offering_id: string | null;
}

/** The body of a delivery: the event in its envelope. */
export function delivery(event: Record<string, unknown>): string {
  return JSON.stringify({ api_version: "1.0", event });
}

/** An event about a subscription or a promotional grant. */
export function subscriptionEvent(
  draft: EventDraft,
  subject: Subscription,
  facts: EventFacts,
): Record<string, unknown> {
  if (draft.type === "TEMPORARY_ENTITLEMENT_GRANT") return temporaryGrantEvent(subject, facts);
  const unpaid = draft.type === "INVOICE_ISSUANCE";
  return lifecycleEvent(draft, facts, {
    ...subject,
    period_type: unpaid ? null : subject.period_type.toUpperCase(),
    // After an early charge the latest payment is for the next period.
    purchased_at: subject.renewed_until === null
      ? subject.period_starts_at
      : subject.period_ends_at ?? subject.period_starts_at,
    expires_at: unpaid ? null : subject.renewed_until ?? subject.period_ends_at,
    transaction_id: unpaid ? null : subject.transaction_id,
    original_transaction_id: unpaid ? null : subject.original_transaction_id,
    unpaid,
  });
}

/**
 * Temporary access while the store is unreachable. It holds the data that is known without the store.
 *
 * Gap: the known fields are not documented for each store; these are the ones that a device reports.
 */
function temporaryGrantEvent(subject: Subscription, facts: EventFacts): Record<string, unknown> {
  const { customer, entitlement_ids } = facts;
  return {
    event_timestamp_ms: facts.at,
    product_id: facts.product_id,
    entitlement_ids: entitlement_ids.length === 0 ? null : entitlement_ids,
    purchased_at_ms: subject.period_starts_at,
    expiration_at_ms: subject.period_ends_at,
    transaction_id: subject.transaction_id,
    app_user_id: appUserId(customer.aliases, customer.id),
    store: subject.store.toUpperCase(),
    type: "TEMPORARY_ENTITLEMENT_GRANT",
    id: facts.id,
    app_id: subject.app_id,
  };
}

/** An event about a one-time purchase. */
export function purchaseEvent(
  draft: EventDraft,
  subject: Purchase,
  facts: EventFacts,
): Record<string, unknown> {
  return lifecycleEvent(draft, facts, {
    ...subject,
    period_type: "NORMAL",
    expires_at: null,
    transaction_id: subject.store_purchase_identifier,
    original_transaction_id: subject.store_purchase_identifier,
    renewal_number: null,
    unpaid: false,
  });
}

/** A transfer: one event, for the customer who receives the purchases. */
export function transferEvent(transfer: {
  id: string;
  at: number;
  app_id: string;
  store: string;
  environment: string;
  from: readonly string[];
  to: readonly string[];
}): Record<string, unknown> & { type: "TRANSFER"; id: string } {
  return {
    event_timestamp_ms: transfer.at,
    environment: transfer.environment.toUpperCase(),
    store: transfer.store.toUpperCase(),
    transferred_from: transfer.from,
    transferred_to: transfer.to,
    type: "TRANSFER",
    id: transfer.id,
    app_id: transfer.app_id,
  };
}

/** A change to a customer's virtual currency balances. */
export function currencyEvent(
  subject: Pick<Subscription, "store" | "environment" | "app_id" | "country">,
  facts: Pick<EventFacts, "id" | "at" | "customer" | "product_id"> & {
    adjustments: readonly { amount: number; currency: object }[];
    product_display_name: string | null;
    transaction_id: string;
    virtual_currency_transaction_id: string;
  },
): Record<string, unknown> {
  const { customer } = facts;
  return {
    event_timestamp_ms: facts.at,
    adjustments: facts.adjustments,
    product_id: facts.product_id,
    product_display_name: facts.product_display_name,
    purchase_environment: subject.environment.toUpperCase(),
    source: "in_app_purchase",
    store: subject.store.toUpperCase(),
    transaction_id: facts.transaction_id,
    virtual_currency_transaction_id: facts.virtual_currency_transaction_id,
    country_code: customer.country ?? subject.country,
    app_user_id: appUserId(customer.aliases, customer.id),
    aliases: customer.aliases,
    original_app_user_id: customer.id,
    subscriber_attributes: customer.attributes,
    type: "VIRTUAL_CURRENCY_TRANSACTION",
    id: facts.id,
    app_id: subject.app_id,
    experiments: [],
  };
}

/** The customer id in events: the latest id that is not anonymous, else the latest id. */
function appUserId(aliases: readonly string[], id: string): string {
  return aliases.findLast((alias) => !isAnonymous(alias)) ?? aliases.at(-1) ?? id;
}

/** Whether an SDK generated the id for a user who has not signed in. */
export function isAnonymous(alias: string): boolean {
  return /^\$[A-Za-z]*AnonymousID:/.test(alias);
}

/** The fields that events of subscriptions and of purchases share. */
type Subject =
  & Pick<Subscription, "environment" | "ownership" | "country" | "currency" | "store" | "app_id">
  & {
    period_type: string | null;
    purchased_at: number;
    expires_at: number | null;
    transaction_id: string | null;
    original_transaction_id: string | null;
    renewal_number: number | null;
    unpaid: boolean;
  };

function lifecycleEvent(
  draft: EventDraft,
  facts: EventFacts,
  subject: Subject,
): Record<string, unknown> {
  const { customer, entitlement_ids } = facts;
  const { store, unpaid } = subject;
  const gives = unpaid || entitlement_ids.length === 0 ? null : entitlement_ids;
  const commission = commissionRate(store);
  return {
    event_timestamp_ms: facts.at,
    product_id: facts.product_id,
    period_type: subject.period_type,
    purchased_at_ms: subject.purchased_at,
    expiration_at_ms: subject.expires_at,
    environment: subject.environment.toUpperCase(),
    entitlement_id: null,
    entitlement_ids: gives,
    presented_offering_id: facts.presented_offering_id,
    transaction_id: subject.transaction_id,
    original_transaction_id: subject.original_transaction_id,
    is_family_share: subject.ownership === "family_shared",
    country_code: customer.country ?? subject.country,
    app_user_id: appUserId(customer.aliases, customer.id),
    aliases: customer.aliases,
    original_app_user_id: customer.id,
    currency: subject.currency,
    // The published sample of an invoice has the amount only in the buyer's currency.
    price: unpaid ? null : dollars(draft.money),
    price_in_purchased_currency: draft.money ? fromMicros(draft.money.local.gross) : 0,
    subscriber_attributes: customer.attributes,
    store: store.toUpperCase(),
    takehome_percentage: unpaid ? null : Number((1 - commission).toFixed(4)),
    tax_percentage: unpaid ? null : taxRate(subject.country),
    commission_percentage: unpaid ? null : commission,
    offer_code: null,
    type: draft.type,
    id: facts.id,
    ...subject.app_id === null ? {} : { app_id: subject.app_id },
    experiments: [],
    renewal_number: unpaid ? null : subject.renewal_number,
    metadata: null,
    ...draft.extra,
    ...facts.new_product_id === undefined ? {} : { new_product_id: facts.new_product_id },
  };
}

function dollars(money: Money | undefined): number {
  return money ? fromMicros(money.usd.gross) : 0;
}
