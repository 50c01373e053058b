/**
 * The offerings as an app receives them, read with the app's own key.
 *
 * @module
 */

import { type Client, rawJson } from "../../../client.ts";
import { NetworkError, UsageError } from "../../../errors.ts";
import { each, itemsOf, LARGEST_PAGE } from "../../../page.ts";
import { type App, getApp, listAppPublicKeys, listApps } from "../../../resources/apps.ts";
import { getOffering } from "../../../resources/offerings.ts";
import {
  getSdkOfferings,
  type SdkOffering,
  type SdkOfferings,
  type SdkPackage,
} from "../../../resources/sdk_offerings.ts";
import type { Context } from "../../context.ts";
import { taggedApps } from "../../folder/tagged_apps.ts";
import { keepItems } from "../../screen/json_text.ts";
import type { Column } from "../../screen/output.ts";
import { PLATFORMS } from "./preview.ts";

/** The types of apps on each platform. */
const APP_TYPES: Readonly<Record<Platform, readonly string[]>> = {
  ios: ["app_store", "mac_app_store"],
  android: ["play_store", "amazon"],
  web: ["stripe", "svc_billing"],
};

type Platform = typeof PLATFORMS[number];

/** What to preview. */
interface PreviewInput {
  /** The offering to show. Default: all. */
  offering_id?: string | undefined;
  /** The app to read as. Default: the only one of the platform. */
  app_id?: string | undefined;
  /** The user to read as. */
  as?: string | undefined;
  /** The platform. */
  platform?: Platform | undefined;
}

/** Shows the offerings as an app receives them. */
export async function showPreview(
  context: Context,
  { offering_id, app_id, as, platform }: PreviewInput,
): Promise<void> {
  const client = await context.client();
  if (app_id !== undefined && platform !== undefined) {
    await checkPlatform(client, app_id, platform);
  }
  const user = as ?? `cli_preview_${context.around.now()}`;
  const key = await keyOf(client, app_id ?? await appOn(context, client, platform));
  const all = checked(await getSdkOfferings(client.with({ credential: key }), user));
  const wanted = offering_id === undefined
    ? undefined
    : await identifierOf(client, all, offering_id);
  if (context.out.format === "json") return showJson(context, all, wanted);
  showTables(context, all, wanted);
}

/** The answer, if it has offerings. */
function checked(all: SdkOfferings): SdkOfferings {
  if (Array.isArray(all.offerings)) return all;
  throw new NetworkError("Cannot preview the offerings: the service's answer contains none", {
    hint: "Check that CLI_BASE_URL is the service's address.",
  });
}

/**
 * Refuses an app of another platform. An app without a platform, such as the test store's, fits
 * all.
 */
async function checkPlatform(client: Client, appId: string, platform: Platform): Promise<void> {
  const { name, type } = await getApp(client, appId);
  const own = PLATFORMS.find((one) => APP_TYPES[one].includes(type));
  if (own === undefined || own === platform) return;
  throw new UsageError(
    `Cannot preview ${JSON.stringify(name)} (${appId}) on ${platform}: its type is ${type}`,
    { hint: `Leave out --platform or pass --platform ${own}, or name another app with --app-id.` },
  );
}

/** The only app of a platform: first among the tagged apps, then among all. */
async function appOn(
  context: Context,
  client: Client,
  platform: Platform | undefined,
): Promise<string> {
  const types = APP_TYPES[platform ?? "ios"];
  const apps = await Array.fromAsync(each(client, listApps(client, { limit: LARGEST_PAGE })));
  const ids = await taggedApps(context, client);
  const tagged = apps.filter(({ id }) => ids.includes(id));
  // A folder with one tagged app needs no platform, and that app may have none.
  const [one, ...others] = tagged;
  if (one && others.length === 0 && platform === undefined) return one.id;
  const isMeant = ({ type }: App) => types.includes(type);
  const [app, ...more] = tagged.some(isMeant) ? tagged.filter(isMeant) : apps.filter(isMeant);
  if (app && more.length === 0) return app.id;
  const found = app ? `there are ${more.length + 1}` : "there is none";
  const choices = (app ? [app, ...more] : apps).map(describe);
  throw new UsageError(
    `Cannot choose an app to preview: of the types ${types.join(" and ")} ${found}`,
    {
      hint: choices.length > 0
        ? `Pass one of: ${choices.join("; ")}`
        : "Run: cli apps create --help",
    },
  );
}

