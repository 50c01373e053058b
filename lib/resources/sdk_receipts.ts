/**
 * Purchases from an app's SDK.
 *
 * @example Buy in the test store, as an app does.
 * ```ts ignore
 * import { connect, postSdkReceipt } from "../../mod.ts";
 *
 * const client = (await connect()).with({ credential: "test_1a2b3c4d5e6f" });
 * const { subscriber } = await postSdkReceipt(client, {
 *   app_user_id: "ada",
 *   product_id: "monthly",
 *   fetch_token: `test_${Date.now()}_${crypto.randomUUID()}`,
 * });
 * console.log(Object.keys(subscriber.entitlements));
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";
import type { SdkAttribute, SdkSubscriberAnswer } from "./sdk_subscribers.ts";

/** A purchase from an SDK. Other fields are accepted and ignored. */
export interface SdkReceipt {
  /** The store's receipt or token. In the test store it is the id of the transaction. */
  fetch_token: string;
  /** The user who buys or restores. */
  app_user_id: string;
  /** The store's name of the product. The test store needs it. */
  product_id?: string | null;
  /** The currency of the price, ISO 4217. */
  currency?: string | null;
  /** The lookup key of the offering that was shown. */
  presented_offering_identifier?: string | null;
  /** Whether the user restores earlier purchases. */
  is_restore?: boolean | null;
  /** The reason of the request: `purchase`, `restore` or another word. */
  initiation_source?: string | null;
  /** Attributes to set with it, by name. */
  attributes?: Record<string, SdkAttribute> | null;
}

/**
 * Sends a purchase, or restores one. The same receipt again changes nothing for its customer; for
 * another customer the project's restore behavior decides. `POST /v1/receipts`
 */
export function postSdkReceipt(client: Client, receipt: SdkReceipt): Promise<SdkSubscriberAnswer> {
  return client.post(path`/v1/receipts`, receipt);
}
