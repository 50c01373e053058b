/**
 * What a transition of a subscription brings about. The journal writes it down.
 *
 * @module
 */

import type { PaymentStatus, PeriodType, Reason } from "../store/holding_tables.ts";
import type { Row } from "../store/tables.ts";
import type { Money } from "./money.ts";
import type { MovementKind } from "./movements.ts";

/** A subscription or promotional grant, as it is stored. */
export type Subscription = Row<"subscriptions">;

/** A payment for a subscription, as it is stored. */
export type Transaction = Row<"transactions">;

/** Types of events that tell of subscriptions. */
export type SubscriptionEvent =
  | "INITIAL_PURCHASE"
  | "RENEWAL"
  | "CANCELLATION"
  | "UNCANCELLATION"
  | "NON_RENEWING_PURCHASE"
  | "SUBSCRIPTION_PAUSED"
  | "EXPIRATION"
  | "BILLING_ISSUE"
  | "PRODUCT_CHANGE"
  | "SUBSCRIPTION_EXTENDED"
  | "REFUND_REVERSED"
  | "INVOICE_ISSUANCE"
  | "TEMPORARY_ENTITLEMENT_GRANT"
  | "PRICE_INCREASE_CONSENT_REQUIRED"
  | "PRICE_INCREASE_CONSENT_APPROVED";

/** An event without what is known of its customer and product. */
export interface EventDraft {
  /** What happened. */
  type: SubscriptionEvent;
  /** The money that moves; nothing where it is left out. */
  money?: Money | undefined;
  /** Fields that only this type has. */
  extra?: EventExtra;
}

/** Fields of single event types. */
export interface EventExtra {
  /** CANCELLATION: why. */
  cancel_reason?: Reason;
  /** EXPIRATION: why. */
  expiration_reason?: Reason;
  /** RENEWAL: whether it ends a trial. */
  is_trial_conversion?: boolean;
  /** BILLING_ISSUE: when grace ends, or null without grace. */
  grace_period_expiration_at_ms?: number | null;
  /** SUBSCRIPTION_PAUSED: when it goes on, or null if that is open. */
  auto_resume_at_ms?: number | null;
  /** PRODUCT_CHANGE: the id of the new product, which the journal turns into the store's. */
  new_product_id?: string;
}

/** A payment that a step makes, or tries to. */
export interface Payment {
  /** The store's id of the transaction. */
  id: string;
  /** What is paid. */
  money: Money;
  /** Whether it went through. */
  status: PaymentStatus;
  /** What it is for. */
  period_type: PeriodType;
  /** The end of the period that it is for. */
  expires_at: number | null;
}

/** A change to a payment made earlier. */
export interface Settlement {
  /** The payment as it was. */
  transaction: Transaction;
  /** What becomes of it. */
  status: PaymentStatus;
  /** The end of the period that it is for, where that is only known now. */
  expires_at?: number | null;
}

/** One transition of one subscription. */
export interface Step {
  /** The subscription before; undefined when the step starts it. */
  before: Subscription | undefined;
  /** The subscription after. */
  after: Subscription;
  /** When. */
  at: number;
  /** What the ledger calls it. Without a change of money or levels there is no row. */
  movement: MovementKind;
  /** The money that moves. */
  money?: Money;
  /** A payment that it makes. */
  payment?: Payment;
  /** An earlier payment that it changes. */
  settlement?: Settlement;
  /** The subscription that has just ended, where the step starts the one that takes its place. */
  succeeds?: Subscription;
  /** What to tell, in order. */
  events: EventDraft[];
}

/** A transition that the subscription's state does not allow. */
export class IllegalStep extends Error {
  /** Builds the error from a sentence for people. */
  constructor(message: string) {
    super(message);
    this.name = "IllegalStep";
  }
}
