/**
 * Errors for people and programs: each kind gets its exit code, its two lines and its JSON here, and
 * nowhere else.
 *
 * @module
 */

import {
  ApiError,
  AuthError,
  Cancelled,
  NetworkError,
  ToolkitError,
  UsageError,
} from "../../errors.ts";
import { ConfirmationError } from "./ask.ts";
import { quoted } from "../words/place.ts";

/** Part of the work was done and part was not. */
export class PartlyDone extends ToolkitError {}

/** Something that was named is not there, as a list of what is has shown. */
export class NotThere extends ToolkitError {}

/** What the process tells its caller. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  confirmation: 3,
  notAllowed: 4,
  notFound: 5,
  rateLimited: 6,
  conflict: 7,
  unreachable: 8,
  partly: 9,
  interrupted: 130,
} as const;

/** An error as it is reported. */
export interface Report {
  /** The process's exit code. */
  exitCode: number;
  /** One line: what cannot be done, and why. */
  message: string;
  /** One line: what to run or do next. */
  hint: string | undefined;
  /** The error for programs, under `--output json`. */
  json: object;
}

/** The command that failed. */
export interface Failed {
  /** Its words: `["offerings", "archive"]`. */
  readonly names: readonly string[];
  /** What it does: "Archive an offering". */
  readonly brief: string;
}

/** What else a report depends on. */
export interface ReportOptions {
  /** Whether `CLI_REFRESH_TOKEN` is the sign-in, which no `cli auth login` replaces. */
  givenToken?: boolean | undefined;
  /** The data folder of the local service, where the command line names one. */
  data?: string | undefined;
  /** What to run to sign in anew in place of the sign-in that was used. */
  signIn?: string | undefined;
}

/** Reports an error of a command. */
export function reportError(
  error: unknown,
  failed: Failed | undefined,
  options: ReportOptions = {},
): Report {
  const exitCode = exitCodeOf(error);
  const message = messageOf(error, failed);
  const hint = inFolder(hintOf(error, failed, options), options.data);
  const api = error instanceof ApiError ? error : undefined;
  return {
    exitCode,
    message,
    hint,
    json: {
      error: {
        type: typeOf(error),
        message: api?.message ?? message,
        status: api?.status ?? null,
        param: api?.param ?? null,
        referenced_object_ids: api?.referencedObjectIds ?? [],
        request_id: api?.requestId ?? null,
        hint: hint ?? null,
        exit_code: exitCode,
        retry_after_ms: api?.retryAfterMs ?? null,
      },
    },
  };
}

/** The beginning of a message about what a command does: "Cannot archive an offering". */
export function cannot(brief: string): string {
  const deed = brief.replace(/ \(.*\)$/, "");
  return `Cannot ${deed.charAt(0).toLowerCase()}${deed.slice(1)}`;
}

/** The exit code for a kind of error. */
function exitCodeOf(error: unknown): number {
  if (error instanceof ApiError) return exitCodeOfStatus(error.status);
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ConfirmationError) return EXIT.confirmation;
  if (error instanceof AuthError) return EXIT.notAllowed;
  if (error instanceof NetworkError) return EXIT.unreachable;
  if (error instanceof NotThere) return EXIT.notFound;
  if (error instanceof PartlyDone) return EXIT.partly;
  if (error instanceof Cancelled) return EXIT.interrupted;
  return EXIT.failed;
}

function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403) return EXIT.notAllowed;
  if (status === 404) return EXIT.notFound;
  if (status === 429) return EXIT.rateLimited;
  return [409, 422, 423].includes(status) ? EXIT.conflict : EXIT.failed;
}

/** The error's type: the service's own, or our class in the wire's spelling. */
function typeOf(error: unknown): string {
  if (error instanceof ApiError) return error.type;
  if (!(error instanceof ToolkitError)) return "unexpected_error";
  return error.name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}

