/**
 * PostgreSQL's errors, in the words of the store.
 *
 * @module
 */

import { outageIn, StoreError, type StoreFailure } from "../failure.ts";

/** The columns of each unique key, as `table.column`, by the name of its index. */
export type KeyColumns = ReadonlyMap<string, readonly string[]>;

/** Codes that mean something of their own. */
const CODES: ReadonlyMap<string, StoreFailure> = new Map([
  ["23505", "unique"],
  ["23503", "foreign_key"],
  ["23514", "check"],
  ["23502", "not_null"],
  // A text where a number belongs.
  ["42804", "type"],
  // U+0000 in a text, and a text that is too long for an index.
  ["22021", "unfit"],
  ["54000", "unfit"],
  // A transaction that was in the way of another one: the writer runs it again.
  ["40001", "busy"],
  ["40P01", "busy"],
  ["55P03", "busy"],
  ["53100", "full"],
  ["53200", "no_memory"],
  ["53300", "crowded"],
  ["58030", "io"],
  ["25006", "read_only"],
  ["XX001", "corrupt"],
  ["XX002", "corrupt"],
  // The server is stopping, has been stopped, or is not ready yet.
  ["57P01", "unreachable"],
  ["57P02", "unreachable"],
  ["57P03", "unreachable"],
  ["57P05", "unreachable"],
  // It does not let this program in, which may be mended while the service runs.
  ["28000", "cannot_open"],
  ["28P01", "cannot_open"],
  ["3D000", "cannot_open"],
  // A right was taken away, or a table has another owner.
  ["42501", "denied"],
]);

/** The first two characters of codes that are alike. */
const CLASSES: ReadonlyMap<string, StoreFailure> = new Map([
  ["08", "unreachable"],
  ["22", "type"],
  ["42", "other"],
]);

/** What a connection says that is lost or cannot be made. These come from the driver, not the server. */
const LOST =
  /^(Connection terminated|Client (has encountered|was closed)|timeout (expired|exceeded when trying))/;

/** Codes of the operating system for a host that does not answer. */
const UNANSWERED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Turns whatever the driver threw into a `StoreError`; what is none of the database's stays. */
export function toStoreError(error: unknown, keys: KeyColumns = new Map()): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const failure = failureOf(error, code);
  if (failure === undefined) return error;
  const index = "constraint" in error ? String(error.constraint) : "";
  // A host with several addresses fails once for each, in an error without a message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const message = error.message === "" && first instanceof Error ? first.message : error.message;
  return new StoreError(`Cannot use the database: ${message}`, {
    failure,
    columns: failure === "unique" ? keys.get(index) ?? [] : [],
    detail: message,
    cause: error,
  });
}

/** The error of a server that has said nothing for so many milliseconds. */
export function unanswered(ms: number): Error {
  return Object.assign(new Error(`no answer within ${ms / 1000} s`), { code: TIMED_OUT });
}

/** The code of a host that does not answer in time. */
const TIMED_OUT = "ETIMEDOUT";

/** Whether an error says that the server has said nothing for too long. */
export function isUnanswered(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === TIMED_OUT;
}

/** What the driver says of a connection that it gives up because it takes too long. */
const GIVEN_UP = /^(timeout expired|Connection terminated due to connection timeout)/;

/**
 * Turns what the driver threw while it connected into a `StoreError`. Whatever the server's reason is
 * not to take a connection, the database cannot be used, and may be used again later.
 *
 * @param limitMs How long a connection may take, in milliseconds.
 */
export function toConnectError(thrown: unknown, limitMs: number): unknown {
  const isLate = thrown instanceof Error && GIVEN_UP.test(thrown.message);
  const cause = isLate ? unanswered(limitMs) : thrown;
  const error = toStoreError(cause);
  return error instanceof StoreError && outageIn(error) === undefined
    ? new StoreError(error.message, { failure: "unreachable", detail: error.detail, cause })
    : error;
}

/** The form of the server's own codes. */
const SERVER_CODE = /^[0-9A-Z]{5}$/;

/** Whether an error is in the words of the server. */
export function isOfServer(error: unknown): boolean {
  return error instanceof Error && "severity" in error && "code" in error &&
    SERVER_CODE.test(String(error.code));
}

/** What the driver says of a certificate, or of a server without one. */
const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_)/;
const NO_TLS = "The server does not support SSL connections";

/** Whether a server was not trusted, or cannot encrypt. */
export function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return UNTRUSTED.test(code) || error.message === NO_TLS;
}

/** Whether the server, the database or the session takes no changes. */
export function isReadOnly(error: unknown): boolean {
  if (error instanceof StoreError) return error.failure === "read_only";
  return error instanceof Error && "code" in error && error.code === READ_ONLY;
}

/** The code of a change that may not be made because all are refused. */
const READ_ONLY = "25006";

/** The function of the server that refuses a prepared statement whose table has other columns now. */
const OUTDATED = "RevalidateCachedQuery";

/** Whether the server refused a prepared statement because its table was changed meanwhile. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && "routine" in error && error.routine === OUTDATED;
}

function failureOf(error: Error, code: string | undefined): StoreFailure | undefined {
  if (UNANSWERED.has(code) || LOST.test(error.message)) return "unreachable";
  if (isUntrusted(error)) return "cannot_open";
  // Prepared once more, the same statement succeeds.
  if (isOutdated(error)) return "busy";
  if (error instanceof AggregateError) {
    const [first] = error.errors;
    return first instanceof Error && "code" in first && UNANSWERED.has(first.code)
      ? "unreachable"
      : undefined;
  }
  if (code === undefined || !SERVER_CODE.test(code)) return undefined;
  const known = CODES.get(code) ?? CLASSES.get(code.slice(0, 2)) ?? "other";
  // The server has closed the connection.
  return known === "other" && isFatal(error) ? "unreachable" : known;
}

function isFatal(error: Error): boolean {
  return "severity" in error && /^(FATAL|PANIC)$/.test(String(error.severity));
}

/** Whether a transaction failed only because of others, and may succeed when it runs again. */
export function isConflict(error: unknown): boolean {
  return error instanceof StoreError && error.failure === "busy";
}

/** Whether an error says no more than that an earlier statement of the transaction has failed. */
export function isConsequence(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "25P02";
}

/** Whether an error says that there is no connection to the server, or no longer. */
export function isLost(error: unknown): boolean {
  return error instanceof StoreError &&
    (error.failure === "unreachable" || error.failure === "crowded");
}
