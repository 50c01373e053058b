/**
 * Apps in the API, and their creation.
 *
 * @module
 */

import type { App } from "../../resources/apps.ts";
import type { Call } from "../contract/route.ts";
import { BILLING, ownStore, publicApp, publicKey } from "../contract/spelling.ts";
import { KEY_PREFIX, type Settings, shownSettings, splitSecrets } from "./app_settings.ts";
import { newId, randomDigits } from "./ids.ts";
import { insertRow, nextSeq, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** An app in the API, without its secrets. */
export function showApp(row: Row<"apps">): App {
  const common = {
    object: "app",
    id: row.id,
    name: row.name,
    created_at: row.created_at,
    project_id: row.project_id,
    type: row.type,
  };
  if (row.type === "test_store") return common as App;
  const settings: Settings = JSON.parse(row.settings);
  const secrets: Settings = JSON.parse(row.secrets);
  const app = { ...common, [row.type]: shownSettings(row, settings, secrets) };
  // The object under the type's name was validated when it was stored.
  return (row.public_spelling === 1 ? publicApp(app) : app) as unknown as App;
}

/** Creates an app with its SDK keys, also for the simulator and the seed, without building a query. */
export async function insertApp(
  call: Pick<Call, "tx" | "project" | "now">,
  name: string,
  type: string,
  fields: Settings,
): Promise<App> {
  const { tx, now } = call;
  const { settings, secrets } = splitSecrets(fields);
  const own = ownStore(type);
  const row = await insertRow(tx, "apps", {
    id: newId("app"),
    seq: await nextSeq(tx),
    name,
    type: own,
    settings: JSON.stringify(settings),
    secrets: JSON.stringify(secrets),
    public_spelling: own === type ? 0 : 1,
    created_at: now,
  });
  await insertKey(call, row, "production");
  if (own === BILLING) await insertKey(call, row, "sandbox");
  return showApp(row);
}

/** Creates a public key of an app for an environment. */
async function insertKey(
  { tx, now }: Pick<Call, "tx" | "project" | "now">,
  app: Row<"apps">,
  environment: "production" | "sandbox",
): Promise<void> {
  const own = `${KEY_PREFIX[app.type]}${environment === "sandbox" ? "sb_" : ""}`;
  const prefix = app.public_spelling === 1 ? publicKey(own) : own;
  await writeRows(tx, "app_keys", [{
    app_id: app.id,
    id: newId("public_api_key"),
    seq: await nextSeq(tx),
    key: prefix + randomDigits(28),
    environment,
    created_at: now,
  }]);
}
