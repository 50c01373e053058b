/**
 * Purchases, as stores report them.
 *
 * @module
 */

import { path } from "../path.ts";
import type { Invoice } from "../resources/invoices.ts";
import type { Purchase } from "../resources/purchases.ts";
import type { Subscription } from "../resources/subscriptions.ts";
import type { Simulator } from "./simulator.ts";

/** A purchase of a customer. */
export interface NewSale {
  /** The buyer: any id of a customer, or a new one. */
  customer_id: string;
  /** The product's id or store identifier. */
  product_id: string;
  /** Whether it begins with a trial, or the trial's ISO 8601 duration. Default false. */
  trial?: boolean | string | undefined;
  /** The price in main units. Default: the product's own. */
  price?: number | undefined;
  /** The currency, ISO 4217. Default: the product's own, else USD. */
  currency?: string | undefined;
  /** The country, ISO 3166-1 alpha-2. Default: the customer's. */
  country?: string | undefined;
  /** The environment. Default: production, but sandbox in the test store. */
  environment?: "production" | "sandbox" | undefined;
  /** The ownership. Default: purchased. */
  ownership?: "purchased" | "family_shared" | undefined;
  /** The id or lookup key of the offering shown at purchase. */
  offering_id?: string | undefined;
  /** The quantity, for one-time products. Default 1. */
  quantity?: number | undefined;
  /** The ISO 8601 duration of a period. Default: the product's own. */
  duration?: string | undefined;
  /** The ISO 8601 duration of the grace period. Default: the product's own. */
  grace_period_duration?: string | null | undefined;
  /** When a subscription starts, in milliseconds since 1970. Default: now. */
  starts_at?: number | undefined;
  /** Whether it is paid at once. Default true. */
  paid?: boolean | undefined;
  /** Whether the store has confirmed it. Default true. */
  verified?: boolean | undefined;
  /** The store's id of the transaction. Default: a new one. */
  store_transaction_id?: string | undefined;
}

/** A receipt of a store for an app. */
export interface PrintedReceipt {
  /** Always `receipt`. */
  object: "receipt";
  /** The receipt, which the app sends to `/v1/receipts`. */
  fetch_token: string;
  /** The app whose SDK can send it. */
  app_id: string;
  /** The store. */
  store: string;
  /** The buyer. */
  customer_id: string;
  /** The store identifier of the product. */
  product_id: string;
}

/**
 * Buys a product: a subscription or a one-time purchase. An unknown customer is created.
 * `POST /_sim/projects/{project_id}/purchases`
 */
export function buyProduct(
  { client, project }: Simulator,
  body: NewSale,
): Promise<Subscription | Purchase> {
  return client.post(path`/_sim/projects/${project}/purchases`, body);
}

/**
 * Sells a product in its store and returns the receipt. The service records the purchase when an
 * app sends the receipt to `/v1/receipts`. `POST /_sim/projects/{project_id}/receipts`
 */
export function printReceipt(
  { client, project }: Simulator,
  body: NewSale,
): Promise<PrintedReceipt> {
  return client.post(path`/_sim/projects/${project}/receipts`, body);
}

/**
 * Refunds a one-time purchase, as the store does.
 * `POST /_sim/projects/{project_id}/purchases/{id}/refund`
 */
export function refundPurchase({ client, project }: Simulator, id: string): Promise<Purchase> {
  return client.post(path`/_sim/projects/${project}/purchases/${id}/refund`);
}

/**
 * Undoes the refund of a one-time purchase.
 * `POST /_sim/projects/{project_id}/purchases/{id}/reverse_refund`
 */
export function reversePurchaseRefund(
  { client, project }: Simulator,
  id: string,
): Promise<Purchase> {
  return client.post(path`/_sim/projects/${project}/purchases/${id}/reverse_refund`);
}

/**
 * Pays an invoice. Its pending subscription starts.
 * `POST /_sim/projects/{project_id}/invoices/{id}/pay`
 */
export function payInvoice({ client, project }: Simulator, id: string): Promise<Invoice> {
  return client.post(path`/_sim/projects/${project}/invoices/${id}/pay`);
}
