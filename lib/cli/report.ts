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
} from "../errors.ts";
import { ConfirmationError } from "./ask.ts";

/** Part of the work was done and part was not. */
export class PartlyDone extends ToolkitError {}

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

/** Reports an error of a command whose brief is "Archive an offering". */
export function reportError(error: unknown, brief: string | undefined): Report {
  const exitCode = exitCodeOf(error);
  const message = messageOf(error, brief);
  const hint = hintOf(error);
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
function messageOf(error: unknown, brief: string | undefined): string {
  if (error instanceof Cancelled) return "Stopped";
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ToolkitError && !(error instanceof ApiError)) return text;
  const what = brief ? brief[0]?.toLowerCase() + brief.slice(1) : "do this";
  return `Cannot ${what}: ${text}`;
}

/** What to run or do next. */
function hintOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) {
    if (error instanceof ToolkitError) return error.hint;
    return "This is a fault of the program; please report it with the command that you ran.";
  }
  const scope = /"([a-z_*]+:[a-z_*]+:read(?:_write)?)"/.exec(error.message)?.[1];
  if (error.status === 401) return "Sign in again with: cli auth login";
  if (scope) return `Sign in with that permission: cli auth login --scope ${scope}`;
  if (error.status === 403) return "See which projects you can use: cli projects list";
  if (error.status === 429) {
    return `Try again in ${Math.ceil((error.retryAfterMs ?? 60_000) / 1000)} s`;
  }
  if (error.referencedObjectIds.length > 0) {
    return `In the way: ${error.referencedObjectIds.join(" ")}`;
  }
  if (error.param) return `Look at: ${error.param}`;
  return error.requestId && `The service knows this request as ${error.requestId}`;
}
