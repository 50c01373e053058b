/**
 * Purchases: the first step of a subscription, and one-time purchases with their refunds.
 *
 * @module
 */

import type { Environment, Ownership } from "../store/holding_tables.ts";
import type { Row } from "../store/tables.ts";
import { negate, splitPayment } from "./money.ts";
import { DAY_MS } from "./calendar.ts";
import { NEW_SUBSCRIPTION } from "./new_subscription.ts";
import type { Terms } from "./product_change.ts";
import { type EventDraft, IllegalStep, type Step, type Subscription } from "./step.ts";
import { transactionId } from "./stores.ts";
import { begin, type Beginning, changed, nextPayment } from "./subscription.ts";

/** A one-time purchase, as it is stored. */
export type Purchase = Row<"purchases">;

/** The data of every sale. */
export interface Sale {
  /** The project's id. */
  project_id: string;
  /** The id of the subscription or purchase. */
  id: string;
  /** The buyer. */
  customer_id: string;
  /** The product's app. */
  app_id: string;
  /** The store. */
  store: string;
  /** Whether the money is real. */
  environment: Environment;
  /** Whether the buyer pays, or another family member. */
  ownership: Ownership;
  /** ISO 4217 code. */
  currency: string;
  /** ISO 3166-1 alpha-2, or null. */
  country: string | null;
  /** The buyer's platform. */
  platform: string;
  /** The offering shown at purchase, or null. */
  offering_id: string | null;
  /** The store's transaction id. Default: a generated one. */
  transaction_id?: string | undefined;
}

/** A sale of a subscription. */
export interface SubscriptionSale extends Sale, Terms {
  /** The length of its free trial, or null. */
  trial_duration: string | null;
  /** When it starts: now or later. */
  starts_at: number;
  /** Whether the first payment is made. If not, an invoice is open. */
  paid: boolean;
  /** The buyer's earlier subscription to this product that has ended, if any. */
  earlier?: "trial" | "paid" | undefined;
}

/** Sells a subscription. */
export function subscribe(sale: SubscriptionSale, at: number): Step {
  const draft = draftOf(sale);
  if (!sale.paid) return invoice(draft, at);
  const step = { before: undefined, at, movement: "start", events: [] } as const;
  if (sale.starts_at > at) return { ...step, after: draft, events: [] };
  return { ...begin(draft, at, beginningAfter(sale)), before: undefined };
}

/**
 * Sells a subscription while its store is unreachable: the customer gets access for at most a day,
 * without a payment. A verified purchase then replaces it.
 */
export function believe(sale: SubscriptionSale, at: number): Step {
  const after = changed(draftOf(sale), {
    status: "active",
    auto_renewal_status: "will_not_renew",
    period_type: "promotional",
    price_micros: 0,
    trial_duration: null,
    period_ends_at: at + DAY_MS,
    cancel_reason: "UNKNOWN",
  });
  const events = [{ type: "TEMPORARY_ENTITLEMENT_GRANT" } as const];
  return { before: undefined, after, at, movement: "start", events };
}

/** Whether a subscription is temporary access, not yet verified by its store. */
export function isBelieved({ period_type, store }: Subscription): boolean {
  return period_type === "promotional" && store !== "promotional";
}

/** Sells something once. */
interface PurchaseSale extends Sale {
  /** The product's id. */
  product_id: string;
  /** The price of one, in micros. */
  price_micros: number;
  /** The quantity. */
  quantity: number;
}

/** The result of a purchase, of its refund, or of the refund's reversal. */
export interface PurchaseStep {
  /** Whether the step creates the purchase. */
  starts: boolean;
  /** The purchase after. */
  after: Purchase;
  /** When. */
  at: number;
  /** The kind of its ledger row. */
  movement: "purchase" | "refund" | "refund_reversal";
  /** The money that moves. */
  money: ReturnType<typeof splitPayment>;
  /** Its events. */
  events: EventDraft[];
}

