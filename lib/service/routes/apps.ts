/**
 * Apps and their public keys.
 *
 * @module
 */

import { z } from "zod";
import type { PublicApiKey, StoreKitConfig } from "../../resources/apps.ts";
import { invalid, Refusal, unprocessable } from "../contract/errors.ts";
import { route } from "../contract/route.ts";
import { deletedSchema, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import { ownStore } from "../contract/spelling.ts";
import { CLEARED, type Settings, splitSecrets } from "../records/app_settings.ts";
import { appChanges, appSchema, newApp } from "../records/app_types.ts";
import { insertApp, showApp } from "../records/apps.ts";
import { deleteRow } from "../records/changes.ts";
import { findApp, type ProjectCall } from "../records/find.ts";
import { listPage, tableListing, wholeList } from "../records/lists.ts";
import { storeKitConfig } from "../records/storekit.ts";
import type { Row } from "../store/tables.ts";

const publicApiKey: z.ZodType<PublicApiKey> = z.object({
  object: z.literal("public_api_key"),
  id: z.string(),
  key: z.string(),
  environment: z.enum(["production", "sandbox"]),
  app_id: z.string(),
  created_at: millis,
});

const storeKitConfigFile: z.ZodType<StoreKitConfig> = z.object({
  object: z.literal("store_kit_config_file"),
  contents: z.record(z.string(), z.unknown()),
});

const READ = "project_configuration:apps:read";
const WRITE = "project_configuration:apps:read_write";

const listApps = route({
  name: "listApps",
  summary: "Lists the apps of the project, oldest first.",
  method: "GET",
  path: "/apps",
  scope: READ,
  query: pageQuery,
  response: pageOf(appSchema),
}, (call) => listPage(call, tableListing(call, "apps", { object: "app", show: showApp })));

const getApp = route({
  name: "getApp",
  summary: "Reads one app.",
  method: "GET",
  path: "/apps/{id}",
  scope: READ,
  response: appSchema,
}, async (call) => showApp(await findApp(call, call.params.id)));

const listAppPublicKeys = route({
  name: "listAppPublicKeys",
  summary: "Lists the public SDK keys of an app.",
  method: "GET",
  path: "/apps/{id}/public_api_keys",
  scope: READ,
  response: pageOf(publicApiKey),
}, async (call) => {
  const { id } = await findApp(call, call.params.id);
  const rows = await call.tx.selectFrom("app_keys").selectAll().where("app_id", "=", id)
    .orderBy("seq").execute();
  return wholeList(call.url, rows.map(showKey));
});

const getAppStoreKitConfig = route({
  name: "getAppStoreKitConfig",
  summary: "Reads the StoreKit configuration of an Apple app.",
  method: "GET",
  path: "/apps/{id}/store_kit_config",
  scope: READ,
  response: storeKitConfigFile,
}, async (call) => {
  const app = await findApp(call, call.params.id);
  if (app.type !== "app_store" && app.type !== "mac_app_store") {
    throw unprocessable(`An app of type ${app.type} has no StoreKit configuration`);
  }
  const products = await call.tx.selectFrom("products").selectAll().where("app_id", "=", app.id)
    .where("state", "=", "active").orderBy("seq").execute();
  return { object: "store_kit_config_file", contents: storeKitConfig(app, products) };
});

const createApp = route({
  name: "createApp",
  summary: "Creates an app and its public SDK key.",
  method: "POST",
  path: "/apps",
  scope: WRITE,
  body: newApp,
  response: appSchema,
  status: 201,
  audit: "app_created",
}, async (call) => {
  const { name, type, ...rest } = call.body();
  return await insertApp(call, name, type, nestedObject(rest, type));
});

const updateApp = route({
  name: "updateApp",
  summary: "Changes an app. Its type stays.",
  description:
    "Of `app_store`, `mac_app_store`, `play_store`, `amazon`, `stripe`, `svc_billing`, " +
    "`rc_billing`, `roku` and `paddle`, only the one that is the app's type is allowed.",
  method: "POST",
  path: "/apps/{id}",
  scope: WRITE,
  body: appChanges,
  response: appSchema,
  audit: "app_updated",
}, async (call) => {
  const before = await findApp(call, call.params.id);
  const { name = before.name, ...objects } = call.body();
  const foreign = Object.keys(objects).find((key) => ownStore(key) !== before.type);
  if (foreign !== undefined) {
    throw invalid(foreign, `'${foreign}' does not apply to an app of type ${before.type}`);
  }
  const changed = splitSecrets(nestedObject(objects, before.type));
  const row = {
    ...before,
    name,
    settings: merged(before.settings, changed.settings),
    secrets: merged(before.secrets, changed.secrets),
  };
  await call.tx.updateTable("apps")
    .set({ name, settings: row.settings, secrets: row.secrets }).where("id", "=", row.id).execute();
  return showApp(row);
});

const deleteApp = route({
  name: "deleteApp",
  summary: "Deletes an app. Delete its products first.",
  method: "DELETE",
  path: "/apps/{id}",
  scope: WRITE,
  response: deletedSchema("app"),
  audit: "app_deleted",
}, async (call) => {
  const app = await findApp(call, call.params.id);
  const dependents = await dependentsOf(call, app.id);
  if (dependents.length > 0) {
    const message = "The app still has products; delete them first, including archived ones";
    // Gap: neither of the published 409 types fits.
    throw new Refusal(409, "unprocessable_entity_error", message, {
      referenced_object_ids: dependents,
    });
  }
  const webhooks = await webhooksOf(call, app.id);
  if (webhooks.length > 0) {
    const message = "Webhook integrations use this app as a filter; delete or change them first";
    throw new Refusal(409, "unprocessable_entity_error", message, {
      referenced_object_ids: webhooks,
    });
  }
  return await deleteRow(call, "apps", "app", app);
});

/** The routes of apps. */
export const appRoutes = [
  listApps,
  getApp,
  listAppPublicKeys,
  getAppStoreKitConfig,
  createApp,
  updateApp,
  deleteApp,
];

/** A public key in the API. */
function showKey(row: Row<"app_keys">): PublicApiKey {
  return {
    object: "public_api_key",
    id: row.id,
    key: row.key,
    environment: row.environment,
    app_id: row.app_id,
    created_at: row.created_at,
  };
}

/**
 * The data that would be lost with an app: its products, also archived ones, and their purchases.
 */
async function dependentsOf({ tx }: ProjectCall, appId: string): Promise<string[]> {
  const ids: string[] = [];
  for (const table of ["products", "subscriptions", "purchases"] as const) {
    const rows = await tx.selectFrom(table).select("id").where("app_id", "=", appId)
      .orderBy("seq").limit(100 - ids.length).execute();
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}

/** The webhook integrations for the events of one app only. */
async function webhooksOf({ tx }: ProjectCall, appId: string): Promise<string[]> {
  const rows = await tx.selectFrom("webhook_integrations").select("id").where("app_id", "=", appId)
    .orderBy("seq").limit(100).execute();
  return rows.map((row) => row.id);
}

/** The object under a type's name: empty if absent, with all fields cleared if null. */
function nestedObject(body: object, type: string): Settings {
  const own = ownStore(type);
  const found: unknown = Object.entries(body).find(([key]) => ownStore(key) === own)?.[1];
  if (found === null) return CLEARED[own] ?? {};
  return typeof found === "object" ? { ...found } : {};
}

/** Stored JSON with some fields replaced. */
function merged(stored: string, changes: Settings): string {
  return JSON.stringify({ ...JSON.parse(stored), ...changes });
}
