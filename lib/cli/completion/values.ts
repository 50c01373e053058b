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
import type { Proposal } from "./proposal.ts";
import { SHELLS } from "./scripts.ts";

/** The type of a value: an id of a kind, the name of a sign-in, or one of some known words. */
type ValueKind = LiveKind | "profile" | readonly string[] | undefined;

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
export function kindOfArgument([group = ""]: readonly string[], name: string): ValueKind {
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
  if (kind === "profile") {
    const { readProfileNames } = await import("../../auth/store.ts");
    return (await readProfileNames(world.around)).map((value) => ({ value, meaning: "" }));
  }
  return Object.hasOwn(LIVE, kind) ? await liveValues(kind, globals, world) : [];
}
