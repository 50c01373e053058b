/**
 * What the database can object to, told without its codes. Each engine turns its own errors into these.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";
import { isWithoutRoom } from "../../file_reason.ts";
import type { Tables } from "./tables.ts";

/** Why the database refused, in words that hold for any database. */
export type StoreFailure =
  | "unique"
  | "foreign_key"
  | "check"
  | "not_null"
  | "type"
  | "busy"
  | "unreachable"
  | "crowded"
  | "denied"
  | "full"
  | "disk_failed"
  | "io"
  | "cannot_open"
  | "no_memory"
  | "read_only"
  | "corrupt"
  | "unfit"
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
  /** What a server said, for the operator alone: it may name users and hosts. */
  readonly detail: string | undefined;

  /** Builds an error from a sentence, its reason and the columns concerned. */
  constructor(
    message: string,
    options: {
      failure: StoreFailure;
      columns?: readonly string[];
      detail?: string | undefined;
      hint?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, options);
    this.failure = options.failure;
    this.columns = options.columns ?? [];
    this.detail = options.detail;
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

/** Whether the error is a text that the database cannot hold, or cannot hold in an index. */
export function isUnfit(error: unknown): boolean {
  return error instanceof StoreError && error.failure === "unfit";
}

/** Why the database cannot be used at present, for people. */
const OUTAGES: Readonly<Partial<Record<StoreFailure, string>>> = {
  busy: "another program is writing to the database",
  unreachable: "the database server cannot be reached",
  crowded: "the database server takes no more connections",
  denied: "the database denies the service access",
  full: "the disk is full",
  disk_failed: "the disk has failed, and the service must start again",
  io: "the disk reports an input/output error",
  cannot_open: "the database cannot be opened",
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

/** Whether an error, of the database or of a file, means that there is no room on the disk. */
export function isFull(error: unknown): boolean {
  return outageIn(error)?.failure === "full" || isWithoutRoom(error);
}
