/**
 * Products, which the stores sell. A product belongs to one app; the store identifies it by its
 * `store_identifier`.
 *
 * A product is addressed by its generated `id`.
 *
 * @example Create a product
 * ```ts ignore
 * import { connect, createProduct } from "../../mod.ts";
 *
 * const client = await connect();
 * await createProduct(client, {
 *   app_id: "app1a2b3c4d5e",
 *   store_identifier: "com.example.pro.monthly",
 *   type: "subscription",
 *   display_name: "Pro, monthly",
 * });
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { App } from "./apps.ts";
import type { DeletedObject, State } from "./shared.ts";

/** The type of a product. */
export type ProductType =
  | "subscription"
  | "non_subscription"
  | "one_time"
  | "consumable"
  | "non_consumable"
  | "non_renewing_subscription"
  | (string & Record<never, never>);

/** A product. */
export interface Product {
  /** Always `product`. */
  object: "product";
  /** Generated id, `prod…`. */
  id: string;
  /** The store's product identifier, 1 to 255 characters, unique in the app. */
  store_identifier: string;
  /** The type. */
  type: ProductType;
  /** Terms of a subscription; null for every other type. */
  subscription: SubscriptionTerms | null;
  /** Terms of a one-time product; null for a subscription. */
  one_time: OneTimeTerms | null;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** The app that sells it. */
  app_id: string;
  /** The display name, 1 to 1,500 characters, or null. */
  display_name: string | null;
  /** `inactive` once archived. */
  state: State;
  /** The app, if requested with `expand`. */
  app?: App;
}

/** Terms of a subscription product, as ISO 8601 durations, where known. */
export interface SubscriptionTerms {
  /** Length of a period, such as `P1M`. */
  duration: string | null;
  /** The length of access after a failed charge. */
  grace_period_duration: string | null;
  /** Length of the free trial. */
  trial_duration: string | null;
}

/** Terms of a one-time product. */
export interface OneTimeTerms {
  /** Whether it can be bought again, if known. */
  is_consumable: boolean | null;
}

/** The fields of a new product. */
export interface NewProduct {
  /** The app that sells it. */
  app_id: string;
  /** The store's product identifier, 1 to 200 characters. */
  store_identifier: string;
  /** The type. */
  type: ProductType;
  /** The display name, 1 to 1,500 characters. */
  display_name?: string | null;
  /** Terms, for a subscription of a test-store app. */
  subscription?: {
    /** Length of a period: `P1W`, `P1M`, `P2M`, `P3M`, `P6M` or `P1Y`. */
    duration: string;
  };
  /** The title in the test store, 1 to 1,500 characters; required there. */
  title?: string | null;
}

/** The changeable fields of a product. */
export interface ProductChanges {
  /** The display name, 1 to 1,500 characters. */
  display_name?: string;
}

/** The store's details of a pushed product. */
export interface StorePush {
  /** Terms in the store, for a subscription. */
  store_information?: {
    /** Length of a period. */
    duration:
      | "ONE_WEEK"
      | "ONE_MONTH"
      | "TWO_MONTHS"
      | "THREE_MONTHS"
      | "SIX_MONTHS"
      | "ONE_YEAR";
    /** The subscription group's name, 1 to 255 characters. */
    subscription_group_name: string;
    /** The subscription group's id in the store, if it exists. */
    subscription_group_id?: string | null;
  };
}

/** The answer to a push. */
export interface PushedProduct {
  /** The product in the store. */
  created_product: {
    /** Always `store_product`. */
    object: "store_product";
    /** The store's id. */
    id: string;
    /** The name in the store, or null. */
    name: string | null;
    /** The store's product identifier, as in `store_identifier`. */
    product_identifier: string;
  };
}

/** Related objects to include with a product. */
export interface ProductQuery {
  /** `app` adds the app. */
  expand?: "app"[];
}

/** The query of a list of products. */
export interface ProductsQuery extends PageQuery {
  /** Only products of this app. */
  app_id?: string;
  /** `items.app` adds the app of each product. */
  expand?: "items.app"[];
}

/** Lists the products of the project, oldest first. `GET /products` */
export function listProducts(client: Client, query?: ProductsQuery): Promise<Page<Product>> {
  return client.get(path`/products`, { query });
}

/** Reads one product. `GET /products/{id}` */
export function getProduct(client: Client, id: string, query?: ProductQuery): Promise<Product> {
  return client.get(path`/products/${id}`, { query });
}

/** Creates a product. `POST /products` */
export function createProduct(client: Client, product: NewProduct): Promise<Product> {
  return client.post(path`/products`, product);
}

/** Changes a product. `POST /products/{id}` */
export function updateProduct(
  client: Client,
  id: string,
  changes: ProductChanges,
): Promise<Product> {
  return client.post(path`/products/${id}`, changes);
}

/** Deletes a product without purchases. Archive a product that has been bought. `DELETE /products/{id}` */
export function deleteProduct(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/products/${id}`);
}

/** Archives a product. Its buyers keep their access. `POST /products/{id}/actions/archive` */
export function archiveProduct(client: Client, id: string): Promise<Product> {
  return client.post(path`/products/${id}/actions/archive`);
}

/** Unarchives a product. `POST /products/{id}/actions/unarchive` */
export function unarchiveProduct(client: Client, id: string): Promise<Product> {
  return client.post(path`/products/${id}/actions/unarchive`);
}

/** Creates the product in its store (App Store only). `POST /products/{id}/actions/push_to_store` */
export function pushProductToStore(
  client: Client,
  id: string,
  push?: StorePush,
): Promise<PushedProduct> {
  return client.post(path`/products/${id}/actions/push_to_store`, push);
}
