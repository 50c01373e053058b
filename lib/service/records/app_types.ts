/**
 * The accepted and shown fields of each type of app, in the object named after the type.
 *
 * @module
 */

import { z } from "zod";
import type { App, AppChanges, NewApp } from "../../resources/apps.ts";
import { component, millis } from "../contract/schemas.ts";
import { text, unchangeable } from "../contract/fields.ts";

const BILLING_CURRENCIES = (
  "USD EUR JPY GBP AUD CAD BRL KRW CNY MXN SEK PLN MYR PHP CHF SAR TWD NOK DKK THB NZD SGD HKD " +
  "CZK AED CLP COP CRC GEL HUF IDR ILS IQD JOD KES KZT MAD PEN QAR RON RSD TZS VND ZAR TRY UAH"
).split(" ");

const bundleId = text(256);
const packageName = text(256);
const sharedSecret = text(32, 32).nullable().exactOptional();
const accountId = text(256).nullable().exactOptional();

const appStoreKeys = {
  shared_secret: sharedSecret,
  subscription_private_key: text(4500).exactOptional(),
  subscription_key_id: text(32).exactOptional(),
  subscription_key_issuer: text(36).exactOptional(),
  app_store_connect_api_key: text(4500).exactOptional(),
  app_store_connect_api_key_id: text(36).exactOptional(),
  app_store_connect_api_key_issuer: text(36).exactOptional(),
  app_store_connect_vendor_number: text(20).exactOptional(),
};

/** The same in a change, in which null clears a field. */
const appStoreChanges = {
  shared_secret: sharedSecret,
  subscription_private_key: text(4500).nullable().exactOptional(),
  subscription_key_id: text(32).nullable().exactOptional(),
  subscription_key_issuer: text(36).nullable().exactOptional(),
  app_store_connect_api_key: text(4500).nullable().exactOptional(),
  app_store_connect_api_key_id: text(36).nullable().exactOptional(),
  app_store_connect_api_key_issuer: text(36).nullable().exactOptional(),
  app_store_connect_vendor_number: text(20).nullable().exactOptional(),
};

const billing = {
  stripe_account_id: accountId,
  support_email: text(320).nullable().exactOptional(),
};

const currency = z.enum(BILLING_CURRENCIES);

const roku = z.strictObject({
  roku_api_key: text(33, 33).nullable().exactOptional(),
  roku_channel_id: text(6, 6).nullable().exactOptional(),
  roku_channel_name: text(30).nullable().exactOptional(),
}).nullable();

const paddle = z.strictObject({
  paddle_api_key: text(70, 50).nullable().exactOptional(),
  paddle_is_sandbox: z.boolean().nullable().exactOptional(),
}).nullable();

const playStore = z.strictObject({ package_name: packageName });

const newBilling = z.strictObject({
  app_name: text(256),
  ...billing,
  default_currency: currency.exactOptional(),
}).nullable().exactOptional();

const billingChanges = z.strictObject({
  app_name: text(256).nullable().exactOptional(),
  ...billing,
  default_currency: currency.nullable().exactOptional(),
}).nullable().exactOptional();

/** A type of app, as the name of its object in bodies and answers. */
type StoreType = NewApp["type"];

/** The body of a create: name, type, and only the object named after the type. */
export const newApp: z.ZodType<NewApp> = z.discriminatedUnion("type", [
  z.strictObject({
    ...head("app_store"),
    app_store: z.strictObject({ bundle_id: bundleId, ...appStoreKeys }),
  }),
  z.strictObject({
    ...head("mac_app_store"),
    mac_app_store: z.strictObject({ bundle_id: bundleId, shared_secret: sharedSecret }),
  }),
  z.strictObject({ ...head("play_store"), play_store: playStore }),
  z.strictObject({
    ...head("amazon"),
    amazon: z.strictObject({
      package_name: packageName,
      shared_secret: text(256).nullable().exactOptional(),
    }),
  }),
  z.strictObject({
    ...head("stripe"),
    stripe: z.strictObject({ stripe_account_id: accountId }).exactOptional(),
  }),
  z.strictObject({
    ...head("svc_billing"),
    svc_billing: newBilling,
  }),
  z.strictObject({ ...head("rc_billing"), rc_billing: newBilling }),
  z.strictObject({ ...head("roku"), roku: roku.exactOptional() }),
  z.strictObject({ ...head("paddle"), paddle: paddle.exactOptional() }),
]);

/**
 * The body of an update. The allowed object depends on the app. A nested null clears a field, and a
 * field with a default shows the default again.
 *
 * Gap: the required fields, bundle id and package name, cannot be cleared.
 */
export const appChanges: z.ZodType<AppChanges> = z.strictObject({
  name: text(255).exactOptional(),
  app_store: z.strictObject({ bundle_id: bundleId.exactOptional(), ...appStoreChanges })
    .exactOptional(),
  mac_app_store: z.strictObject({
    bundle_id: bundleId.exactOptional(),
    shared_secret: sharedSecret,
  }).exactOptional(),
  play_store: playStore.exactOptional(),
  amazon: z.strictObject({
    package_name: packageName.exactOptional(),
    shared_secret: text(256).nullable().exactOptional(),
  }).exactOptional(),
  stripe: z.strictObject({ stripe_account_id: accountId }).exactOptional(),
  svc_billing: billingChanges,
  rc_billing: billingChanges,
  roku: roku.exactOptional(),
  paddle: paddle.exactOptional(),
}, unchangeable("type"));

const common = {
  object: z.literal("app"),
  id: z.string(),
  name: z.string(),
  created_at: millis,
  project_id: z.string(),
};

const billingSchema = z.object({
  stripe_account_id: z.string().nullable(),
  seller_company_name: z.string(),
  app_name: z.string(),
  seller_company_support_email: z.string().nullable(),
  support_email: z.string().nullable(),
  default_currency: z.string(),
});

/** An app in an answer. */
export const appSchema: z.ZodType<App> = component(
  "App",
  z.discriminatedUnion("type", [
    z.object({
      ...common,
      type: z.literal("app_store"),
      app_store: z.object({
        bundle_id: z.string(),
        app_store_connect_api_key_configured: z.boolean(),
        subscription_key_configured: z.boolean(),
      }),
    }),
    z.object({
      ...common,
      type: z.literal("mac_app_store"),
      mac_app_store: z.object({ bundle_id: z.string() }),
    }),
    z.object({
      ...common,
      type: z.literal("play_store"),
      play_store: z.object({ package_name: z.string() }),
    }),
    z.object({
      ...common,
      type: z.literal("amazon"),
      amazon: z.object({ package_name: z.string() }),
    }),
    z.object({
      ...common,
      type: z.literal("stripe"),
      stripe: z.object({ stripe_account_id: z.string().nullable() }),
    }),
    z.object({
      ...common,
      type: z.literal("svc_billing"),
      svc_billing: billingSchema,
    }),
    z.object({ ...common, type: z.literal("rc_billing"), rc_billing: billingSchema }),
    z.object({
      ...common,
      type: z.literal("roku"),
      roku: z.object({
        roku_channel_id: z.string().nullable(),
        roku_channel_name: z.string().nullable(),
      }),
    }),
    z.object({
      ...common,
      type: z.literal("paddle"),
      paddle: z.object({ paddle_is_sandbox: z.boolean() }),
    }),
    z.object({ ...common, type: z.literal("test_store") }),
  ]),
);

/** The required fields of every new app. */
function head<T extends StoreType>(type: T): { name: z.ZodString; type: z.ZodLiteral<T> } {
  return { name: text(255), type: z.literal(type) };
}
