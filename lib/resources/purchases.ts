/**
 * One-time purchases, such as lifetime access or consumables.
 *
 * @example Refund a web-billing purchase
 * ```ts ignore
 * import { connect, refundPurchase } from "../../mod.ts";
 *
 * const client = await connect();
 * await refundPurchase(client, "purc1a2b3c4d5e");
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Entitlement } from "./entitlements.ts";
import type { Environment, MonetaryAmount, Ownership, Store } from "./money.ts";

/** A one-time purchase. */
export interface Purchase {
  /** Always `purchase`. */
  object: "purchase";
  /** Generated id, `purc…`. */
  id: string;
  /** The customer who has it now. */
  customer_id: string;
  /** The customer who bought it. */
  original_customer_id: string;
  /** The product. */
  product_id: string;
  /** When it was bought, in milliseconds since 1970. */
  purchased_at: number;
  /** The payment, less refunds. */
  revenue_in_usd: MonetaryAmount;
  /** The quantity. */
  quantity: number;
  /** Whether it is still owned. */
  status: "owned" | "refunded" | (string & Record<never, never>);
  /** The offering shown at the purchase, by id, or null. */
  presented_offering_id: string | null;
  /** Its entitlements while it is owned. */
  entitlements: Page<Entitlement>;
  /** Production or sandbox. */
  environment: Environment;
  /** The store. */
  store: Store;
  /** The store's id. */
  store_purchase_identifier: string;
  /** How the customer came to own it. */
  ownership: Ownership;
  /** The billing country, ISO 3166-1 alpha-2, or null. */
  country: string | null;
}

/** Reads one purchase. `GET /purchases/{id}` */
export function getPurchase(client: Client, id: string): Promise<Purchase> {
  return client.get(path`/purchases/${id}`);
}

/** Lists the entitlements of a purchase. `GET /purchases/{id}/entitlements` */
export function listPurchaseEntitlements(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<Entitlement>> {
  return client.get(path`/purchases/${id}/entitlements`, { query });
}

/** Refunds a web-billing purchase and ends its access. `POST /purchases/{id}/actions/refund` */
export function refundPurchase(client: Client, id: string): Promise<Purchase> {
  return client.post(path`/purchases/${id}/actions/refund`);
}

/** Finds purchases by the store's id. `GET /purchases/search` */
export function searchPurchases(client: Client, storeId: string): Promise<Page<Purchase>> {
  return client.get(path`/purchases/search`, { query: { store_purchase_identifier: storeId } });
}
