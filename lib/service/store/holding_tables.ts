/**
 * The rows of what customers hold: aliases, subscriptions, purchases, invoices, the ledger of money,
 * and the events that tell of it all. Conventions are those of `tables.ts`.
 *
 * @module
 */

import type { ExpirationReason } from "../../event_types.ts";

/** Where a subscription stands. */
type SubscriptionStatus =
  | "trialing"
  | "active"
  | "expired"
  | "in_grace_period"
  | "in_billing_retry"
  | "paused"
  | "incomplete";

/** What happens at the end of a subscription's period. */
type AutoRenewal =
  | "will_renew"
  | "will_not_renew"
  | "will_change_product"
  | "will_pause"
  | "requires_price_increase_consent"
  | "has_already_renewed";

/** What a period is: free, paid, or granted. */
export type PeriodType = "trial" | "normal" | "promotional";

/** What became of a payment. */
export type PaymentStatus = "completed" | "refunded" | "pending" | "failed";

/** Why something was cancelled or ended, as events say it. */
export type Reason = ExpirationReason | "SUBSCRIPTION_PAUSED";

/** How a customer came to own what was bought. */
export type Ownership = "purchased" | "family_shared";

/** Whether money is real. */
export type Environment = "production" | "sandbox";

/** An id by which a customer is found. Its own id is one of them. */
interface CustomerAliasRow {
  project_id: string;
  alias: string;
  customer_id: string;
  seq: number;
  created_at: number;
}

/**
 * A subscription to a product, or a promotional grant of an entitlement. `domain/subscription.ts`
 * says what each field means and how it moves.
 */
interface SubscriptionRow {
  project_id: string;
  id: string;
  seq: number;
  customer_id: string;
  original_customer_id: string;
  product_id: string | null;
  app_id: string | null;
  entitlement_id: string | null;
  store: string;
  environment: Environment;
  ownership: Ownership;
  status: SubscriptionStatus;
  auto_renewal_status: AutoRenewal;
  /** When renewal was switched off, while it is. The journal keeps it. */
  not_renewing_since: number | null;
  period_type: PeriodType;
  starts_at: number;
  /** When the first paid period started, else null. */
  paid_since: number | null;
  period_starts_at: number;
  period_ends_at: number | null;
  /** The end of the next period, when that is paid already. */
  renewed_until: number | null;
  grace_ends_at: number | null;
  retry_ends_at: number | null;
  resumes_at: number | null;
  /** Periods are counted from here, so that the day of the month is kept. */
  anchor_at: number;
  anchor_periods: number;
  duration: string | null;
  grace_duration: string | null;
  trial_duration: string | null;
  currency: string;
  price_micros: number;
  pending_product_id: string | null;
  pending_price_micros: number | null;
  country: string | null;
  platform: string;
  offering_id: string | null;
  /** The store's id of the latest transaction. */
  transaction_id: string;
  original_transaction_id: string;
  transaction_count: number;
  renewal_number: number;
  /** 1: the next charge fails; while incomplete, the first one is not made yet. */
  charge_fails: number;
  cancel_reason: Reason | null;
  /** The subscription that a family shares, for a member of that family. */
  shared_from_id: string | null;
  /** How many members of the family share it. */
  share_count: number;
  gross_usd_micros: number;
  commission_usd_micros: number;
  tax_usd_micros: number;
  event_count: number;
  /** When time alone changes it next, or null. */
  due_at: number | null;
}

/** One payment for a subscription. `id` is the store's. Amounts stay when it is refunded. */
interface TransactionRow {
  project_id: string;
  id: string;
  seq: number;
  subscription_id: string;
  product_store_identifier: string;
  period_type: PeriodType;
  purchased_at: number;
  expires_at: number | null;
  /** The same with grace. */
  effective_expires_at: number | null;
  status: PaymentStatus;
  refunded_at: number | null;
  currency: string;
  gross_micros: number;
  commission_micros: number;
  tax_micros: number;
  gross_usd_micros: number;
  commission_usd_micros: number;
  tax_usd_micros: number;
}

/** A one-time purchase. Amounts stay when it is refunded. */
interface PurchaseRow {
  project_id: string;
  id: string;
  seq: number;
  customer_id: string;
  original_customer_id: string;
  product_id: string;
  app_id: string;
  store: string;
  environment: Environment;
  ownership: Ownership;
  status: "owned" | "refunded";
  purchased_at: number;
  refunded_at: number | null;
  quantity: number;
  store_purchase_identifier: string;
  country: string | null;
  platform: string;
  offering_id: string | null;
  currency: string;
  gross_micros: number;
  commission_micros: number;
  tax_micros: number;
  gross_usd_micros: number;
  commission_usd_micros: number;
  tax_usd_micros: number;
}

/** An invoice of web billing. It has one line; the amounts are those of one unit. */
interface InvoiceRow {
  project_id: string;
  id: string;
  seq: number;
  customer_id: string;
  subscription_id: string | null;
  purchase_id: string | null;
  product_identifier: string;
  product_display_name: string | null;
  product_duration: string | null;
  quantity: number;
  currency: string;
  gross_micros: number;
  commission_micros: number;
  tax_micros: number;
  issued_at: number;
  paid_at: number | null;
}

