/**
 * Products as an app's SDK receives them.
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";

/** The products that were asked for and can be sold. */
export interface SdkProducts {
  /** The products, in the order in which they were asked for. */
  product_details: SdkProduct[];
}

/** A product, as an SDK sees it. */
export interface SdkProduct {
  /** The store's name of it. */
  identifier: string;
  /** What kind of product it is. */
  product_type: "subscription" | "consumable" | "non_consumable";
  /** The name that people read. */
  title: string;
  /** Always null here: products have no description. */
  description: null;
  /** The option that is bought unless another is chosen. */
  default_purchase_option_id: string;
  /** The ways to buy it, by id. */
  purchase_options: Record<string, SdkPurchaseOption>;
}

/** A way to buy a product: a subscription has phases, everything else one price. */
export interface SdkPurchaseOption {
  /** The option's id. */
  id: string;
  /** The price's id. */
  price_id: string;
  /** Always null here: there are no discounts. */
  discount: null;
  /** The paid periods of a subscription. */
  base?: SdkPhase;
  /** The free trial of a subscription, or null. */
  trial?: SdkPhase | null;
  /** Always null here: there are no introductory prices. */
  intro_price?: null;
  /** The price of what is bought once. */
  base_price?: SdkProductPrice;
}

/** A part of a subscription. */
export interface SdkPhase {
  /** How long a period is, as an ISO 8601 duration. */
  period_duration: string | null;
  /** The price of a period, or null if free. */
  price: SdkProductPrice | null;
  /** How many periods it has. */
  cycle_count: number;
}

/** A price. */
export interface SdkProductPrice {
  /** In millionths of the currency. */
  amount_micros: number;
  /** ISO 4217 code. */
  currency: string;
}

/** Which products to read. */
export interface SdkProductsQuery {
  /** The store's names of the products: 1 to 100. */
  id: string[];
  /** The currency to show prices in. Default: each product's own. */
  currency?: string;
}

/** The products to ask about. */
export interface SdkIntroQuestion {
  /** The store's names of the products: at most 100. */
  product_identifiers: string[];
}

/** Whether the customer is eligible for a trial, by product; null if unknown. */
export type SdkIntroEligibility = Record<string, boolean | null>;

/** The entitlements of an app's products. */
export interface SdkProductEntitlements {
  /** The entitlements by the store's name of the product. */
  product_entitlement_mapping: Record<string, SdkProductMapping>;
}

/** The entitlements of a product. */
export interface SdkProductMapping {
  /** The store's name of the product, or of the subscription for Google Play. */
  product_identifier: string;
  /** The base plan, for a subscription of Google Play. */
  base_plan_id?: string;
  /** The lookup keys of its entitlements. */
  entitlements: string[];
}

/**
 * Reads products of the app with their prices. Unknown ones and those without a price are left out.
 * `GET /rcbilling/v1/subscribers/{user}/products`
 */
export function listSdkProducts(
  client: Client,
  userId: string,
  query: SdkProductsQuery,
): Promise<SdkProducts> {
  return client.get(path`/rcbilling/v1/subscribers/${userId}/products`, { query });
}

/**
 * Reads a customer's eligibility for free trials of the app's products.
 * `POST /v1/subscribers/{user}/intro_eligibility`
 */
export function checkSdkIntroEligibility(
  client: Client,
  userId: string,
  question: SdkIntroQuestion,
): Promise<SdkIntroEligibility> {
  return client.post(path`/v1/subscribers/${userId}/intro_eligibility`, question);
}

/** Reads the entitlements of the app's products. `GET /v1/product_entitlement_mapping` */
export function getSdkProductEntitlements(client: Client): Promise<SdkProductEntitlements> {
  return client.get(path`/v1/product_entitlement_mapping`);
}
