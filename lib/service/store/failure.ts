/**
 * What the database can object to, told without its codes. Only this file knows SQLite's errors.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";
import type { Tables } from "./tables.ts";

/** Why the database refused, in words that hold for any database. */
export type StoreFailure =
  | "unique"
  | "foreign_key"
  | "check"
  | "not_null"
  | "type"
  | "busy"
  | "full"
  | "io"
  | "cannot_open"
  | "no_memory"
  | "read_only"
  | "corrupt"
  | "misuse"
  | "other";

/** A column with its table, such as `offerings.lookup_key`. */
export type ColumnName = {
  [T in keyof Tables]: `${T}.${keyof Tables[T] & string}`;
}[keyof Tables];

/** The store could not do what it was asked to. */
export class StoreError extends ToolkitError {
  /** Why. */
  readonly failure: StoreFailure;
  /** The columns of the violated key, as `table.column`; empty unless `failure` is `unique`. */
  readonly columns: readonly string[];

  /** Builds an error from a sentence, its reason and the columns concerned. */
  constructor(
    message: string,
    options: {
      failure: StoreFailure;
      columns?: readonly string[];
      hint?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, options);
    this.failure = options.failure;
    this.columns = options.columns ?? [];
  }
}

/** Whether the error is a duplicate; with a column, whether that column is part of the violated key. */
export function isUniqueViolation(error: unknown, column?: ColumnName): boolean {
  return error instanceof StoreError && error.failure === "unique" &&
    (column === undefined || error.columns.includes(column));
}

/** Whether the error is a reference to a missing row, or a row that is still referred to. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof StoreError && error.failure === "foreign_key";
}

/** Whether the error is a value that a rule of its table does not allow. */
export function isCheckViolation(error: unknown): boolean {
  return error instanceof StoreError && error.failure === "check";
}

/** Why the database cannot be used at present, for people. */
const OUTAGES: Readonly<Partial<Record<StoreFailure, string>>> = {
  busy: "another program is writing to the database",
  full: "the disk is full",
  io: "the disk reports an input/output error",
  cannot_open: "the database file cannot be opened",
  no_memory: "there is not enough memory",
  read_only: "the database is read-only",
  corrupt: "the database file is damaged",
};

/** Why the database cannot be used at present. */
export interface Outage {
  /** The kind of failure. */
  failure: StoreFailure;
  /** The cause in words, such as "the disk is full". */
  cause: string;
}

/**
 * The outage that an error shows, or undefined. No other request would fare better now; the same one
 * may succeed once the cause is gone.
 */
export function outageIn(error: unknown): Outage | undefined {
  if (!(error instanceof StoreError)) return undefined;
  const { failure } = error;
  const cause = OUTAGES[failure];
  return cause === undefined ? undefined : { failure, cause };
}

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
