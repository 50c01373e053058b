/**
 * The Subscription Management Service for scripts: one typed function per operation.
 *
 * Importing this module reads nothing, starts nothing and needs no permission. A script needs its
 * host and its variables:
 *
 * ```sh
 * deno run --allow-net=127.0.0.1:4010 --allow-env="CLI_*" script.ts
 * ```
 *
 * @example List the offerings of a project
 * ```ts ignore
 * import { connect, each, listOfferings } from "./mod.ts";
 *
 * const client = await connect();
 * for await (const offering of each(client, listOfferings(client))) {
 *   console.log(offering.lookup_key, offering.is_current ? "(current)" : "");
 * }
 * ```
 *
 * @module
 */

export { DEFAULT_SCOPES } from "./lib/auth/scopes.ts";
export type { BrowserOptions } from "./lib/auth/browser_sign_in.ts";
export {
  listProfiles,
  type Profile,
  readActive,
  readProfile,
  removeProfile,
  saveProfile,
  setActive,
} from "./lib/auth/store.ts";
export * from "./lib/client.ts";
export type { StoredToken } from "./lib/config/stored_token.ts";
export * from "./lib/connect.ts";
export * from "./lib/errors.ts";
export { CHOOSABLE_EVENT_TYPES } from "./lib/event_types.ts";
export * from "./lib/page.ts";
export * from "./lib/path.ts";
export * from "./lib/resources/apps.ts";
export * from "./lib/resources/audit_logs.ts";
export * from "./lib/resources/charts.ts";
export * from "./lib/resources/collaborators.ts";
export * from "./lib/resources/customers.ts";
export * from "./lib/resources/entitlements.ts";
export * from "./lib/resources/invoices.ts";
export * from "./lib/resources/metrics.ts";
export * from "./lib/resources/money.ts";
export * from "./lib/resources/offerings.ts";
export * from "./lib/resources/packages.ts";
export * from "./lib/resources/paywalls.ts";
export * from "./lib/resources/products.ts";
export * from "./lib/resources/projects.ts";
export * from "./lib/resources/purchases.ts";
export * from "./lib/resources/sdk_apps.ts";
export * from "./lib/resources/sdk_offerings.ts";
export * from "./lib/resources/sdk_products.ts";
export * from "./lib/resources/sdk_receipts.ts";
export * from "./lib/resources/sdk_subscribers.ts";
export * from "./lib/resources/shared.ts";
export * from "./lib/resources/subscriptions.ts";
export * from "./lib/resources/virtual_currencies.ts";
export * from "./lib/resources/webhooks.ts";
export * from "./lib/version.ts";
export * from "./lib/webhook.ts";
export * from "./lib/webhook_event.ts";
