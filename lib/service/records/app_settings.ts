/**
 * The stored fields of each type of app: which are secret, their defaults, and how they are shown. It
 * has no schemas, so that the seed of a new database does not load them.
 *
 * @module
 */

/** The storefront's fields by name. `shownSettings` replaces missing and null ones. */
export type Settings = Record<string, unknown>;

/** Fields that are stored but never shown. */
const SECRET = new Set([
  "shared_secret",
  "subscription_private_key",
  "subscription_key_id",
  "subscription_key_issuer",
  "app_store_connect_api_key",
  "app_store_connect_api_key_id",
  "app_store_connect_api_key_issuer",
  "app_store_connect_vendor_number",
  "roku_api_key",
  "paddle_api_key",
]);

/** Splits the fields of a body into public and secret ones. */
export function splitSecrets(fields: Settings): { settings: Settings; secrets: Settings } {
  const entries = Object.entries(fields);
  return {
    settings: Object.fromEntries(entries.filter(([name]) => !SECRET.has(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => SECRET.has(name))),
  };
}

/** The defaults of a type's fields. */
const DEFAULTS: Readonly<Record<string, Settings>> = {
  stripe: { stripe_account_id: null },
  svc_billing: { stripe_account_id: null, support_email: null, default_currency: "USD" },
  roku: { roku_channel_id: null, roku_channel_name: null },
  paddle: { paddle_is_sandbox: false },
};

/**
 * The changes for null in place of the type's object.
 *
 * Gap: a nested null clears a field, so a null object clears all fields that can be cleared.
 */
export const CLEARED: Readonly<Record<string, Settings>> = {
  svc_billing: {
    stripe_account_id: null,
    app_name: null,
    support_email: null,
    default_currency: null,
  },
  roku: { roku_api_key: null, roku_channel_id: null, roku_channel_name: null },
  paddle: { paddle_api_key: null, paddle_is_sandbox: null },
};

/** The object of an app in the API. */
export function shownSettings(
  { type, name }: { type: string; name: string },
  settings: Settings,
  secrets: Settings,
): Settings {
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  const shown = { ...DEFAULTS[type], ...Object.fromEntries(set) };
  switch (type) {
    case "app_store":
      return {
        ...shown,
        app_store_connect_api_key_configured: typeof secrets.app_store_connect_api_key === "string",
        subscription_key_configured: typeof secrets.subscription_private_key === "string",
      };
    case "svc_billing":
      return showBilling(shown, name);
  }
  return shown;
}

/**
 * The fields of web billing. The seller's name and address are older names of two other fields.
 *
 * Gap: a shop without a name has the app's name.
 */
function showBilling(shown: Settings, name: string): Settings {
  const { stripe_account_id, app_name = name, support_email, ...rest } = shown;
  return {
    stripe_account_id,
    seller_company_name: app_name,
    app_name,
    seller_company_support_email: support_email,
    support_email,
    ...rest,
  };
}

/** The prefixes of the public SDK keys, by type. */
export const KEY_PREFIX: Readonly<Record<string, string>> = {
  app_store: "appl_",
  mac_app_store: "mac_",
  play_store: "goog_",
  amazon: "amzn_",
  stripe: "strp_",
  svc_billing: "svcb_",
  paddle: "pdl_",
  roku: "roku_",
  test_store: "test_",
};