/** The flag that chooses an app, and details to recognise it. */
function describe({ id, name, type }: App): string {
  return `--app-id ${id} (${[name, type].filter(Boolean).join(", ")})`;
}

/** The first public key of an app. */
async function keyOf(client: Client, appId: string): Promise<string> {
  const first = itemsOf(await listAppPublicKeys(client, appId)).find(({ key }) => key);
  if (first) return first.key;
  throw new UsageError(`Cannot preview as the app ${appId}: it has no public SDK key`, {
    hint: "Pass another app with --app-id; see: cli apps list",
  });
}

/** The app's name of an offering, given its lookup key or id. */
async function identifierOf(client: Client, all: SdkOfferings, id: string): Promise<string> {
  const isShown = (key: string) => all.offerings.some(({ identifier }) => identifier === key);
  if (isShown(id)) return id;
  const found = await getOffering(client, id);
  const { lookup_key, state } = { ...found, lookup_key: found.lookup_key ?? id };
  if (isShown(lookup_key)) return lookup_key;
  throw new UsageError(
    `Cannot preview the offering ${JSON.stringify(lookup_key)}: apps do not receive it`,
    {
      hint: state === "inactive"
        ? `It is archived. Unarchive it with: cli offerings unarchive ${lookup_key}`
        : `Apps receive: ${
          all.offerings.flatMap(({ identifier }) => identifier ?? []).join(", ") || "none"
        }`,
    },
  );
}

/** Prints the answer unchanged, with one offering if one is requested. */
function showJson({ out }: Context, all: SdkOfferings, wanted: string | undefined): void {
  const text = rawJson(all) ?? JSON.stringify(all);
  if (wanted === undefined) return out.json(text);
  const places = all.offerings.flatMap(({ identifier }, i) => identifier === wanted ? [i] : []);
  out.json(keepItems(text, "offerings", new Set(places)));
}

function offeringColumns(current: string | null): Column<SdkOffering>[] {
  return [
    { header: "current", value: ({ identifier }) => identifier === current ? "*" : " " },
    { header: "offering", value: ({ identifier }) => identifier, kind: "id" },
    { header: "display_name", value: ({ description }) => description },
    { header: "packages", value: ({ packages }) => packages?.length },
    { header: "paywall", value: (one) => Boolean(one.paywall ?? one.paywall_components) },
  ];
}

/** A package and its offering. */
type Choice = SdkPackage & { offering: string };

/** The columns of packages. Only products of Google Play have plans. */
function packageColumns(choices: readonly Choice[]): Column<Choice>[] {
  const plan: Column<Choice> = {
    header: "plan",
    value: (one) => one.platform_product_plan_identifier,
    kind: "id",
  };
  return [
    { header: "offering", value: ({ offering }) => offering, kind: "id" },
    { header: "identifier", value: ({ identifier }) => identifier, kind: "id" },
    {
      header: "platform_product_identifier",
      value: (one) => one.platform_product_identifier,
      kind: "id",
    },
    ...choices.some(plan.value) ? [plan] : [],
  ];
}

/** Shows the offerings, and their products below. */
function showTables({ out }: Context, all: SdkOfferings, wanted: string | undefined): void {
  const shown = all.offerings.filter(({ identifier }) =>
    wanted === undefined || identifier === wanted
  );
  out.table(shown, offeringColumns(all.current_offering_id), {
    empty: "The app receives no offerings.",
  });
  const choices = shown.flatMap(({ identifier: offering, packages }) =>
    (packages ?? []).map((one): Choice => ({ ...one, offering }))
  );
  if (shown.length === 0) return;
  out.table(choices, packageColumns(choices), {
    empty: "The app receives no packages: none contains its products.",
  });
}
