/**
 * `cli apps …`
 *
 * @module
 */

import { onBody, onList, onOne, onOneForGood, onUpdate, showList } from "../words/plain.ts";
import { type ApiError, UsageError } from "../../errors.ts";
import {
  type App,
  createApp,
  deleteApp,
  getApp,
  getAppStoreKitConfig,
  listAppPublicKeys,
  listApps,
  type NewApp,
  type PublicApiKey,
  updateApp,
} from "../../resources/apps.ts";
import { each, LARGEST_PAGE } from "../../page.ts";
import { listProducts } from "../../resources/products.ts";
import { argument, command, group, parsed, text } from "../words/command.ts";
import type { HintScene } from "../words/hints.ts";
import { quoted } from "../screen/command_lines.ts";
import type { Column } from "../screen/output.ts";

const columns: Column<App>[] = [
  { header: "id", value: (app) => app.id, kind: "id" },
  { header: "name", value: (app) => app.name },
  { header: "type", value: (app) => app.type, kind: "word" },
  { header: "bundle_or_package", value: storeName },
  { header: "created", value: (app) => app.created_at, kind: "date", spare: true },
];

const keyColumns: Column<PublicApiKey>[] = [
  { header: "id", value: (key) => key.id, kind: "id" },
  { header: "environment", value: (key) => key.environment, kind: "word" },
  { header: "key", value: (key) => key.key, kind: "id" },
];

/** The store's identifier of the app, if it has one. */
function storeName(app: App): string | undefined {
  switch (app.type) {
    case "app_store":
      return app.app_store?.bundle_id;
    case "mac_app_store":
      return app.mac_app_store?.bundle_id;
    case "play_store":
      return app.play_store?.package_name;
    case "amazon":
      return app.amazon?.package_name;
    default:
      return undefined;
  }
}

const ID = "The app's id";

const publicKeys = command({
  brief: "List the public SDK keys of an app",
  details: "An app gives its key to the SDK. The public SDKs take a key of web billing in the " +
    "spelling rcb_…, and every other key as it is.",
  args: { app_id: argument(ID) },
  async run(context, { app_id }) {
    const client = await context.client();
    const keys = await listAppPublicKeys(client, app_id);
    await showList(context, {}, () => Promise.resolve(keys), keyColumns);
    if (context.out.format === "json") return;
    for (const { key } of keys.items) {
      // Every field of an answer may be missing.
      const own = String(key ?? "");
      if (!own.startsWith("svcb_")) continue;
      context.out.note(`In the public SDK use: ${own.replace("svcb_", "rcb_")}`);
    }
  },
});

/** The types that flags can describe; all others need a body. */
const NAMED_BY: Readonly<Record<string, "bundle" | "package">> = {
  app_store: "bundle",
  play_store: "package",
  amazon: "package",
  mac_app_store: "bundle",
};

/** Reads `--type`. Other types are refused here, since flags cannot describe them. */
function readType(type: string): string {
  if (type in NAMED_BY) return type;
  const known = Object.keys(NAMED_BY).join(", ");
  throw new UsageError(
    `Cannot create an app: --type cannot be ${JSON.stringify(type)}; it takes ${known}; pass ` +
      "other types in the body with --file",
  );
}

const create = onBody("Create an app", {
  details: "The types stripe, svc_billing, paddle and roku, and optional fields such as " +
    "shared_secret, need the whole body with --file.",
  examples: [
    "cli apps create --type app_store --name Notes --bundle com.example.notes",
    `echo '{"type": "stripe", "name": "Web"}' | cli apps create --file -`,
  ],
  flags: {
    type: parsed(`The storefront: ${Object.keys(NAMED_BY).join(", ")}`, readType, {
      placeholder: "type",
    }),
    name: text("The display name"),
    bundle: text("The bundle id, for app_store and mac_app_store", { placeholder: "id" }),
    package: text("The package name, for play_store and amazon", { placeholder: "name" }),
  },
  required: ["type", "name"],
  shape: nameStore,
  send: (client, body: NewApp) => createApp(client, body),
});

/** Puts `--bundle` or `--package` into the object named after the app's type. */
function nameStore(body: Record<string, unknown>): void {
  const type = String(body["type"]);
  const takes = NAMED_BY[type];
  for (const flag of ["bundle", "package"]) {
    if (body[flag] === undefined || flag === takes) continue;
    throw new UsageError(`Cannot create an app: --${flag} does not apply to the type ${type}`, {
      hint: takes ? `Pass --${takes} instead.` : "Pass the whole body with --file PATH.",
    });
  }
  if (!takes) return;
  const { [takes]: given, [type]: own } = body;
  const inner: Record<string, unknown> = typeof own === "object" && own !== null ? { ...own } : {};
  const field = takes === "bundle" ? "bundle_id" : "package_name";
  if (given !== undefined) inner[field] = given;
  if (!(field in inner)) {
    throw new UsageError(`Cannot create an app: --${takes} is missing`, {
      hint: `Pass --${takes}, or the whole body with --file PATH.`,
    });
  }
  delete body[takes];
  body[type] = inner;
}

/** An app can be deleted after its products; products with purchases stay. */
async function hintOfProducts(
  { status, referencedObjectIds: ids }: ApiError,
  { context }: HintScene,
): Promise<string | undefined> {
  if (status !== 409 && status !== 422) return undefined;
  const client = await context.client();
  const all = await Array.fromAsync(each(client, listProducts(client, { limit: LARGEST_PAGE })));
  const products = all.filter(({ id }) => ids.includes(id)).map(({ id }) => quoted(id));
  const [first] = products;
  if (first === undefined) return undefined;
  return products.length < ids.length
    ? "An app with purchases cannot be deleted. Archive its products instead: cli products " +
      `archive ${first}`
    : `Delete its products first: cli products delete ${first}`;
}

/** Apps. */
export const apps = group("Apps, one per storefront", [], {
  list: onList("List the apps", listApps, columns),
  view: onOne("Show an app", getApp, ID),
  "public-keys": publicKeys,
  "storekit-config": onOne(
    "Show the StoreKit configuration of an Apple app",
    getAppStoreKitConfig,
    ID,
  ),
  create,
  update: onUpdate(
    "Update an app",
    updateApp,
    { name: text("The display name") },
    ID,
  ),
  delete: onOneForGood("Delete an app", "app", getApp, deleteApp, { hint: hintOfProducts }),
});
