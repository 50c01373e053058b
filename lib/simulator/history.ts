/**
 * All records of a customer, from which a scenario can be written that repeats its history.
 *
 * @module
 */

import { path } from "../path.ts";
import type { LoggedEvent } from "./events.ts";
import type { Simulator } from "./simulator.ts";

/** All records of a customer, and of the customers who shared or exchanged purchases with it. */
export interface CustomerHistory {
  /** Always `customer_history`. */
  object: "customer_history";
  /** The time of the project, in milliseconds since 1970. */
  now: number;
  /** The customer, then the others. */
  customers: HistoryCustomer[];
  /** Their subscriptions and promotional grants, oldest first. */
  subscriptions: HistorySubscription[];
  /** The payments of the subscriptions, oldest first. */
  transactions: HistoryTransaction[];
  /** Their one-time purchases, oldest first. */
  purchases: HistoryPurchase[];
  /** The changes of their virtual currencies by apps, oldest first. */
  adjustments: HistoryAdjustment[];
  /** Their events, oldest first. */
  events: HistoryEvent[];
  /** The apps whose products they bought. */
  apps: HistoryApp[];
  /** The products that they bought or will change to. */
  products: HistoryProduct[];
  /** The virtual currencies that these products grant or that they have. */
  currencies: HistoryCurrency[];
}

/** A position in the project: a lower number was stored earlier. */
interface Placed {
  /** The number. */
  seq: number;
}

/** A customer. */
export interface HistoryCustomer extends Placed {
  /** Its first id. */
  id: string;
  /** When it was first seen, in milliseconds since 1970. */
  first_seen_at: number;
  /** All its ids, oldest first. */
  aliases: HistoryAlias[];
  /** Its attributes. */
  attributes: HistoryAttribute[];
  /** Lookup keys of its active entitlements, in alphabetical order. */
  access: string[];
  /** Its balances of virtual currencies, by code. */
  balances: Record<string, number>;
}

/** An id of a customer. */
export interface HistoryAlias extends Placed {
  /** The id. */
  alias: string;
  /** When it was added, in milliseconds since 1970. */
  created_at: number;
}

/** An attribute of a customer. */
export interface HistoryAttribute {
  /** Its name. */
  name: string;
  /** Its value. */
  value: string;
  /** When it was last set, in milliseconds since 1970. */
  updated_at: number;
}

/** A subscription or promotional grant. */
export interface HistorySubscription extends Placed {
  /** Its id. */
  id: string;
  /** The customer who has it. */
  customer_id: string;
  /** The customer who bought it. */
  original_customer_id: string;
  /** The product, or null for a grant. */
  product_id: string | null;
  /** The lookup key of the entitlement, for a grant. */
  entitlement: string | null;
  /** The store. */
  store: string;
  /** Production or sandbox. */
  environment: string;
  /** How the customer came to own it. */
  ownership: string;
  /** The status. */
  status: string;
  /** When it started, in milliseconds since 1970. */
  starts_at: number;
  /** When the current period ends, in milliseconds since 1970, or null. */
  period_ends_at: number | null;
  /** The length of a period, or null. */
  duration: string | null;
  /** The grace period, or null. */
  grace_duration: string | null;
  /** The length of the trial that it began with, or null. */
  trial_duration: string | null;
  /** The currency of the price. */
  currency: string;
  /** The price, in main units. */
  price: number;
  /** The price from the next period on, in main units, or null. */
  pending_price: number | null;
  /** The country of the purchase, or null. */
  country: string | null;
  /** The store's id of the latest transaction. */
  transaction_id: string;
  /** The subscription that a family shares, for a member of that family. */
  shared_from_id: string | null;
}

/** A payment for a subscription. */
export interface HistoryTransaction extends Placed {
  /** The store's id. */
  id: string;
  /** The subscription. */
  subscription_id: string;
  /** The status. */
  status: string;
  /** When it was refunded, in milliseconds since 1970, or null. */
  refunded_at: number | null;
  /** The amount, in main units. */
  price: number;
}

/** A one-time purchase. */
export interface HistoryPurchase extends Placed {
  /** Its id. */
  id: string;
  /** The customer who has it. */
  customer_id: string;
  /** The customer who bought it. */
  original_customer_id: string;
  /** The product. */
  product_id: string;
  /** Production or sandbox. */
  environment: string;
  /** How the customer came to own it. */
  ownership: string;
  /** The quantity. */
  quantity: number;
  /** The store's id of the transaction. */
  transaction_id: string;
  /** The currency of the price. */
  currency: string;
  /** The price of one, in main units. */
  price: number;
  /** The country of the purchase, or null. */
  country: string | null;
}

/** An amount of a virtual currency given by an app; negative if spent. */
export interface HistoryAdjustment extends Placed {
  /** The customer. */
  customer_id: string;
  /** The currency's code. */
  currency: string;
  /** The amount. */
  amount: number;
  /** The description, or null. */
  reference: string | null;
  /** When, in milliseconds since 1970. */
  created_at: number;
}

/** An event, with its position in the project. */
export interface HistoryEvent extends LoggedEvent, Placed {}

/** An app. */
export interface HistoryApp {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** Its store. */
  type: string;
}

/** A product. */
export interface HistoryProduct {
  /** Its id. */
  id: string;
  /** Its app. */
  app_id: string;
  /** The store's identifier. */
  store_identifier: string;
  /** Its type. */
  type: string;
  /** The length of a period, or null. */
  duration: string | null;
  /** The length of the trial, or null. */
  trial_duration: string | null;
  /** The grace period, or null. */
  grace_duration: string | null;
  /** The price, in main units, or null where none is set. */
  price: number | null;
  /** The currency of the price, or null. */
  currency: string | null;
  /** The lookup keys of its entitlements. */
  entitlements: string[];
}

/** A virtual currency. */
export interface HistoryCurrency {
  /** Its code. */
  code: string;
  /** Its name. */
  name: string;
  /** The amounts of each product. */
  grants: HistoryGrant[];
}

/** The amount of a virtual currency that a product grants. */
export interface HistoryGrant {
  /** The product. */
  product_id: string;
  /** The amount for a purchase or a paid period. */
  amount: number;
  /** The amount for a trial. */
  trial_amount: number;
}

/**
 * Reads all records of a customer, and of the customers who shared or exchanged purchases with it.
 * `GET /_sim/projects/{project_id}/customers/{id}/history`
 */
export function getCustomerHistory(
  { client, project }: Simulator,
  id: string,
): Promise<CustomerHistory> {
  return client.get(path`/_sim/projects/${project}/customers/${id}/history`);
}
