/**
 * Apps, one per storefront of a project. Fields other than the name depend on the type, and are in
 * an object named after the type.
 *
 * @example Create an app and read its public key
 * ```ts ignore
 * import { connect, createApp, listAppPublicKeys } from "../../mod.ts";
 *
 * const client = await connect();
 * const app = await createApp(client, {
 *   name: "Notes for iOS",
 *   type: "app_store",
 *   app_store: { bundle_id: "com.example.notes" },
 * });
 * const { items: [key] } = await listAppPublicKeys(client, app.id);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { DeletedObject } from "./shared.ts";

/** An app. The field `type` distinguishes the storefronts. */
export type App =
  | AppStoreApp
  | MacAppStoreApp
  | PlayStoreApp
  | AmazonApp
  | StripeApp
  | SvcBillingApp
  | RcBillingApp
  | RokuApp
  | PaddleApp
  | TestStoreApp;

/** The fields of every app. */
export interface AppCommon {
  /** Always `app`. */
  object: "app";
  /** Generated id, `app…`. */
  id: string;
  /** Its name, 1 to 255 characters. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** The project it belongs to. */
  project_id: string;
}

/** An app in Apple's App Store. */
export interface AppStoreApp extends AppCommon {
  /** The storefront. */
  type: "app_store";
  /** The App Store settings. Keys and secrets are never returned. */
  app_store: {
    /** The bundle id, 1 to 256 characters. */
    bundle_id: string;
    /** Whether a key for the App Store Connect API is stored. */
    app_store_connect_api_key_configured: boolean;
    /** Whether a key for in-app purchases is stored. */
    subscription_key_configured: boolean;
  };
}

/** An app in Apple's Mac App Store. */
export interface MacAppStoreApp extends AppCommon {
  /** The storefront. */
  type: "mac_app_store";
  /** The Mac App Store settings. */
  mac_app_store: {
    /** The bundle id, 1 to 256 characters. */
    bundle_id: string;
  };
}

/** An app in Google Play. */
export interface PlayStoreApp extends AppCommon {
  /** The storefront. */
  type: "play_store";
  /** The Google Play settings. */
  play_store: {
    /** The package name, 1 to 256 characters. */
    package_name: string;
  };
}

/** An app in Amazon's Appstore. */
export interface AmazonApp extends AppCommon {
  /** The storefront. */
  type: "amazon";
  /** The Amazon settings. */
  amazon: {
    /** The package name, 1 to 256 characters. */
    package_name: string;
  };
}

/** A storefront on Stripe. */
export interface StripeApp extends AppCommon {
  /** The storefront. */
  type: "stripe";
  /** The Stripe settings. */
  stripe: {
    /** The connected account, or null for the only one. */
    stripe_account_id: string | null;
  };
}

/** A storefront of the service's own web billing. */
export interface SvcBillingApp extends AppCommon {
  /** The storefront. */
  type: "svc_billing";
  /** The web billing settings. */
  svc_billing: BillingSettings;
}

/** The same, by its public name. */
export interface RcBillingApp extends AppCommon {
  /** The storefront. */
  type: "rc_billing";
  /** The web billing settings. */
  rc_billing: BillingSettings;
}

/** The web billing settings. */
export interface BillingSettings {
  /** The connected account that receives the payments, or null. */
  stripe_account_id: string | null;
  /** An older name of `app_name`. */
  seller_company_name: string;
  /** The name shown to buyers; the app's own name if none was set. */
  app_name: string;
  /** An older name of `support_email`. */
  seller_company_support_email: string | null;
  /** The support address for buyers, or null. */
  support_email: string | null;
  /** ISO 4217 code of the currency shown first. */
  default_currency: string;
}

/** A channel on Roku. */
export interface RokuApp extends AppCommon {
  /** The storefront. */
  type: "roku";
  /** The Roku settings. The API key is never returned. */
  roku: {
    /** The channel's id, 6 characters, or null. */
    roku_channel_id: string | null;
    /** The channel's name, 1 to 30 characters, or null. */
    roku_channel_name: string | null;
  };
}

/** A storefront on Paddle. */
export interface PaddleApp extends AppCommon {
  /** The storefront. */
  type: "paddle";
  /** The Paddle settings. The API key is never returned. */
  paddle: {
    /** Whether it is Paddle's sandbox. */
    paddle_is_sandbox: boolean;
  };
}

/** The test store that every project has. It cannot be created. */
export interface TestStoreApp extends AppCommon {
  /** The storefront. */
  type: "test_store";
}

/** The fields of a new app: a name, a type, and an object named after the type. */
export interface NewApp extends AppChanges {
  /** Its name, 1 to 255 characters. */
  name: string;
  /** The storefront. */
  type: Exclude<App["type"], "test_store">;
}

/**
 * The changeable fields of an app. Omitted fields keep their value; a nested null clears a field.
 */
