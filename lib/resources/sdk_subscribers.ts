/**
 * A customer for an app's SDK, and the data about it from the SDK.
 *
 * @example What does the app see?
 * ```ts ignore
 * import { connect, getSdkSubscriber, listAppPublicKeys } from "../../mod.ts";
 *
 * const client = await connect();
 * const { items: [key] } = await listAppPublicKeys(client, "app1a2b3c4d5e");
 * if (key) console.log(await getSdkSubscriber(client.with({ credential: key.key }), "ada"));
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";

/** A customer, and when the service answered. All dates are ISO 8601 with `Z`, in whole seconds. */
export interface SdkSubscriberAnswer {
  /** When the service answered. */
  request_date: string;
  /** The same in milliseconds since 1970. */
  request_date_ms: number;
  /** The customer. */
  subscriber: SdkSubscriber;
}

/** A customer, as an SDK sees it. */
export interface SdkSubscriber {
  /** The first id of the customer. */
  original_app_user_id: string;
  /** When the customer was first seen. */
  first_seen: string;
  /** When the customer was last seen. */
  last_seen: string;
  /** The store's page to manage the latest subscription with access, or null. */
  management_url: string | null;
  /** Always null here: no store tells which version of the app was bought. */
  original_application_version: null;
  /** Always null here: no store tells when the app was bought. */
  original_purchase_date: null;
  /** Always empty. */
  other_purchases: Record<never, never>;
  /** The customer's entitlements by lookup key, ended ones too. */
  entitlements: Record<string, SdkEntitlement>;
  /** Subscriptions and grants, by the store's name of the product. */
  subscriptions: Record<string, SdkSubscription>;
  /** One-time purchases that the customer owns, by the store's name of the product, oldest first. */
  non_subscriptions: Record<string, SdkPurchase[]>;
}

/** An entitlement, as an SDK sees it. The app has it until its date has passed. */
export interface SdkEntitlement {
  /** When it ends or has ended, grace included; null for never. */
  expires_date: string | null;
  /** The end of the grace period, or null outside of one. */
  grace_period_expires_date: string | null;
  /** The product that gives it: a key of `subscriptions` or `non_subscriptions`. */
  product_identifier: string;
  /** The base plan, for a subscription of Google Play. */
  product_plan_identifier?: string;
  /** When the current period was bought. */
  purchase_date: string;
}

/** An amount of money. */
export interface SdkPrice {
  /** In main units, such as 9.99. */
  amount: number;
  /** ISO 4217 code. */
  currency: string;
}

/** A subscription or grant, as an SDK sees it. */
export interface SdkSubscription {
  /** The end of a pause, or null. */
  auto_resume_date: string | null;
  /** When a charge failed that is still open, or null. */
  billing_issues_detected_at: string | null;
  /** The product's name, or null. */
  display_name: string | null;
  /** When access ends or has ended, grace included; null for never. */
  expires_date: string | null;
  /** The end of the grace period, or null outside of one. */
  grace_period_expires_date: string | null;
  /** Whether the money is not real. */
  is_sandbox: boolean;
  /** When the first period started. */
  original_purchase_date: string;
  /** What the current period is. */
  period_type: "normal" | "intro" | "trial" | "prepaid";
  /** What the latest payment was for the customer, or null. */
  price: SdkPrice | null;
  /** The base plan, for a subscription of Google Play. */
  product_plan_identifier?: string;
  /** When the current period started. */
  purchase_date: string;
  /** When the latest payment was refunded, or null. */
  refunded_at: string | null;
  /** The store. */
  store: string;
  /** The store's page to manage it, or null. */
  management_url: string | null;
  /** The store's id of the latest transaction. */
  store_transaction_id: string | null;
  /** When renewal was switched off, or null while it is on. */
  unsubscribe_detected_at: string | null;
  /** How the customer came to own it. */
  ownership_type: "PURCHASED" | "FAMILY_SHARED";
}

/** A one-time purchase, as an SDK sees it. */
export interface SdkPurchase {
  /** The purchase's id. */
  id: string;
  /** Whether the money is not real. */
  is_sandbox: boolean;
  /** When it was bought. */
  original_purchase_date: string;
  /** The same. */
  purchase_date: string;
  /** The store. */
  store: string;
  /** The store's id of the transaction. */
  store_transaction_id: string;
  /** The product's name, or null. */
  display_name: string | null;
  /** What it cost the customer. */
  price: SdkPrice;
}

/** A sign-in with another id. */
export interface SdkIdentity {
  /** The id that the app has used so far. */
  app_user_id: string;
  /** The id to sign in with. */
  new_app_user_id: string;
}

/** A further id of a customer. */
export interface SdkAlias {
  /** The id. */
  new_app_user_id: string;
}

/** The value of an attribute, and when the device set it. */
export interface SdkAttribute {
  /** The value; null or an empty text removes the attribute. */
  value: string | null;
  /** When it was set, by the device's clock, in milliseconds since 1970. */
  updated_at_ms: number;
}

/** Attributes by name. */
export interface SdkAttributes {
  /** What each is, and since when: at most 50. */
  attributes: Record<string, SdkAttribute>;
}

/** The answer to attributes that were stored. */
export type SdkAttributesAnswer = Record<never, never>;

/** A customer's balances of virtual currencies. */
export interface SdkVirtualCurrencies {
  /** The project's active currencies by code. */
  virtual_currencies: Record<string, SdkVirtualCurrency>;
}

/** A customer's balance in one virtual currency. */
export interface SdkVirtualCurrency {
  /** How much. */
  balance: number;
  /** The currency's code. */
  code: string;
  /** Its name. */
  name: string;
  /** What it is for, or null. */
  description: string | null;
}

/**
 * Reads a customer as an app sees it, by any of its ids. An unknown id creates a customer. The
 * client's credential must be a public SDK key of the app. `GET /v1/subscribers/{user}`
 */
export function getSdkSubscriber(client: Client, userId: string): Promise<SdkSubscriberAnswer> {
  return client.get(path`/v1/subscribers/${userId}`);
}

/**
 * Signs a user in with another id. An anonymous user becomes the customer of that id, or the
 * project's restore behavior decides about the purchases. `POST /v1/subscribers/identify`
 */
export function identifySdkSubscriber(
  client: Client,
  identity: SdkIdentity,
): Promise<SdkSubscriberAnswer> {
  return client.post(path`/v1/subscribers/identify`, identity);
}

/**
 * Adds an id to a customer. If another customer has the id, merges the two, unless both have signed
 * in. `POST /v1/subscribers/{user}/alias`
 */
export function aliasSdkSubscriber(
  client: Client,
  userId: string,
  alias: SdkAlias,
): Promise<SdkSubscriberAnswer> {
  return client.post(path`/v1/subscribers/${userId}/alias`, alias);
}

/**
 * Sets attributes of a customer. A value older than the stored one is ignored.
 * `POST /v1/subscribers/{user}/attributes`
 */
export function setSdkAttributes(
  client: Client,
  userId: string,
  attributes: SdkAttributes,
): Promise<SdkAttributesAnswer> {
  return client.post(path`/v1/subscribers/${userId}/attributes`, attributes);
}

/**
 * Reads a customer's balances of virtual currencies.
 * `GET /v1/subscribers/{user}/virtual_currencies`
 */
export function getSdkVirtualCurrencies(
  client: Client,
  userId: string,
): Promise<SdkVirtualCurrencies> {
  return client.get(path`/v1/subscribers/${userId}/virtual_currencies`);
}