/** "Cannot archive an offering: …", unless the error says so itself. */
function messageOf(error: unknown, failed: Failed | undefined): string {
  if (error instanceof Cancelled) return "Stopped";
  const text = error instanceof Error ? error.message : String(error);
  const ownWords = error instanceof ToolkitError && !(error instanceof ApiError);
  if (ownWords || text.startsWith("Cannot ")) return text;
  return `${failed ? cannot(failed.brief) : "Cannot do this"}: ${text}`;
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

/** What to run or do next. */
function hintOf(
  error: unknown,
  failed: Failed | undefined,
  options: ReportOptions,
): string | undefined {
  const refusal = refusalIn(error);
  if (refusal) return refusal.hint ?? hintOfRefusal(refusal, failed, options);
  if (error instanceof ToolkitError) return error.hint;
  return "This is a fault of the program; please report it with the command that you ran.";
}

/** A hint whose commands look into the data folder that the failed one was to look into. */
function inFolder(hint: string | undefined, data: string | undefined): string | undefined {
  if (data === undefined) return hint;
  return hint?.replace(
    /cli service (token|account list)\b(?! --data)/g,
    (command) => `${command} --data ${quoted(data)}`,
  );
}

/** What to do about the service's refusal. */
function hintOfRefusal(
  error: ApiError,
  failed: Failed | undefined,
  options: ReportOptions,
): string | undefined {
  const { status, referencedObjectIds, requestId } = error;
  if (status === 429) {
    return `Try again in ${Math.ceil((error.retryAfterMs ?? 60_000) / 1000)} s`;
  }
  if (error.type === "unknown") {
    return "The answer is not one of the service's own. Check CLI_BASE_URL and the proxy " +
      "variables (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).";
  }
  if (status === 401 && error.path.startsWith("/_sim/")) {
    return "Set CLI_SERVICE_ADMIN_SECRET to that service's own secret, or unset it and name the " +
      "service's data folder with --data.";
  }
  if (status === 401 || status === 403) return hintOfSignIn(error, options);
  if (status >= 500) {
    return `Try again later${requestId ? `. The service knows this request as ${requestId}` : ""}`;
  }
  if (referencedObjectIds.length > 0) {
    const ends = error.path.startsWith("/_sim/") && error.path.endsWith("/trigger");
    const end = ends ? "; end one with: cli simulate expire <subscription-id>" : "";
    return `In the way: ${shortList(referencedObjectIds)}${end}`;
  }
  return hintOfObject(error, failed);
}

/** What to do about a sign-in that is not good enough. */
function hintOfSignIn(
  { status, message }: ApiError,
  { givenToken, signIn = "cli auth login" }: ReportOptions,
): string {
  const scopes = message.match(/"([a-z_*]+:[a-z_*]+:read(?:_write)?)"/g)?.length ?? 0;
  if (status === 403 && scopes === 0) return "See which projects you can use: cli projects list";
  if (givenToken) {
    const able = ["", " by one with that permission"][scopes] ?? " by one with those permissions";
    return `Replace CLI_REFRESH_TOKEN${able}; for a local service, make one with: cli service token`;
  }
  // Without --scope: it would ask for that permission alone, and so take all others away.
  return scopes > 0
    ? `Sign in with all that the commands need: ${signIn}`
    : `Sign in again with: ${signIn}`;
}

/** The most ids that a hint names. */
const MOST_IDS = 10;

/** Ids in a row, as many as can be read. */
function shortList(ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_IDS).join(" ");
  return ids.length > MOST_IDS ? `${shown} and ${ids.length - MOST_IDS} more` : shown;
}

/** What to do about the object that a refused request was about, or about one of its fields. */
function hintOfObject(error: ApiError, failed: Failed | undefined): string | undefined {
  const { status, param, path } = error;
  const words = failed?.names.join(" ") ?? "";
  if (status === 404 && path === "/_sim/tokens") {
    return "See who there is: cli service account list";
  }
  const object = objectOf(error);
  if (status === 404) return hintOfMissing(error, object?.list);
  if (words === "offerings set-current" && status === 422 && object?.id !== undefined) {
    return `Bring it back with: cli offerings unarchive ${object.id}`;
  }
  if (words === "events trigger" && param === "overrides") {
    return `Check --override; see: cli ${words} --help`;
  }
  if (param) return `Check ${flagOf(param, words)}; see: cli ${words} --help`;
  return object?.view && `See how it stands: ${object.view}`;
}

