/**
 * The hints after refusals: the next command to run. A command has its own hint; without one, the
 * object of the refused request gives one: its list, or its state.
 *
 * @module
 */

import { ApiError, ToolkitError } from "../../errors.ts";
import type { Context } from "../context.ts";
import { PartlyDone, refusalIn } from "../screen/outcome.ts";
import type { Arguments, Flags } from "./parameters.ts";
import { wire } from "./parameters.ts";
import { quoted, selectionFlags } from "../screen/command_lines.ts";

/** The data for a hint. */
export interface HintScene {
  /** The first argument, usually the object's id, quoted for a shell. */
  readonly id: string;
  /** The command's input, by name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The context. A hint may read from the service to name the right command. */
  readonly context: Context;
}

/** A command's own hint after a refusal; undefined if it has none. */
export type HintRule = (
  refusal: ApiError,
  scene: HintScene,
) => string | undefined | Promise<string | undefined>;

/** A refused command. */
interface RefusedCommand {
  /** Its words. */
  readonly names: readonly string[];
  /** Its arguments. */
  readonly args: Readonly<Arguments>;
  /** Its flags. */
  readonly flags: Readonly<Flags>;
  /** The flags of request fields, if they have other names. */
  readonly params: Readonly<Record<string, string>>;
  /** Its own hint. */
  readonly hint: HintRule | undefined;
  /** Its input, by name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Its context. */
  readonly context: Context;
}

/** The hint if archived products prevent a change. */
export function hintOfArchived({ type, referencedObjectIds: ids }: ApiError): string | undefined {
  return type === "entity_references_archived_entities" && ids.length > 0
    ? `Unarchive its products first: ${
      ids.slice(0, MOST_IDS).map((id) => `cli products unarchive ${quoted(id)}`).join(" && ")
    }`
    : undefined;
}

/** The most ids in a hint. */
const MOST_IDS = 10;

/** The error of a command, with a hint if there is one. */
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

/** The command's own hint, or else that of its object. */
async function hintOf(refusal: ApiError, command: RefusedCommand): Promise<string | undefined> {
  const own = await ownHint(refusal, command);
  if (own !== undefined) return own;
  const { status, type, referencedObjectIds } = refusal;
  // For these, the hint is the same for all commands: see report.ts.
  const isGeneral = type === "unknown" || [401, 403, 421, 429].includes(status) || status >= 500;
  if (isGeneral || referencedObjectIds.length > 0) return undefined;
  const object = objectOf(refusal, command.context.globals.profile);
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

/** The command's own hint. If it cannot be determined, there is none. */
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

/** The flag or argument of a request field. */
function flagOf(param: string, { args, flags, params }: RefusedCommand): string {
  const named = params[param] ?? params[param.split(".")[0] ?? ""];
  if (named !== undefined) return named;
  if (param === "customer_id" && "user_id" in args) return "<user-id>";
  if (param in flags) return `--${wire(param)}`;
  return param in args ? `<${wire(param)}>` : param;
}

/** The commands that show the objects of a kind. */
interface Kind {
  /** Lists them. */
  readonly list: string;
  /** Shows one, if there is such a command. */
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

/** Fields of a body whose name differs from that of their objects' kind. */
const NAMED: Readonly<Record<string, string>> = { product_grants: "products" };

/** The object of a refused request, with the commands that show it and its list. */
function objectOf(
  { path, param }: ApiError,
  profile: string | undefined,
): { list: string; view?: string } | undefined {
  const [version, start, project, ...rest] = path.slice(1).split("/");
  const [kind = "", id] = rest[0] === "integrations" ? rest.slice(1) : rest;
  if (start === "projects" && rest.length === 0 || param === "project_id") {
    return { list: `projects list${selectionFlags({ profile })}` };
  }
  // An app's offerings are requested with a key, and the path has no project.
  if (version === "v1") return { list: "offerings list" };
  if (project === undefined) return undefined;
  const here = selectionFlags({ projectId: decodeURIComponent(project), profile });
  if (param === "transaction_id" && kind === "subscriptions" && id !== undefined) {
    return { list: `subscriptions transactions ${typed(id)}${here}` };
  }
  const meant = kindNamed(param) ?? KINDS[kind];
  if (meant === undefined) return undefined;
  const view = meant === KINDS[kind] && id !== undefined && meant.view;
  return { list: `${meant.list}${here}`, ...view && { view: `${view} ${typed(id)}` } };
}

/** The kind of the object in a field: `product_id`, `app_ids.0`. */
function kindNamed(param: string | undefined): Kind | undefined {
  const [first = ""] = (param ?? "").split(".");
  const [, one] = /(?:^|\.)([a-z_]+?)_ids?(?:\.\d+)?$/.exec(param ?? "") ?? [];
  return KINDS[NAMED[first] ?? first] ?? KINDS[`${one}s`];
}

/** A segment of a path, decoded and quoted for a shell. */
function typed(segment: string): string {
  return quoted(decodeURIComponent(segment));
}
