/**
 * Packages: the choices inside an offering, such as monthly and annual. A package holds at most one
 * product of each app.
 *
 * A package is addressed by its generated `id`; the same `lookup_key` may stand in every offering.
 *
 * @example Put a product into a new package
 * ```ts ignore
 * import { attachPackageProducts, connect, createPackage } from "../../mod.ts";
 *
 * const client = await connect();
 * const monthly = await createPackage(client, {
 *   offering_id: "default",
 *   lookup_key: "$svc_monthly",
 *   display_name: "Monthly",
 * });
 * await attachPackageProducts(client, monthly.id, [{ product_id: "prod1a2b3c4d5e" }]);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Product } from "./products.ts";
import type { DeletedObject } from "./shared.ts";

/** A package of an offering. */
export interface Package {
  /** Always `package`. */
  object: "package";
  /** Generated id, `pkge…`. */
  id: string;
  /** The name used in code, 1 to 200 characters, unique in the offering, never changed. */
  lookup_key: string;
  /** The display name, 1 to 1,500 characters. */
  display_name: string;
  /** Its position in the offering, from 0, or null for last. */
  position: number | null;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** The offering it belongs to. */
  offering_id: string;
  /** Its products, if requested with `expand`. */
  products?: Page<PackageProduct>;
}

/** The versions of Google's billing SDK that receive a product. */
export type EligibilityCriteria =
  | "all"
  | "google_sdk_lt_6"
  | "google_sdk_ge_6"
  | (string & Record<never, never>);

/** A product in a package. */
export interface PackageProduct {
  /** The SDK versions that receive it. It may differ between packages. */
  eligibility_criteria: EligibilityCriteria;
  /** The product. */
  product: Product;
}

/** The fields of a new package. */
export interface NewPackage {
  /** The offering it belongs to, by lookup key or id. */
  offering_id: string;
  /** The name used in code, such as `$svc_monthly`, 1 to 200 characters. */
  lookup_key: string;
  /** The display name, 1 to 1,500 characters. */
  display_name: string;
  /** Its position, from 0. Without it the package comes last. */
  position?: number | null;
}

/** The changeable fields of a package. */
export interface PackageChanges {
  /** The display name, 1 to 1,500 characters. */
  display_name?: string;
  /** Its position, from 0, or null for last. */
  position?: number | null;
}

/** A product to attach to a package. */
export interface PackageProductChoice {
  /** The product's id. */
  product_id: string;
  /** The SDK versions that receive it. Default `all`. */
  eligibility_criteria?: EligibilityCriteria;
}

/** Related objects to include with a package. */
export interface PackageQuery {
  /** `product` adds the products. */
  expand?: "product"[];
}

/** The query of a list of packages. */
export interface PackagesQuery extends PageQuery {
  /** `items.product` adds the products. */
  expand?: "items.product"[];
}

/** Lists the packages of an offering, by position. `GET /offerings/{id}/packages` */
export function listPackages(
  client: Client,
  offering: string,
  query?: PackagesQuery,
): Promise<Page<Package>> {
  return client.get(path`/offerings/${offering}/packages`, { query });
}

/** Reads one package. `GET /packages/{id}` */
export function getPackage(client: Client, id: string, query?: PackageQuery): Promise<Package> {
  return client.get(path`/packages/${id}`, { query });
}

/** Creates a package in an offering. `POST /packages` */
export function createPackage(client: Client, newPackage: NewPackage): Promise<Package> {
  return client.post(path`/packages`, newPackage);
}

/** Changes a package. `POST /packages/{id}` */
export function updatePackage(
  client: Client,
  id: string,
  changes: PackageChanges,
): Promise<Package> {
  return client.post(path`/packages/${id}`, changes);
}

/** Deletes a package. Its products stay. `DELETE /packages/{id}` */
export function deletePackage(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/packages/${id}`);
}

/** Lists the products of a package. `GET /packages/{id}/products` */
export function listPackageProducts(
  client: Client,
  id: string,
  query?: PageQuery,
): Promise<Page<PackageProduct>> {
  return client.get(path`/packages/${id}/products`, { query });
}

/**
 * Attaches 1 to 50 products to a package. A product already attached gets the new criterion.
 * `POST /packages/{id}/actions/attach_products`
 */
export function attachPackageProducts(
  client: Client,
  id: string,
  products: PackageProductChoice[],
): Promise<Package> {
  return client.post(path`/packages/${id}/actions/attach_products`, { products });
}

/** Detaches 1 to 50 products from a package. `POST /packages/{id}/actions/detach_products` */
export function detachPackageProducts(
  client: Client,
  id: string,
  productIds: string[],
): Promise<Package> {
  return client.post(path`/packages/${id}/actions/detach_products`, { product_ids: productIds });
}
