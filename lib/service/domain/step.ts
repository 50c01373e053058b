/**
 * One transition of a subscription with all its results. The journal stores it.
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

/** Types of events about subscriptions. */
type SubscriptionEvent =
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

/** An event without the data of its customer and product. */
export interface EventDraft {
  /** What happened. */
  type: SubscriptionEvent;
  /** The money that moves. Default: none. */
  money?: Money | undefined;
  /** Fields that only this type has. */
  extra?: EventExtra;
}

/** Fields of single event types. */
interface EventExtra {
  /** CANCELLATION: why. */
  cancel_reason?: Reason;
  /** EXPIRATION: why. */
  expiration_reason?: Reason;
  /** RENEWAL: whether it ends a trial. */
  is_trial_conversion?: boolean;
  /** BILLING_ISSUE: when grace ends, or null without grace. */
  grace_period_expiration_at_ms?: number | null;
  /** SUBSCRIPTION_PAUSED: when it resumes, or null if that is open. */
  auto_resume_at_ms?: number | null;
  /** PRODUCT_CHANGE: the new product's id; the journal replaces it with the store identifier. */
  new_product_id?: string;
}

/** A payment that a step makes or attempts. */
export interface Payment {
  /** The store's transaction id. */
  id: string;
  /** The amount. */
  money: Money;
  /** Its status. */
  status: PaymentStatus;
  /** Its purpose. */
  period_type: PeriodType;
  /** The end of the period that it pays for. */
  expires_at: number | null;
}

/** A change to a payment made earlier. */
export interface Settlement {
  /** The payment as it was. */
  transaction: Transaction;
  /** Its new status. */
  status: PaymentStatus;
  /** The end of the period that it pays for, when that was not known before. */
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
  /** The kind of its ledger row. Without a change of money or levels there is none. */
  movement: MovementKind;
  /** The money that moves. */
  money?: Money;
  /** A payment that it makes. */
  payment?: Payment;
  /** An earlier payment that it changes. */
  settlement?: Settlement;
  /** The subscription that this step's subscription replaces, if it replaces one. */
  succeeds?: Subscription;
  /** Its events, in order. */
  events: EventDraft[];
}

/** The error for a transition that the state does not allow. */
export class IllegalStep extends Error {
  /** Builds the error from a sentence for people. */
  constructor(message: string) {
    super(message);
    this.name = "IllegalStep";
  }
}
