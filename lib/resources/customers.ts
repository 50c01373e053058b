/**
 * Customers: the people who use the apps, also called subscribers or app users. A customer is
 * addressed by its id or by any of its aliases.
 *
 * @example Give somebody a month of an entitlement
 * ```ts ignore
 * import { connect, grantEntitlement } from "../../mod.ts";
 *
 * const client = await connect();
 * const expires_at = Date.now() + 30 * 86_400_000;
 * await grantEntitlement(client, "ada", { entitlement_id: "pro", expires_at });
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Invoice } from "./invoices.ts";
import type { Environment } from "./money.ts";
import type { Purchase } from "./purchases.ts";
import type { DeletedObject } from "./shared.ts";
import type { Subscription } from "./subscriptions.ts";

/** A customer. */
export interface Customer {
  /** Always `customer`. */
  object: "customer";
  /** The app user id, 1 to 1,500 bytes in UTF-8, chosen by the app or the importer. */
  id: string;
  /** The project it belongs to. */
  project_id: string;
  /** When it was first seen, in milliseconds since 1970. */
  first_seen_at: number;
  /** When it was last seen, in milliseconds since 1970, or null. */
  last_seen_at: number | null;
  /** The app version of the last visit, or null. */
  last_seen_app_version: string | null;
  /** The country of the last visit, ISO 3166-1 alpha-2, or null. */
  last_seen_country: string | null;
  /** The platform of the last visit, such as `iOS`, or null. */
  last_seen_platform: string | null;
  /** The version of that platform, or null. */
  last_seen_platform_version: string | null;
  /** Its active entitlements. Not in lists. */
  active_entitlements?: Page<ActiveEntitlement>;
  /** Its experiment, or null. Not in lists. */
  experiment?: null;
  /** Its attributes, if requested with `expand`. */
  attributes?: Page<CustomerAttribute>;
}

/** An active entitlement of a customer. */
export interface ActiveEntitlement {
  /** Always `customer.active_entitlement`. */
  object: "customer.active_entitlement";
  /** The entitlement's id. */
  entitlement_id: string;
  /** The end, in milliseconds since 1970, or null for no end. */
  expires_at: number | null;
}

/** One attribute of a customer. */
export interface CustomerAttribute {
  /** Always `customer.attribute`. */
  object: "customer.attribute";
  /** Its name. Names that start with `$` are reserved. */
  name: string;
  /** Its value, at most 500 characters. */
  value: string | null;
  /** When it was last set, in milliseconds since 1970. */
  updated_at: number;
}

/** An attribute to set. */
export interface AttributeChange {
  /**
   * Its name, 1 to 40 characters: a letter, then letters, digits, `_` and `-`; or a reserved name.
   */
  name: string;
  /** Its value, at most 500 characters. Null or an empty text removes it. */
  value: string | null;
}

/** Another id of a customer. */
export interface CustomerAlias {
  /** Always `customer.alias`. */
  object: "customer.alias";
  /** The id. A customer's own id is one of its aliases. */
  id: string;
  /** When it was first used, in milliseconds since 1970. */
  created_at: number;
}

/** The fields of a new customer. */
export interface NewCustomer {
  /** The app user id: 1 to 1,500 letters, digits, `_` and `-`. */
  id: string;
  /** Attributes to set, at most 50. */
  attributes?: AttributeChange[];
}

/** The entitlement to grant, and its end. */
export interface EntitlementGrant {
  /** The entitlement's lookup key or id. */
  entitlement_id: string;
  /** The end, in milliseconds since 1970; in the future. */
  expires_at: number;
}

/** A grant to end. */
export interface GrantedEntitlement {
  /** The entitlement's lookup key or id. */
  entitlement_id: string;
}

/** The offering to assign to a customer. */
export interface OfferingAssignment {
  /** The offering's lookup key or id; null returns to the current offering. */
  offering_id: string | null;
}

/** The target and the content of a transfer. */
export interface CustomerTransfer {
  /** The customer to transfer to. */
  target_customer_id: string;
  /** Only purchases in these apps; null or omitted: everything. */
  app_ids?: string[] | null;
}

/** The answer to a transfer. */
export interface TransferResult {
  /** The customer who had the purchases. */
  source_customer: Customer;
  /** The customer who has them now. */
  target_customer: Customer;
}

/** Related objects to include with a customer. */
export interface CustomerQuery {
  /** `attributes` adds the attributes. */
  expand?: "attributes"[];
}

