/**
 * The data of stores that the API lacks, and the project's settings.
 *
 * @module
 */

import { path } from "../path.ts";
import type { App } from "../resources/apps.ts";
import type { Product } from "../resources/products.ts";
import type { Simulator } from "./simulator.ts";

/** An app of the test store. */
export interface NewTestStoreApp {
  /** Its name, 1 to 255 characters. */
  name: string;
}

/** A product's price in its store, and its terms from now on. */
export interface ProductPrice {
  /** The price in main units. */
  price: number;
  /** The currency, ISO 4217. Default: USD. */
  currency?: string | undefined;
  /** The ISO 8601 duration of a period. */
  duration?: string | undefined;
  /** The ISO 8601 duration of the trial; null: none. */
  trial_duration?: string | null | undefined;
  /** The ISO 8601 duration of the grace period; null: none. */
  grace_period_duration?: string | null | undefined;
}

/** A product and its price. */
export interface PricedProduct {
  /** The product. */
  product: Product;
  /** The price of one, in main units. */
  price: number;
  /** The currency. */
  currency: string;
}

/** Settings of a project that have no API operation. */
export interface SettingsChanges {
  /** The refund window, in days: 0 to 36,500. */
  refund_window_days?: number | undefined;
  /** The result when a second customer restores purchases. */
  restore_behavior?: RestoreBehavior | undefined;
}

/** The result when a second customer restores purchases: they move, are shared, or stay. */
export type RestoreBehavior = "transfer" | "share" | "keep";

/** The settings of a project that have no API operation. */
export interface Settings {
  /** Always `settings`. */
  object: "settings";
  /** The project. */
  project_id: string;
  /** The refund window, in days. */
  refund_window_days: number;
  /** The result when a second customer restores purchases. */
  restore_behavior: RestoreBehavior;
}

/** Creates an app of the test store. `POST /_sim/projects/{project_id}/apps` */
export function createTestStoreApp(
  { client, project }: Simulator,
  body: NewTestStoreApp,
): Promise<App> {
  return client.post(path`/_sim/projects/${project}/apps`, body);
}

/**
 * Sets a product's store price and, optionally, its terms.
 * `POST /_sim/projects/{project_id}/products/{id}/price`
 */
export function setProductPrice(
  { client, project }: Simulator,
  id: string,
  body: ProductPrice,
): Promise<PricedProduct> {
  return client.post(path`/_sim/projects/${project}/products/${id}/price`, body);
}

/** Changes project settings that have no API operation. `POST /_sim/projects/{project_id}/settings` */
export function changeSettings(
  { client, project }: Simulator,
  body: SettingsChanges,
): Promise<Settings> {
  return client.post(path`/_sim/projects/${project}/settings`, body);
}
