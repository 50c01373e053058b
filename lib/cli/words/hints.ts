/**
 * What to run after a refusal. A command says its own hint; where it says none, the object that the
 * refused request was about leads to one: the list of what there is, or how the object stands.
 *
 * @module
 */

import { ApiError, ToolkitError } from "../../errors.ts";
import type { Context } from "../context.ts";
import { PartlyDone } from "../screen/outcome.ts";
import type { Arguments, Flags } from "./parameters.ts";
import { wire } from "./parameters.ts";
import { quoted } from "./shell.ts";

/** What a hint may look at. */
export interface HintScene {
  /** The first value by position, mostly the object's id, as a shell takes it. */
  readonly id: string;
  /** What the command was given, by name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The way to the world: a hint may ask the service, so that it can name what helps. */
  readonly context: Context;
}

/** What a command says to run next after a refusal; undefined where it has nothing special to say. */
export type HintRule = (
  refusal: ApiError,
  scene: HintScene,
) => string | undefined | Promise<string | undefined>;

/** A command that was refused. */
interface RefusedCommand {
  /** Its words. */
  readonly names: readonly string[];
  /** Its values by position. */
  readonly args: Readonly<Arguments>;
  /** Its values by name. */
  readonly flags: Readonly<Flags>;
  /** How a field of the body is given, where the flag has another name. */
  readonly params: Readonly<Record<string, string>>;
  /** Its own hint. */
  readonly hint: HintRule | undefined;
  /** What it was given, by name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The way to the world. */
  readonly context: Context;
}

/** What to run where archived products keep an object from being unarchived or changed. */
export function hintOfArchived({ type, referencedObjectIds: ids }: ApiError): string | undefined {
  return type === "entity_references_archived_entities" && ids.length > 0
    ? `Unarchive its products first: ${
      ids.slice(0, MOST_IDS).map((id) => `cli products unarchive ${quoted(id)}`).join(" && ")
    }`
    : undefined;
}

/** The most ids that a hint names. */
const MOST_IDS = 10;

/** The error of a command, with what to run next where that is known. */
export async function withHint(error: unknown, command: RefusedCommand): Promise<unknown> {
  if (error instanceof ApiError) {
    const hint = error.hint ?? await hintOf(error, command);
    return hint === undefined ? error : new ApiError(error.message, { ...error, hint });
  }
  const cause = refusalIn(error);
  const hint = cause && (cause.hint ?? await hintOf(cause, command));
  if (!(error instanceof ToolkitError) || hint === undefined) return error;
  return new PartlyDone(error.message, { hint, cause });
}

/**
 * The service's refusal that an error is, or that kept the rest of the work from being done and is
 * all there is to say about it.
 */
export function refusalIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const cause = error instanceof PartlyDone && error.hint === undefined ? error.cause : undefined;
  return cause instanceof ApiError ? cause : undefined;
}

/** What the command says, or else what its object leads to. */
async function hintOf(refusal: ApiError, command: RefusedCommand): Promise<string | undefined> {
  const own = await ownHint(refusal, command);
  if (own !== undefined) return own;
  const { status, type, referencedObjectIds } = refusal;
  // For these, what helps is the same whatever the command: see report.ts.
  const isGeneral = type === "unknown" || [401, 403, 429].includes(status) || status >= 500;
  if (isGeneral || referencedObjectIds.length > 0) return undefined;
  const object = objectOf(refusal);
  if (status === 404) {
    return object?.list === undefined
      ? "Look for the cause with: cli doctor"
      : `See the list: cli ${object.list}`;
  }
  if (refusal.param) {
    return `Check ${flagOf(refusal.param, command)}; see: cli ${command.names.join(" ")} --help`;
  }
  return object?.view === undefined ? undefined : `See its state: cli ${object.view}`;
}

