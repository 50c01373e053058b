/**
 * SQLite's errors, in the words of the store.
 *
 * @module
 */

import { StoreError, type StoreFailure } from "../failure.ts";

/** SQLite's extended result codes that mean something of their own. */
const EXTENDED: ReadonlyMap<number, StoreFailure> = new Map([
  [275, "check"],
  [787, "foreign_key"],
  [1299, "not_null"],
  [1555, "unique"],
  [2067, "unique"],
  [2579, "unique"],
  [3091, "type"],
]);

/** SQLite's primary result codes, the low byte of every code. */
const PRIMARY: ReadonlyMap<number, StoreFailure> = new Map([
  [5, "busy"],
  [6, "busy"],
  [7, "no_memory"],
  [8, "read_only"],
  [10, "io"],
  [11, "corrupt"],
  [13, "full"],
  [14, "cannot_open"],
  [20, "type"],
  [26, "corrupt"],
]);

const UNIQUE = /^UNIQUE constraint failed: (.+)$/;

/** The driver gives no code while it opens a file and runs a script. The message remains. */
const MESSAGES: readonly [pattern: RegExp, failure: StoreFailure][] = [
  [/^database (table )?is locked/, "busy"],
  [/^out of memory/, "no_memory"],
  [/^attempt to write a readonly database/, "read_only"],
  [/^disk I\/O error/, "io"],
  [/^database disk image is malformed|^file is not a database/, "corrupt"],
  [/^database or disk is full/, "full"],
  [/^unable to open database file/, "cannot_open"],
];

/** SQLite's codes for a file, and for a folder, that could not be brought to the disk. */
const FAILED_SYNCS: ReadonlySet<unknown> = new Set([1034, 1290]);

/** Whether the disk failed to take what was written before. A later try could succeed without it. */
export function isFailedSync(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof Error && "errcode" in cause && FAILED_SYNCS.has(cause.errcode);
}

/** Turns whatever the driver threw into a `StoreError`; what is none of the database's stays. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  const failure = "errcode" in error ? failureOf(Number(error.errcode)) : undefined;
  const told = MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
  const code = "code" in error ? error.code : undefined;
  if (failure === undefined && (code !== "ERR_SQLITE_ERROR" || told === undefined)) return error;
  const columns = UNIQUE.exec(message)?.[1]?.split(", ") ?? [];
  return new StoreError(`Cannot use the database: ${message}`, {
    failure: failure ?? told ?? "other",
    columns,
    cause: error,
  });
}

/** What a result code of SQLite means. */
function failureOf(code: number): StoreFailure {
  return EXTENDED.get(code) ?? PRIMARY.get(code & 0xff) ?? "other";
}
