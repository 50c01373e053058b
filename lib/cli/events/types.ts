/**
 * All types of events, and their meanings.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { CHOOSABLE_EVENT_TYPES, type SentEventType } from "../../event_types.ts";

/** A type of events. */
export interface EventType {
  /** Its name, as events carry it. */
  type: string;
  /** Its meaning. */
  meaning: string;
  /** Whether the local service can trigger it. */
  trigger: boolean;
  /** The reason why not; null if it can. */
  why_not: string | null;
}

const NO_APPS = "no app sends it here";

/** Every type, those first that webhooks can choose. */
export const EVENT_TYPES: readonly EventType[] = [
  can("INITIAL_PURCHASE", "A subscription started, paid or with a trial"),
  can("RENEWAL", "A subscription renewed, a trial converted, or a lapsed customer came back"),
  can("PRODUCT_CHANGE", "A product change was requested; it may take effect later"),
  can("CANCELLATION", "Renewal was switched off, or a payment was refunded"),
  can("BILLING_ISSUE", "A charge failed"),
  can("NON_RENEWING_PURCHASE", "A one-time purchase was made, or access was granted"),
  can("UNCANCELLATION", "Renewal was switched on again in time"),
  can("TRANSFER", "Purchases moved to another customer"),
  can("SUBSCRIPTION_PAUSED", "A subscription will pause when its period ends"),
  can("EXPIRATION", "Access ended"),
  can("SUBSCRIPTION_EXTENDED", "The end of a period was postponed"),
  can("INVOICE_ISSUANCE", "An invoice is waiting for payment"),
  can("TEMPORARY_ENTITLEMENT_GRANT", "A store is unreachable: access for a day at most"),
  can("REFUND_REVERSED", "A refund was undone"),
  can("VIRTUAL_CURRENCY_TRANSACTION", "A purchase or refund changed a balance"),
  can("TEST", "A test that events arrive"),
  cannot("EXPERIMENT_ENROLLMENT", "A customer became part of an experiment", "no experiments here"),
  cannot("SUBSCRIBER_ALIAS", "A customer got another id", "no longer sent"),
  cannot("PURCHASE_REDEEMED", "A web purchase was redeemed in an app", "no redemption here"),
  can("PRICE_INCREASE_CONSENT_REQUIRED", "A higher price needs the customer's consent"),
  can("PRICE_INCREASE_CONSENT_APPROVED", "A customer agreed to a higher price"),
  cannot("PAYWALL_IMPRESSION", "A paywall was shown", NO_APPS),
  cannot("PAYWALL_CLOSE", "A paywall was closed", NO_APPS),
  cannot("PAYWALL_CANCEL", "A purchase on a paywall was cancelled", NO_APPS),
  cannot("PAYWALL_EXIT_OFFER", "A paywall showed an exit offer", NO_APPS),
  cannot("PAYWALL_COMPONENT_INTERACTED", "A paywall component was used", NO_APPS),
];

/**
 * Whether webhooks can choose a type by its name. A webhook for all types gets the others as well.
 */
export function canBeChosen(type: string): boolean {
  return CHOOSABLE_EVENT_TYPES.some((one) => one.toUpperCase() === type);
}

/**
 * Types as they are typed, in either case and separated by commas.
 *
 * @throws {UsageError} for an unknown type, or without types.
 */
export function parseEventTypes(text: string, flag: string): string[] {
  const types = text.split(",").map((type) => type.trim().toUpperCase()).filter(Boolean);
  const known = EVENT_TYPES.map(({ type }) => type);
  const wrong = types.find((type) => !known.includes(type));
  if (types.length > 0 && wrong === undefined) return types;
  const why = wrong === undefined
    ? "it names no event type"
    : `there is no type ${wrong}; the types are ${known.join(", ")}`;
  throw new UsageError(`Cannot use ${JSON.stringify(text)} for ${flag}: ${why}`);
}

function can(type: SentEventType, meaning: string): EventType {
  return { type, meaning, trigger: true, why_not: null };
}

function cannot(type: string, meaning: string, why_not: string): EventType {
  return { type, meaning, trigger: false, why_not };
}
