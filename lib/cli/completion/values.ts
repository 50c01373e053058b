/**
 * The values of arguments and flags: known words, and ids of the project's objects. Ids come from
 * the service in one short request, with a valid sign-in. Completion never signs in or renews a
 * token.
 *
 * @module
 */

import { CHART_NAMES } from "../../resources/charts.ts";
import type { Globals, World } from "../context.ts";
import { LIVE, type LiveKind, liveValues } from "./live.ts";
import { FILES, type Proposal } from "./proposal.ts";
import { SHELLS } from "../commands/completion/scripts.ts";

/** The kind of a value: ids, names that are stored here, files, or known words. */
type ValueKind = LiveKind | "profile" | "alias" | "event" | "file" | readonly string[] | undefined;

/** Arguments and flags by name, wherever they stand. */
const BY_NAME: Readonly<Record<string, ValueKind>> = {
  offering: "offerings",
  offering_id: "offerings",
  entitlement: "entitlements",
  product_id: "products",
  app_id: "apps",
  user_id: "customers",
  src_user_id: "customers",
  dst_user_id: "customers",
  customer: "customers",
  customer_id: "customers",
  project_id: "projects",
  webhook: "webhooks",
  webhook_id: "webhooks",
  code: "currencies",
  profile: "profile",
  chart_name: CHART_NAMES,
  shell: SHELLS,
  file: "file",
  files: "file",
  folder: "file",
  junit: "file",
  man: "file",
  tls_cert: "file",
  tls_key: "file",
  data: "file",
  from: "file",
  save: "file",
  body: "file",
  method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
};

/** The type of the argument `id` of a group's commands. */
const BY_GROUP: Readonly<Record<string, LiveKind>> = {
  projects: "projects",
  apps: "apps",
  products: "products",
  entitlements: "entitlements",
  offerings: "offerings",
  packages: "packages",
  paywalls: "paywalls",
  subscribers: "customers",
  "virtual-currencies": "currencies",
  webhooks: "webhooks",
  publish: "offerings",
};

/** The type of a command's argument. */
export function kindOfArgument(
  [group = "", command]: readonly string[],
  name: string,
): ValueKind {
  if (group === "alias") return name === "name" && command === "delete" ? "alias" : undefined;
  if (group === "events" && command === "trigger") return "event";
  return name === "id" ? BY_GROUP[group] : BY_NAME[name];
}

/** The type of a flag's value. */
export function kindOfFlag([group, command]: readonly string[], name: string): ValueKind {
  // There it is the name of a new sign-in.
  if (group === "auth" && command === "login") return undefined;
  return name === "name" && group === "auth" ? "profile" : BY_NAME[name];
}

/** The values of a kind. */
export async function valuesOf(
  kind: ValueKind,
  globals: Globals,
  world: World,
): Promise<Proposal[]> {
  if (kind === undefined) return [];
  if (typeof kind !== "string") return kind.map((value) => ({ value, meaning: "" }));
  if (kind === "file") return [FILES];
  if (kind === "alias") {
    const { readAliases } = await import("../words/aliases.ts");
    return Object.entries(await readAliases(world.around))
      .map(([value, line]) => ({ value, meaning: `cli ${line}` }));
  }
  if (kind === "event") {
    const { EVENT_TYPES } = await import("../events/types.ts");
    return EVENT_TYPES.filter(({ trigger }) => trigger)
      .map(({ type, meaning }) => ({ value: type.toLowerCase(), meaning }));
  }
  if (kind === "profile") {
    const { readProfileNames } = await import("../../auth/store.ts");
    return (await readProfileNames(world.around)).map((value) => ({ value, meaning: "" }));
  }
  return Object.hasOwn(LIVE, kind) ? await liveValues(kind, globals, world) : [];
}