/** What a movement adds to the sums of its day. `domain/movements.ts` says what each means. */
export interface MovementSums {
  gross_usd_micros: number;
  commission_usd_micros: number;
  tax_usd_micros: number;
  payments_delta: number;
  refunds_delta: number;
  mrr_delta_micros: number;
  actives_delta: number;
  trials_delta: number;
  renewing_delta: number;
  billing_issues_delta: number;
}

/** One change of revenue or of who pays: the ledger of all charts. Only ever added. */
interface MovementRow extends MovementSums {
  project_id: string;
  seq: number;
  at: number;
  kind: string;
  /** Null once the customer was deleted. */
  customer_id: string | null;
  customer_since: number;
  subscription_id: string | null;
  purchase_id: string | null;
  transaction_id: string | null;
  /** When the transaction was made: a refund belongs to that day as well. */
  transaction_at: number | null;
  started_at: number;
  paid_since: number | null;
  renewal_number: number | null;
  period_type: PeriodType | null;
  environment: Environment;
  store: string;
  app_id: string;
  product_id: string;
  /** The term that was sold. Null for what is bought once. */
  product_duration: string | null;
  offering_id: string | null;
  country: string | null;
  platform: string;
  currency: string;
}

/**
 * The movements of a day or of a month, added up. `day` is the first millisecond of either, UTC;
 * `""` stands for null.
 */
interface MovementSumRow extends MovementTotalRow {
  store: string;
  app_id: string;
  product_id: string;
  product_duration: string;
  offering_id: string;
  country: string;
  platform: string;
}

/** The movements of a day, added up by kind and environment alone. */
interface MovementTotalRow extends MovementSums {
  project_id: string;
  /** The first millisecond of the day, UTC. */
  day: number;
  kind: string;
  environment: string;
  /** How many movements. */
  movements: number;
}

/**
 * The payments, less refunds, of customers who are not deleted, added up by the day on which their
 * customers were first seen, and by the week of the payment within its month.
 */
interface CohortPaymentRow {
  project_id: string;
  /** The first millisecond of the customers' day, UTC. */
  day: number;
  /** The first millisecond of the payments' week, or of their month if that begins later, UTC. */
  week: number;
  environment: Environment;
  /** How many movements. */
  movements: number;
  gross_usd_micros: number;
  commission_usd_micros: number;
  tax_usd_micros: number;
}

/** Something that happened, for webhooks. `payload` is the JSON as it is delivered, frozen. */
interface EventRow {
  project_id: string;
  id: string;
  seq: number;
  /** As delivered, such as `INITIAL_PURCHASE`. */
  type: string;
  customer_id: string;
  app_id: string | null;
  environment: Environment;
  created_at: number;
  payload: string;
}

/** The offering that a customer is shown in place of the current one. */
interface AssignedOfferingRow {
  project_id: string;
  customer_id: string;
  offering_id: string;
}

/** What a customer has of a virtual currency. */
interface CurrencyBalanceRow {
  project_id: string;
  customer_id: string;
  /** The currency's code. */
  currency_id: string;
  balance: number;
}

/** What a transaction adds to a customer's balance in one currency, or takes from it. */
interface CurrencyEntryRow {
  project_id: string;
  transaction_id: string;
  currency_id: string;
  seq: number;
  customer_id: string;
  amount: number;
  source: "in_app_purchase" | "admin_api";
  /** The product that brought it, or null. */
  product_id: string | null;
  /** What the caller calls it, or null. */
  reference: string | null;
  created_at: number;
}

/** When a device last set an attribute of a customer, by its own clock; also one that was removed. */
interface AttributeTimeRow {
  project_id: string;
  customer_id: string;
  name: string;
  sent_at: number;
}

/** What a simulated store has sold, and an app has yet to tell of. */
interface ReceiptRow {
  project_id: string;
  /** The receipt, as the store gives it to the app. */
  token: string;
  app_id: string;
  /** The purchase: the body of the simulator's route. */
  sale: string;
  created_at: number;
  /** The store's id of the transaction, once an app has sent the receipt. */
  transaction_id: string | null;
}

/** The tables of what customers hold. */
export interface HoldingTables {
  attribute_times: AttributeTimeRow;
  receipts: ReceiptRow;
  customer_aliases: CustomerAliasRow;
  assigned_offerings: AssignedOfferingRow;
  currency_balances: CurrencyBalanceRow;
  currency_entries: CurrencyEntryRow;
  subscriptions: SubscriptionRow;
  transactions: TransactionRow;
  purchases: PurchaseRow;
  invoices: InvoiceRow;
  movements: MovementRow;
  movements_daily: MovementSumRow;
  movements_monthly: MovementSumRow;
  movement_totals: MovementTotalRow;
  cohort_payments: CohortPaymentRow;
  events: EventRow;
}