export interface AppChanges {
  /** Its name, 1 to 255 characters. */
  name?: string;
  /** For an app of type `app_store`. */
  app_store?: {
    /** The bundle id, 1 to 256 characters. Required on create. */
    bundle_id?: string;
    /** The shared secret, exactly 32 characters; null removes it. */
    shared_secret?: string | null;
    /** The in-app purchase key, PEM, at most 4,500 characters; null removes it. */
    subscription_private_key?: string | null;
    /** The id of that key, at most 32 characters; null removes it. */
    subscription_key_id?: string | null;
    /** The issuer of that key, at most 36 characters; null removes it. */
    subscription_key_issuer?: string | null;
    /** The App Store Connect API key, PEM, at most 4,500 characters; null removes it. */
    app_store_connect_api_key?: string | null;
    /** The id of that key, at most 36 characters; null removes it. */
    app_store_connect_api_key_id?: string | null;
    /** The issuer of that key, at most 36 characters; null removes it. */
    app_store_connect_api_key_issuer?: string | null;
    /** The vendor number, at most 20 characters; null removes it. */
    app_store_connect_vendor_number?: string | null;
  };
  /** For an app of type `mac_app_store`. */
  mac_app_store?: {
    /** The bundle id, 1 to 256 characters. Required on create. */
    bundle_id?: string;
    /** The shared secret, exactly 32 characters; null removes it. */
    shared_secret?: string | null;
  };
  /** For an app of type `play_store`. */
  play_store?: {
    /** The package name, 1 to 256 characters. */
    package_name: string;
  };
  /** For an app of type `amazon`. */
  amazon?: {
    /** The package name, 1 to 256 characters. Required on create. */
    package_name?: string;
    /** The shared secret; null removes it. */
    shared_secret?: string | null;
  };
  /** For an app of type `stripe`. */
  stripe?: {
    /** The connected account; null for the only one. */
    stripe_account_id?: string | null;
  };
  /** For an app of type `svc_billing`. */
  svc_billing?: BillingChanges | null;
  /** The same, by its public name. */
  rc_billing?: BillingChanges | null;
  /** For an app of type `roku`. */
  roku?: {
    /** The API key, exactly 33 characters; null removes it. */
    roku_api_key?: string | null;
    /** The channel's id, exactly 6 characters; null removes it. */
    roku_channel_id?: string | null;
    /** The channel's name, 1 to 30 characters; null removes it. */
    roku_channel_name?: string | null;
  } | null;
  /** For an app of type `paddle`. */
  paddle?: {
    /** The API key, 50 to 70 characters; null removes it. */
    paddle_api_key?: string | null;
    /** Whether it is Paddle's sandbox. Default false; null restores that. */
    paddle_is_sandbox?: boolean | null;
  } | null;
}

/** The settable fields of web billing. */
export interface BillingChanges {
  /** The connected account that receives the payments; null removes it. */
  stripe_account_id?: string | null;
  /** The name shown to buyers, 1 to 256 characters. Required on create. */
  app_name?: string | null;
  /** The support address for buyers, 1 to 320 characters; null removes it. */
  support_email?: string | null;
  /** ISO 4217 code of the currency shown first. Default `USD`; in a change null restores that. */
  default_currency?: string | null;
}

/** A key that an app's SDK sends. It is not secret. */
export interface PublicApiKey {
  /** Always `public_api_key`. */
  object: "public_api_key";
  /** Generated id, `apikey…`. */
  id: string;
  /** The key itself, such as `appl_…`. */
  key: string;
  /** The environment of its purchases. */
  environment: "production" | "sandbox" | (string & Record<never, never>);
  /** The app it belongs to. */
  app_id: string;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
}

/** A StoreKit configuration for Xcode. */
export interface StoreKitConfig {
  /** Always `store_kit_config_file`. */
  object: "store_kit_config_file";
  /** The content of the `.storekit` file. */
  contents: Record<string, unknown>;
}

/** Lists the apps of the project, oldest first. `GET /apps` */
export function listApps(client: Client, query?: PageQuery): Promise<Page<App>> {
  return client.get(path`/apps`, { query });
}

/** Reads one app. `GET /apps/{id}` */
export function getApp(client: Client, id: string): Promise<App> {
  return client.get(path`/apps/${id}`);
}

/** Lists the public SDK keys of an app. `GET /apps/{id}/public_api_keys` */
export function listAppPublicKeys(client: Client, id: string): Promise<Page<PublicApiKey>> {
  return client.get(path`/apps/${id}/public_api_keys`);
}

/** Reads the StoreKit configuration of an Apple app. `GET /apps/{id}/store_kit_config` */
export function getAppStoreKitConfig(client: Client, id: string): Promise<StoreKitConfig> {
  return client.get(path`/apps/${id}/store_kit_config`);
}

/** Creates an app and its public SDK key. `POST /apps` */
export function createApp(client: Client, app: NewApp): Promise<App> {
  return client.post(path`/apps`, app);
}

/** Changes an app. Its type stays. `POST /apps/{id}` */
export function updateApp(client: Client, id: string, changes: AppChanges): Promise<App> {
  return client.post(path`/apps/${id}`, changes);
}

/** Deletes an app. Delete its products first. `DELETE /apps/{id}` */
export function deleteApp(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/apps/${id}`);
}