/** A field as the command calls it, where that is another name. */
function flagOf(param: string, words: string): string {
  // The commands that set a lookup key call it --id.
  if (param === "lookup_key" && words.endsWith(" create")) return "--id (lookup_key)";
  if (param === "customer_id" && words.startsWith("simulate ")) return "<user-id>";
  return /^webhooks .*\bevent_types\b/.test(`${words} ${param}`) ? "--events (event_types)" : param;
}

/** What to do about something that is not there. */
function hintOfMissing({ path, message }: ApiError, list: string | undefined): string {
  const [, , projects, project] = path.split("/");
  const isProject = project === undefined
    ? projects === "projects" || path === "/_sim/accounts"
    // The administrator, who sees all projects, is told that there is none.
    : message.includes(JSON.stringify(decodeURIComponent(project)));
  if (isProject) return "See what there is: cli projects list";
  return list === undefined ? "See what is wrong: cli doctor" : `See what there is: ${list}`;
}

/** Groups whose objects can be listed, by their name in a path. */
const LISTED: Readonly<Record<string, string>> = {
  apps: "apps",
  customers: "subscribers",
  entitlements: "entitlements",
  offerings: "offerings",
  packages: "packages",
  paywalls: "paywalls",
  // A field of virtual currencies, where a product is named.
  product_grants: "products",
  products: "products",
  virtual_currencies: "virtual-currencies",
  webhooks: "webhooks",
};

/** What is listed for one subscriber alone, by its name in a path, and the command that does it. */
const HELD: Readonly<Record<string, string>> = {
  subscriptions: "info",
  purchases: "info",
  invoices: "invoices",
};

/** What only the local service lists, by its name in a path, and the command that does it. */
const LOCAL: Readonly<Record<string, string>> = {
  events: "events list",
  deliveries: "webhooks deliveries <webhook-id>",
  listeners: "events listeners list",
};

/** The object that a refused request was about, and the commands that show it and its like. */
function objectOf(
  { path, param, message }: ApiError,
): { list: string; view?: string; id?: string } | undefined {
  const [, , , project, ...rest] = path.split("/");
  const [kind = "", id] = rest[0] === "integrations" ? rest.slice(1) : rest;
  // A package is created in an offering that its body names: the offering may be what is missing.
  const named = /(?:^|\.)([a-z_]+?)_ids?$/.exec(param ?? "")?.[1];
  const group = LISTED[`${named}s`] ?? LISTED[param ?? ""] ?? LISTED[kind];
  if (project === undefined) return undefined;
  const held = HELD[kind];
  const here = ` --project-id ${decodeURIComponent(project)}`;
  if (group === undefined && held !== undefined) {
    // Of a payment that is refunded, the subscription is there.
    const isPayment = (rest[2] === "refund" || rest[3] !== undefined) && kind === "subscriptions" &&
      id !== undefined && !message.includes(JSON.stringify(decodeURIComponent(id)));
    const list = isPayment
      ? `cli subscriptions transactions ${shown(id)}${here}`
      : `cli subscribers ${held} <user-id>${here}`;
    return id === undefined ? { list } : { list, view: `cli ${kind} view ${shown(id)}` };
  }
  const words = group === undefined ? LOCAL[kind] : `${group} list`;
  if (words === undefined) return undefined;
  const list = `cli ${words}${here}`;
  if (id === undefined || group === undefined || group !== LISTED[kind]) return { list };
  const show = group === "subscribers" ? "info" : "view";
  return { list, view: `cli ${group} ${show} ${shown(id)}`, id: shown(id) };
}

/** A segment of a path as it is typed. */
function shown(segment: string): string {
  return quoted(decodeURIComponent(segment));
}
