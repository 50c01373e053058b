/**
 * The types of apps as the API document has them, for the tests.
 *
 * @module
 */

import type { FieldRule } from "./field_rules.ts";

/** A type of app: the least it is created with, and what it then shows. */
export interface AppType {
  /** The least that its object must hold; undefined where the object itself may be missing. */
  least?: Record<string, unknown>;
  /** What the object shows after a create with the least. */
  shown: Record<string, unknown>;
  /** How its public keys begin. */
  keys: string[];
  /** The fields of its object on create. */
  rules: FieldRule[];
  /** Fields that a change may set to null, unlike a create or in another way. */
  clearable: string[];
}

const CURRENCIES = (
  "USD EUR JPY GBP AUD CAD BRL KRW CNY MXN SEK PLN MYR PHP CHF SAR TWD NOK DKK THB NZD SGD HKD " +
  "CZK AED CLP COP CRC GEL HUF IDR ILS IQD JOD KES KZT MAD PEN QAR RON RSD TZS VND ZAR TRY UAH"
).split(" ");

const secret32: FieldRule = {
  field: "shared_secret",
  text: [32, 32],
  nullable: true,
  hidden: true,
};

/** The eight types. */
export const APP_TYPES: Record<string, AppType> = {
  app_store: {
    least: { bundle_id: "com.example.a" },
    shown: {
      bundle_id: "com.example.a",
      app_store_connect_api_key_configured: false,
      subscription_key_configured: false,
    },
    keys: ["appl_"],
    rules: [
      { field: "bundle_id", text: [1, 256], required: true },
      secret32,
      { field: "subscription_private_key", text: [1, 4500], hidden: true },
      { field: "subscription_key_id", text: [1, 32], hidden: true },
      { field: "subscription_key_issuer", text: [1, 36], hidden: true },
      { field: "app_store_connect_api_key", text: [1, 4500], hidden: true },
      { field: "app_store_connect_api_key_id", text: [1, 36], hidden: true },
      { field: "app_store_connect_api_key_issuer", text: [1, 36], hidden: true },
      { field: "app_store_connect_vendor_number", text: [1, 20], hidden: true },
    ],
    clearable: [
      "shared_secret",
      "subscription_private_key",
      "subscription_key_id",
      "subscription_key_issuer",
      "app_store_connect_api_key",
      "app_store_connect_api_key_id",
      "app_store_connect_api_key_issuer",
      "app_store_connect_vendor_number",
    ],
  },
  mac_app_store: {
    least: { bundle_id: "com.example.m" },
    shown: { bundle_id: "com.example.m" },
    keys: ["mac_"],
    rules: [{ field: "bundle_id", text: [1, 256], required: true }, secret32],
    clearable: ["shared_secret"],
  },
  play_store: {
    least: { package_name: "com.example.p" },
    shown: { package_name: "com.example.p" },
    keys: ["goog_"],
    rules: [{ field: "package_name", text: [1, 256], required: true }],
    clearable: [],
  },
  amazon: {
    least: { package_name: "com.example.z" },
    shown: { package_name: "com.example.z" },
    keys: ["amzn_"],
    rules: [
      { field: "package_name", text: [1, 256], required: true },
      { field: "shared_secret", text: [1, 256], nullable: true, hidden: true },
    ],
    clearable: ["shared_secret"],
  },
  stripe: {
    shown: { stripe_account_id: null },
    keys: ["strp_"],
    rules: [{ field: "stripe_account_id", text: [1, 256], nullable: true }],
    clearable: ["stripe_account_id"],
  },
  svc_billing: {
    shown: {
      stripe_account_id: null,
      seller_company_name: "An app",
      app_name: "An app",
      seller_company_support_email: null,
      support_email: null,
      default_currency: "USD",
    },
    keys: ["svcb_", "svcb_sb_"],
    rules: [
      { field: "app_name", text: [1, 256], required: true, cleared: "An app" },
      { field: "stripe_account_id", text: [1, 256], nullable: true },
      { field: "support_email", text: [1, 320], nullable: true },
      { field: "default_currency", oneOf: CURRENCIES, cleared: "USD" },
    ],
    clearable: ["stripe_account_id", "app_name", "support_email", "default_currency"],
  },
  roku: {
    shown: { roku_channel_id: null, roku_channel_name: null },
    keys: ["roku_"],
    rules: [
      { field: "roku_api_key", text: [33, 33], nullable: true, hidden: true },
      { field: "roku_channel_id", text: [6, 6], nullable: true },
      { field: "roku_channel_name", text: [1, 30], nullable: true },
    ],
    clearable: ["roku_api_key", "roku_channel_id", "roku_channel_name"],
  },
  paddle: {
    shown: { paddle_is_sandbox: false },
    keys: ["pdl_"],
    rules: [
      { field: "paddle_api_key", text: [50, 70], nullable: true, hidden: true },
      { field: "paddle_is_sandbox", truth: true, nullable: true, cleared: false },
    ],
    clearable: ["paddle_api_key", "paddle_is_sandbox"],
  },
};
