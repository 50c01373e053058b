/**
 * Errors for people and programs: the only place that sets the exit code, the two lines and the
 * JSON of each kind.
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
import { cannot, quoted } from "./command_lines.ts";
import { ConfirmationError } from "./ask.ts";
import { NotThere, PartlyDone, refusalIn } from "./outcome.ts";

/** The result for the process's caller. */
const EXIT = {
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
  terminated: 143,
} as const;

/** A reported error. */
interface Report {
  /** The process's exit code. */
  exitCode: number;
  /** One line: the failed action and its reason. */
  message: string;
  /** One line: the next command. */
  hint: string | undefined;
  /** The error for programs, under `--output json`. */
  json: object;
}

/** The command that failed. */
export interface Failed {
  /** Its words: `["offerings", "archive"]`. */
  readonly names: readonly string[];
  /** Its description: "Archive an offering". */
  readonly brief: string;
}

/** Other inputs of a report. */
interface ReportOptions {
  /** Whether `CLI_REFRESH_TOKEN` is the sign-in, which `cli auth login` does not replace. */
  givenToken?: boolean | undefined;
  /** The remedy for an argument that a shell has changed, if there is one. */
  rewritten?: string | undefined;
  /** The data folder of the local service, if the command line names one. */
  data?: string | undefined;
  /** Adds the flags that select sign-in and project to the commands in a hint. */
  select?: ((hint: string) => string) | undefined;
  /** The command that replaces the current sign-in. */
  signIn?: string | undefined;
  /** Whether SIGTERM stopped the command, and not Ctrl-C. */
  terminated?: boolean | undefined;
}

/** Reports an error of a command. */
export function reportError(
  error: unknown,
  failed: Failed | undefined,
  options: ReportOptions = {},
): Report {
  const exitCode = error instanceof Cancelled && options.terminated
    ? EXIT.terminated
    : exitCodeOf(error);
  const message = messageOf(error, failed);
  // The shell's change explains the error best.
  const isTyped = exitCode !== EXIT.usage && exitCode !== EXIT.notFound;
  const rewritten = isTyped ? undefined : options.rewritten;
  const plain = rewritten ?? inFolder(hintOf(error, options), options.data);
  const hint = plain && (options.select?.(plain) ?? plain);
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
        missing_scopes: api?.missingScopes ?? [],
        request_id: api?.requestId ?? null,
        hint: hint ?? null,
        exit_code: exitCode,
        retry_after_ms: api?.retryAfterMs ?? null,
      },
    },
  };
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

/** The error's type: the service's own, or our class in the spelling of the API. */
function typeOf(error: unknown): string {
  if (error instanceof ApiError) return error.type;
  if (!(error instanceof ToolkitError)) return "unexpected_error";
  return error.name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}

/** "Cannot archive an offering: …", unless the error has that form already. */
function messageOf(error: unknown, failed: Failed | undefined): string {
  if (error instanceof Cancelled) return "Stopped";
  const text = error instanceof Error ? error.message : String(error);
  const ownWords = error instanceof ToolkitError && !(error instanceof ApiError);
  if (ownWords || text.startsWith("Cannot ")) return text;
  return `${failed ? cannot(failed.brief) : "Cannot do this"}: ${text}`;
}

/** The next command. */
function hintOf(error: unknown, options: ReportOptions): string | undefined {
  const refusal = refusalIn(error);
  if (refusal) return refusal.hint ?? hintOfRefusal(refusal, options);
  if (error instanceof ToolkitError) return error.hint;
  return "This is a bug. Please report it with the command that you ran.";
}

/** A hint with the failed command's data folder in its commands. */
function inFolder(hint: string | undefined, data: string | undefined): string | undefined {
  if (data === undefined) return hint;
  return hint?.replace(
    /cli service (token|account list)\b(?! --data)/g,
    (command) => `${command} --data ${quoted(data)}`,
  );
}

/** The hint for a refusal of this kind, for any command. */
function hintOfRefusal(error: ApiError, options: ReportOptions): string | undefined {
  const { status, referencedObjectIds, requestId } = error;
  if (status === 429) {
    return `Try again ${whenIn(error.retryAfterMs ?? 60_000)}`;
  }
  if (error.type === "unknown") {
    return "The answer does not come from the service. Check CLI_BASE_URL and the proxy variables " +
      "(HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).";
  }
  if (status === 401 && error.path.startsWith("/_sim/")) {
    return "Set CLI_SERVICE_ADMIN_SECRET to the secret of that service, or unset it and pass the " +
      "service's data folder with --data.";
  }
  if (status === 401 || status === 403) return hintOfSignIn(error, options);
  if (status === 421) {
    return "Check CLI_BASE_URL: it must be the address of a process that serves the API, or of the " +
      "balancer in front";
  }
  if (status >= 500) {
    return `Try again later${requestId ? `. The request id is ${requestId}` : ""}`;
  }
  return referencedObjectIds.length > 0
    ? `Related objects: ${shortList(referencedObjectIds)}`
    : undefined;
}

/** A wait in words. From a day on, the number does not help. */
function whenIn(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 120) return `in ${seconds} s`;
  if (seconds <= 7200) return `in ${Math.ceil(seconds / 60)} min`;
  return seconds < 86_400 ? `in ${Math.ceil(seconds / 3600)} h` : "later";
}

/** The hint for an insufficient sign-in. */
function hintOfSignIn(
  { status, missingScopes: { length: lacking } }: ApiError,
  { givenToken, signIn = "cli auth login" }: ReportOptions,
): string {
  if (status === 403 && lacking === 0) return "See which projects you can use: cli projects list";
  if (givenToken) {
    const able = lacking === 0
      ? ""
      : lacking === 1
      ? " with one that has that permission"
      : " with one that has those permissions";
    return `Replace CLI_REFRESH_TOKEN${able}; for a local service, make one with: cli service token`;
  }
  // Without --scope: it would request that permission alone, and so drop all others.
  return lacking > 0
    ? `Sign in with all permissions that the commands need: ${signIn}`
    : `Sign in again with: ${signIn}`;
}

/** The most ids in a hint. */
const MOST_IDS = 10;

/** A readable list of ids. */
function shortList(ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_IDS).join(" ");
  return ids.length > MOST_IDS ? `${shown} and ${ids.length - MOST_IDS} more` : shown;
}