/** The query of a list of customers. */
export interface CustomersQuery extends PageQuery {
  /** Only customers with exactly this `$email`, 1 to 255 characters. */
  search?: string;
}

/** The query of a customer's subscriptions or purchases. */
export interface HoldingsQuery extends PageQuery {
  /** Only production or only sandbox. */
  environment?: Environment;
}

/** Lists the customers of the project, oldest first. `GET /customers` */
export function listCustomers(client: Client, query?: CustomersQuery): Promise<Page<Customer>> {
  return client.get(path`/customers`, { query });
}

/** Reads one customer. `GET /customers/{id}` */
export function getCustomer(client: Client, id: string, query?: CustomerQuery): Promise<Customer> {
  return client.get(path`/customers/${id}`, { query });
}

/** Creates a customer before an app reports it. `POST /customers` */
export function createCustomer(client: Client, customer: NewCustomer): Promise<Customer> {
  return client.post(path`/customers`, customer);
}

/**
 * Deletes a customer and all its data permanently. Its events stay, without its personal
 * attributes. `DELETE /customers/{id}`
 */
export function deleteCustomer(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/customers/${id}`);
}

/**
 * Moves subscriptions, purchases and their access to another customer.
 * `POST /customers/{id}/actions/transfer`
 */
export function transferCustomer(
  client: Client,
  id: string,
  transfer: CustomerTransfer,
): Promise<TransferResult> {
  return client.post(path`/customers/${id}/actions/transfer`, transfer);
}

/**
 * Grants a customer an entitlement until a date. A later grant of the same entitlement replaces
 * that date, so a grant with an early end takes it back.
 * `POST /customers/{id}/actions/grant_entitlement`
 */
export function grantEntitlement(
  client: Client,
  id: string,
  grant: EntitlementGrant,
): Promise<Customer> {
  return client.post(path`/customers/${id}/actions/grant_entitlement`, grant);
}

/**
 * Ends the grant of an entitlement immediately. Access through a purchase stays.
 * `POST /customers/{id}/actions/revoke_granted_entitlement`
 */
export function revokeGrantedEntitlement(
  client: Client,
  id: string,
  granted: GrantedEntitlement,
): Promise<Customer> {
  return client.post(path`/customers/${id}/actions/revoke_granted_entitlement`, granted);
}

/**
 * Assigns a customer an offering in place of the current one, or removes the assignment.
 * `POST /customers/{id}/actions/assign_offering`
 */
export function assignOffering(
  client: Client,
  id: string,
  assignment: OfferingAssignment,
): Promise<Customer> {
  return client.post(path`/customers/${id}/actions/assign_offering`, assignment);
}

/** Lists a customer's subscriptions. `GET /customers/{id}/subscriptions` */
export function listCustomerSubscriptions(
  client: Client,
  id: string,
  query?: HoldingsQuery,
): Promise<Page<Subscription>> {
  return client.get(path`/customers/${id}/subscriptions`, { query });
}

/** Lists a customer's one-time purchases. `GET /customers/{id}/purchases` */
export function listCustomerPurchases(
  client: Client,
  id: string,
  query?: HoldingsQuery,
): Promise<Page<Purchase>> {
  return client.get(path`/customers/${id}/purchases`, { query });
}

/** Lists a customer's active entitlements. `GET /customers/{id}/active_entitlements` */
export function listActiveEntitlements(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<ActiveEntitlement>> {
  return client.get(path`/customers/${id}/active_entitlements`, { query });
}

/** Lists a customer's ids. `GET /customers/{id}/aliases` */
export function listCustomerAliases(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<CustomerAlias>> {
  return client.get(path`/customers/${id}/aliases`, { query });
}

/** Lists a customer's invoices. `GET /customers/{id}/invoices` */
export function listCustomerInvoices(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<Invoice>> {
  return client.get(path`/customers/${id}/invoices`, { query });
}

/** Lists a customer's attributes, by name. `GET /customers/{id}/attributes` */
export function listCustomerAttributes(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<CustomerAttribute>> {
  return client.get(path`/customers/${id}/attributes`, { query });
}

/** Sets 1 to 50 attributes; the others stay. `POST /customers/{id}/attributes` */
export function setCustomerAttributes(
  client: Client,
  id: string,
  attributes: AttributeChange[],
): Promise<Page<CustomerAttribute>> {
  return client.post(path`/customers/${id}/attributes`, { attributes });
}
