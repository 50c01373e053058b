/**
 * A unit of work: some queries that belong together, its queries' only way to the database, and the
 * guard against using them wrongly.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { CompiledQuery } from "kysely";
import { type Connection, queriesOn, type Tx } from "./connection.ts";
import { StoreError } from "./failure.ts";

/** Queries that belong together. It awaits nothing but its queries, and may be run again. */
export type Work<T> = (tx: Tx) => Promise<T>;

/** The work that is going on, for the code inside of it. */
const current = new AsyncLocalStorage<{ ended: boolean }>();

/** Runs work on a connection. Afterwards its queries are refused. */
export async function runWork<T>(
  connection: Connection,
  work: Work<T>,
  access: "read" | "write",
): Promise<T> {
  const state = { ended: false };
  const check = (query: CompiledQuery): void => {
    if (state.ended) {
      throw misuse("Cannot run a query: the work that it belongs to has ended");
    }
    if (access === "read" && WRITES.has(query.query.kind)) {
      throw new StoreError("Cannot write to the database: this work may only read", {
        failure: "read_only",
      });
    }
  };
  try {
    return await current.run(state, work, queriesOn(connection, check));
  } finally {
    state.ended = true;
  }
}

/** Refuses work that is started inside of other work, which would wait for itself. */
export function refuseNested(access: "read" | "write"): void {
  const outer = current.getStore();
  if (outer && !outer.ended) {
    throw misuse(`Cannot start to ${access} inside of other work: use that work's own queries`);
  }
}

/** An error of the caller, not of the database. */
export function misuse(message: string): StoreError {
  return new StoreError(message, { failure: "misuse" });
}

const WRITES: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
]);