/** Sells a one-time product. */
export function purchase(sale: PurchaseSale, at: number): PurchaseStep {
  const { price_micros, transaction_id: given, customer_id, ...fields } = sale;
  const { quantity, ownership } = sale;
  const money = splitPayment(ownership === "purchased" ? price_micros * quantity : 0, sale);
  const after: Purchase = {
    ...fields,
    seq: 0,
    customer_id,
    original_customer_id: customer_id,
    status: "owned",
    purchased_at: at,
    refunded_at: null,
    store_purchase_identifier: given ?? transactionId(sale, { number: 1, at }),
    gross_micros: money.local.gross,
    commission_micros: money.local.commission,
    tax_micros: money.local.tax,
    gross_usd_micros: money.usd.gross,
    commission_usd_micros: money.usd.commission,
    tax_usd_micros: money.usd.tax,
  };
  const events = [{ type: "NON_RENEWING_PURCHASE", money } as const];
  return { starts: true, after, at, movement: "purchase", money, events };
}

/** Refunds a one-time purchase and ends its access. */
export function refundPurchase(bought: Purchase, at: number): PurchaseStep {
  if (bought.status === "refunded") throw new IllegalStep("The purchase is already refunded");
  if (bought.gross_micros === 0) throw new IllegalStep("The purchase was free");
  const after: Purchase = { ...bought, status: "refunded", refunded_at: at };
  const money = negate(moneyOfPurchase(bought));
  const extra = { cancel_reason: "CUSTOMER_SUPPORT" } as const;
  const events: EventDraft[] = [{ type: "CANCELLATION", money, extra }];
  return { starts: false, after, at, movement: "refund", money, events };
}

/** Undoes the refund of a one-time purchase. */
export function reversePurchaseRefund(bought: Purchase, at: number): PurchaseStep {
  if (bought.status !== "refunded") throw new IllegalStep("The purchase is not refunded");
  const after: Purchase = { ...bought, status: "owned", refunded_at: null };
  const money = moneyOfPurchase(bought);
  const events: EventDraft[] = [{ type: "REFUND_REVERSED", money }];
  return { starts: false, after, at, movement: "refund_reversal", money, events };
}

/** The payment for a purchase. */
function moneyOfPurchase(bought: Purchase): ReturnType<typeof splitPayment> {
  return {
    currency: bought.currency,
    local: {
      gross: bought.gross_micros,
      commission: bought.commission_micros,
      tax: bought.tax_micros,
    },
    usd: {
      gross: bought.gross_usd_micros,
      commission: bought.commission_usd_micros,
      tax: bought.tax_usd_micros,
    },
  };
}

/** Requests the first payment. */
function invoice(draft: Subscription, at: number): Step {
  const { after, payment } = nextPayment(draft, draft.price_micros, "pending");
  const events: EventDraft[] = [{ type: "INVOICE_ISSUANCE", money: payment.money }];
  return { before: undefined, after, at, movement: "start", payment, events };
}

/** A subscription before it starts. */
function draftOf(sale: SubscriptionSale): Subscription {
  const { paid, earlier: _earlier, transaction_id: given, ...fields } = sale;
  const transaction_id = given ?? transactionId(sale, { number: 1, at: sale.starts_at });
  return changed({
    ...UNSOLD,
    ...fields,
    original_customer_id: sale.customer_id,
    period_starts_at: sale.starts_at,
    period_ends_at: sale.starts_at,
    anchor_at: sale.starts_at,
    price_micros: sale.ownership === "purchased" ? sale.price_micros : 0,
    charge_fails: paid ? 0 : 1,
    transaction_id,
    original_transaction_id: transaction_id,
  }, {});
}

/** How a subscription starts for a customer who had one to this product before. */
function beginningAfter({ earlier, trial_duration }: SubscriptionSale): Beginning {
  const paysAgain = earlier === "paid" && trial_duration === null;
  const movement = paysAgain ? { movement: "resubscription" } as const : {};
  if (earlier !== "trial") return movement;
  const extra = { is_trial_conversion: trial_duration === null };
  return { ...movement, event: { type: "RENEWAL", extra } };
}

/** A subscription before its purchase. */
const UNSOLD = {
  ...NEW_SUBSCRIPTION,
  entitlement_id: null,
  status: "incomplete",
  auto_renewal_status: "will_renew",
  period_type: "normal",
} as const;
