/**
 * Entitlements, which represent access to features. A customer gets an entitlement through a product
 * attached to it, or through a promotional grant.
 *
 * An entitlement is addressed by its `lookup_key` or its `id`.
 *
 * @example Attach a product to an entitlement
 * ```ts ignore
 * import { attachEntitlementProducts, connect, createEntitlement } from "../../mod.ts";
 *
 * const client = await connect();
 * await createEntitlement(client, { lookup_key: "pro", display_name: "Pro" });
 * await attachEntitlementProducts(client, "pro", ["prod1a2b3c4d5e"]);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Product } from "./products.ts";
import type { DeletedObject, State } from "./shared.ts";

/** An entitlement. */
export interface Entitlement {
  /** Always `entitlement`. */
  object: "entitlement";
  /** The project it belongs to. */
  project_id: string;
  /** Generated id, `entl…`. */
  id: string;
  /** The name used in code, 1 to 200 characters, unique in the project, never changed. */
  lookup_key: string;
  /** The display name, 1 to 1,500 characters. */
  display_name: string;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** `inactive` once archived. */
  state: State;
  /** Its products, if requested with `expand`. */
  products?: Page<Product>;
}

/** The fields of a new entitlement. */
export interface NewEntitlement {
  /** The name used in code, 1 to 200 characters, unique in the project. */
  lookup_key: string;
  /** The display name, 1 to 1,500 characters. */
  display_name: string;
}

/** The changeable fields of an entitlement. */
export interface EntitlementChanges {
  /** The display name, 1 to 1,500 characters. */
  display_name?: string;
}

/** Related objects to include with an entitlement. */
export interface EntitlementQuery {
  /** `product` adds the products. */
  expand?: "product"[];
}

/** The query of a list of entitlements. */
export interface EntitlementsQuery extends PageQuery {
  /** `items.product` adds the products of each entitlement. */
  expand?: "items.product"[];
}

/** Lists the entitlements of the project, oldest first. `GET /entitlements` */
export function listEntitlements(
  client: Client,
  query?: EntitlementsQuery,
): Promise<Page<Entitlement>> {
  return client.get(path`/entitlements`, { query });
}

/** Reads one entitlement. `GET /entitlements/{id}` */
export function getEntitlement(
  client: Client,
  id: string,
  query?: EntitlementQuery,
): Promise<Entitlement> {
  return client.get(path`/entitlements/${id}`, { query });
}

/** Creates an entitlement. `POST /entitlements` */
export function createEntitlement(
  client: Client,
  entitlement: NewEntitlement,
): Promise<Entitlement> {
  return client.post(path`/entitlements`, entitlement);
}

/** Changes an entitlement. `POST /entitlements/{id}` */
export function updateEntitlement(
  client: Client,
  id: string,
  changes: EntitlementChanges,
): Promise<Entitlement> {
  return client.post(path`/entitlements/${id}`, changes);
}

/** Deletes an entitlement and all access to it. `DELETE /entitlements/{id}` */
export function deleteEntitlement(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/entitlements/${id}`);
}

/** Lists the products of an entitlement. `GET /entitlements/{id}/products` */
export function listEntitlementProducts(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<Product>> {
  return client.get(path`/entitlements/${id}/products`, { query });
}

/** Archives an entitlement. `POST /entitlements/{id}/actions/archive` */
export function archiveEntitlement(client: Client, id: string): Promise<Entitlement> {
  return client.post(path`/entitlements/${id}/actions/archive`);
}

/** Unarchives an entitlement. `POST /entitlements/{id}/actions/unarchive` */
export function unarchiveEntitlement(client: Client, id: string): Promise<Entitlement> {
  return client.post(path`/entitlements/${id}/actions/unarchive`);
}

/**
 * Attaches 1 to 50 products to an entitlement. Past buyers get access too.
 * `POST /entitlements/{id}/actions/attach_products`
 */
export function attachEntitlementProducts(
  client: Client,
  id: string,
  productIds: string[],
): Promise<Entitlement> {
  return client.post(path`/entitlements/${id}/actions/attach_products`, {
    product_ids: productIds,
  });
}

/**
 * Detaches 1 to 50 products from an entitlement. Past buyers lose access too.
 * `POST /entitlements/{id}/actions/detach_products`
 */
export function detachEntitlementProducts(
  client: Client,
  id: string,
  productIds: string[],
): Promise<Entitlement> {
  return client.post(path`/entitlements/${id}/actions/detach_products`, {
    product_ids: productIds,
  });
}
