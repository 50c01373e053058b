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

/** Whether the same work may succeed later: the disk is full or fails, or another program writes. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof StoreError && UNAVAILABLE.has(error.failure);
}

const UNAVAILABLE: ReadonlySet<StoreFailure> = new Set(["busy", "full", "io"]);

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
  [8, "read_only"],
  [10, "io"],
  [11, "corrupt"],
  [13, "full"],
  [20, "type"],
  [26, "corrupt"],
]);

const UNIQUE = /^UNIQUE constraint failed: (.+)$/;

/** Turns whatever the driver threw into a `StoreError`; what is none of the database's stays. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  const code = Number(error.errcode);
  const failure = EXTENDED.get(code) ?? PRIMARY.get(code & 0xff) ?? "other";
  const columns = UNIQUE.exec(error.message)?.[1]?.split(", ") ?? [];
  return new StoreError(`Cannot use the database: ${error.message}`, {
    failure,
    columns,
    cause: error,
  });
}