/** What the command itself says. If it cannot find out, the refusal stands as it is. */
async function ownHint(
  refusal: ApiError,
  { hint, args, input, context }: RefusedCommand,
): Promise<string | undefined> {
  if (hint === undefined) return undefined;
  const [first = ""] = Object.keys(args);
  const id = [input[first]].flat()[0];
  try {
    return await hint(refusal, { id: quoted(String(id ?? "")), input, context });
  } catch (error) {
    if (error instanceof ToolkitError) return undefined;
    throw error;
  }
}

/** A field of the request as the command takes it. */
function flagOf(param: string, { args, flags, params }: RefusedCommand): string {
  const named = params[param] ?? params[param.split(".")[0] ?? ""];
  if (named !== undefined) return named;
  if (param === "customer_id" && "user_id" in args) return "<user-id>";
  if (param in flags) return `--${wire(param)}`;
  return param in args ? `<${wire(param)}>` : param;
}

/** How the objects of a kind are found, as words of commands. */
interface Kind {
  /** Lists them. */
  readonly list: string;
  /** Shows one, where there is such a command. */
  readonly view?: string;
}

/** Kinds of objects by their name in a path. */
const KINDS: Readonly<Record<string, Kind>> = {
  apps: { list: "apps list", view: "apps view" },
  customers: { list: "subscribers list", view: "subscribers info" },
  entitlements: { list: "entitlements list", view: "entitlements view" },
  offerings: { list: "offerings list", view: "offerings view" },
  packages: { list: "packages list", view: "packages view" },
  paywalls: { list: "paywalls list", view: "paywalls view" },
  products: { list: "products list", view: "products view" },
  virtual_currencies: { list: "virtual-currencies list", view: "virtual-currencies view" },
  webhooks: { list: "webhooks list", view: "webhooks view" },
  subscriptions: { list: "subscribers info <user-id>", view: "subscriptions view" },
  purchases: { list: "subscribers info <user-id>", view: "purchases view" },
  invoices: { list: "subscribers invoices <user-id>", view: "invoices view" },
  events: { list: "events list" },
  deliveries: { list: "webhooks deliveries <webhook-id>" },
  listeners: { list: "events listeners list" },
};

/** Fields of a body that name objects of a kind under another name than the kind's. */
const NAMED: Readonly<Record<string, string>> = { product_grants: "products" };

/** The object that a refused request was about, and the words that show it and its like. */
function objectOf({ path, param }: ApiError): { list: string; view?: string } | undefined {
  const [version, start, project, ...rest] = path.slice(1).split("/");
  const [kind = "", id] = rest[0] === "integrations" ? rest.slice(1) : rest;
  if (start === "projects" && rest.length === 0 || param === "project_id") {
    return { list: "projects list" };
  }
  // The offerings that an app gets are asked for by a key, and no path says of which project.
  if (version === "v1") return { list: "offerings list" };
  if (project === undefined) return undefined;
  const here = ` --project-id ${typed(project)}`;
  if (param === "transaction_id" && kind === "subscriptions" && id !== undefined) {
    return { list: `subscriptions transactions ${typed(id)}${here}` };
  }
  const meant = kindNamed(param) ?? KINDS[kind];
  if (meant === undefined) return undefined;
  const view = meant === KINDS[kind] && id !== undefined && meant.view;
  return { list: `${meant.list}${here}`, ...view && { view: `${view} ${typed(id)}` } };
}

/** The kind that a field names an object of: `product_id`, `app_ids.0`. */
function kindNamed(param: string | undefined): Kind | undefined {
  const [first = ""] = (param ?? "").split(".");
  const [, one] = /(?:^|\.)([a-z_]+?)_ids?(?:\.\d+)?$/.exec(param ?? "") ?? [];
  return KINDS[NAMED[first] ?? first] ?? KINDS[`${one}s`];
}

/** A segment of a path as it is typed. */
function typed(segment: string): string {
  return quoted(decodeURIComponent(segment));
}
