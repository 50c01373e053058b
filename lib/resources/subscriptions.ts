/**
 * Subscriptions: a customer's ongoing purchase of one product, and its transactions.
 *
 * @example Does this subscription give access?
 * ```ts ignore
 * import { connect, getSubscription } from "../../mod.ts";
 *
 * const client = await connect();
 * const { gives_access, status } = await getSubscription(client, "sub1ab2c3d4e5");
 * console.log(gives_access, status);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Entitlement } from "./entitlements.ts";
import type { Environment, MonetaryAmount, Ownership, Store } from "./money.ts";
import type { Product } from "./products.ts";

/** The status of a subscription. Use `gives_access` to check for access. */
export type SubscriptionStatus =
  | "trialing"
  | "active"
  | "expired"
  | "in_grace_period"
  | "in_billing_retry"
  | "paused"
  | "unknown"
  | "incomplete"
  | (string & Record<never, never>);

/** The renewal at the end of the period. */
export type AutoRenewalStatus =
  | "will_renew"
  | "will_not_renew"
  | "will_change_product"
  | "will_pause"
  | "requires_price_increase_consent"
  | "has_already_renewed"
  | (string & Record<never, never>);

/** A subscription. */
export interface Subscription {
  /** Always `subscription`. */
  object: "subscription";
  /** Generated id, `sub…`. It does not change with renewals and transfers. */
  id: string;
  /** The customer who has it now. */
  customer_id: string;
  /** The customer who bought it. */
  original_customer_id: string;
  /** The product, or null for a promotional grant. */
  product_id: string | null;
  /** When it started, in milliseconds since 1970. */
  starts_at: number;
  /** When the current period started, in milliseconds since 1970. */
  current_period_starts_at: number;
  /** When the current period ends, in milliseconds since 1970; null for an open-ended pause. */
  current_period_ends_at: number | null;
  /** When it ends, as far as known, in milliseconds since 1970, or null. */
  ends_at: number | null;
  /** Whether it gives access now. */
  gives_access: boolean;
  /** Whether a payment is pending. */
  pending_payment: boolean;
  /** The renewal at the end of the period. */
  auto_renewal_status: AutoRenewalStatus;
  /** The status. */
  status: SubscriptionStatus;
  /** All payments so far, less refunds. */
  total_revenue_in_usd: MonetaryAmount;
  /** The offering shown at the purchase, by id, or null. */
  presented_offering_id: string | null;
  /** Its entitlements while it gives access. */
  entitlements: Page<Entitlement>;
  /** Production or sandbox. */
  environment: Environment;
  /** The store. */
  store: Store;
  /** The store's id of its latest transaction. */
  store_subscription_identifier: string;
  /** How the customer came to own it. */
  ownership: Ownership;
  /** The product of the next period, if it changes, or null. */
  pending_changes: PendingChanges | null;
  /** The billing country, ISO 3166-1 alpha-2, or null. */
  country: string | null;
  /** The address of its management page, or null. */
  management_url: string | null;
}

/** A pending product change. */
export interface PendingChanges {
  /** The product of the next period. */
  product: Product;
}

/** The status of a payment. */
export type TransactionStatus =
  | "completed"
  | "refunded"
  | "pending"
  | "failed"
  | (string & Record<never, never>);

/** One payment for a subscription. */
export interface SubscriptionTransaction {
  /** Always `subscription_transaction`. */
  object: "subscription_transaction";
  /** The store's id. */
  id: string;
  /** When it was paid, in milliseconds since 1970. */
  purchased_at: number;
  /** The store's identifier of the product. */
  product_store_identifier: string;
  /** The end of the paid period, in milliseconds since 1970, or null. */
  expiration_date: number | null;
  /** The same including a grace period, in milliseconds since 1970, or null. */
  effective_expiration_date: number | null;
  /** The amount, in the buyer's currency. */
  revenue_in_local_currency: MonetaryAmount;
  /** The amount, in US dollars. */
  revenue_in_usd: MonetaryAmount;
  /** The status. */
  status: TransactionStatus;
  /** When it was refunded, in milliseconds since 1970, or null. */
  refunded_at: number | null;
}

/** The address of a management page. */
export interface ManagementUrl {
  /** Always `management_url`. */
  object: "management_url";
  /** The address, or null. */
  management_url: string | null;
}

/** The query of a list of transactions. */
export interface TransactionsQuery extends PageQuery {
  /** The field to order by. Default `id`. */
  sort?: "id" | "purchased_at";
  /** The direction. Default `asc`. */
  direction?: "asc" | "desc";
}

/** Reads one subscription. `GET /subscriptions/{id}` */
export function getSubscription(client: Client, id: string): Promise<Subscription> {
  return client.get(path`/subscriptions/${id}`);
}

/** Lists the payments for a subscription. `GET /subscriptions/{id}/transactions` */
export function listSubscriptionTransactions(
  client: Client,
  id: string,
  query?: TransactionsQuery,
): Promise<Page<SubscriptionTransaction>> {
  return client.get(path`/subscriptions/${id}/transactions`, { query });
}

/** Lists the entitlements of a subscription. `GET /subscriptions/{id}/entitlements` */
export function listSubscriptionEntitlements(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<Entitlement>> {
  return client.get(path`/subscriptions/${id}/entitlements`, { query });
}

/** Cancels a web-billing subscription at the end of its period. `POST /subscriptions/{id}/actions/cancel` */
export function cancelSubscription(client: Client, id: string): Promise<Subscription> {
  return client.post(path`/subscriptions/${id}/actions/cancel`);
}

/** Refunds a web-billing subscription's latest payment and ends it. `POST /subscriptions/{id}/actions/refund` */
export function refundSubscription(client: Client, id: string): Promise<Subscription> {
  return client.post(path`/subscriptions/${id}/actions/refund`);
}

/**
 * Refunds one payment through the store, if the store and the payment's age allow it.
 * `POST /subscriptions/{sid}/transactions/{tid}/actions/refund`
 */
export function refundTransaction(
  client: Client,
  subscriptionId: string,
  transactionId: string,
): Promise<SubscriptionTransaction> {
  return client.post(
    path`/subscriptions/${subscriptionId}/transactions/${transactionId}/actions/refund`,
  );
}

/** Returns the management URL of a subscription. `GET /subscriptions/{id}/management_url` */
export function getManagementUrl(client: Client, id: string): Promise<ManagementUrl> {
  return client.get(path`/subscriptions/${id}/management_url`);
}

/** Finds subscriptions by a store transaction id. `GET /subscriptions/search` */
export function searchSubscriptions(client: Client, storeId: string): Promise<Page<Subscription>> {
  const query = { store_subscription_identifier: storeId };
  return client.get(path`/subscriptions/search`, { query });
}
