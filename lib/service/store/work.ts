/**
 * A unit of work: queries that belong together, and the guard against using them wrongly.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { CompiledQuery } from "kysely";
import { hasBuilder, loadBuilder } from "./builder.ts";
import { queriesOn, type Runner, type TextTx, type Tx } from "./queries.ts";
import { StoreError } from "./failure.ts";

/** Queries that belong together. It awaits nothing but its queries, and may be run again. */
export type Work<T> = (tx: Tx) => Promise<T>;

/** Work that does not need the builder of queries. */
const written = new WeakSet<Work<unknown>>();

/** Work whose queries are all written out with `fixed`. It does not wait for the builder's code. */
export function plainly<T>(work: (tx: TextTx) => Promise<T>): Work<T> {
  // Another function: the same one may be work of the other kind elsewhere.
  const plain: Work<T> = (tx) => work(tx);
  written.add(plain);
  return plain;
}

/** Work in place of other work, of the same kind: it has no queries besides those of that. */
export function inPlaceOf<T>(work: Work<unknown>, other: Work<T>): Work<T> {
  if (written.has(work)) written.add(other);
  return other;
}

/** Loads the builder of queries, if work needs it and nobody has loaded it yet. */
export async function readyFor(work: Work<unknown>): Promise<void> {
  if (!hasBuilder() && !written.has(work)) await loadBuilder();
}

/** What work may do with the database. */
export type Access = "read" | "write";

/** Says something to the operator. */
export type Say = (message: string) => void;

/** The work that the running code is part of. */
const current = new AsyncLocalStorage<{ ended: boolean }>();

/** Runs work on a runner. Once it has ended, its queries are refused, and `ended` is called. */
export async function runWork<T>(
  runner: Runner,
  work: Work<T>,
  access: Access,
  snapshot?: object,
  ended?: () => void,
): Promise<T> {
  const state = { ended: false };
  const check = (query: CompiledQuery): void => {
    if (state.ended) throw misuse("Cannot run a query: the work it belongs to has ended");
    if (access === "read" && CHANGES.has(query.query.kind)) {
      throw new StoreError("Cannot change the database: this work may only read", {
        failure: "read_only",
      });
    }
  };
  try {
    if (!hasBuilder()) await readyFor(work);
    return await current.run(state, work, queriesOn(runner, check, snapshot));
  } finally {
    state.ended = true;
    ended?.();
  }
}

/** Refuses work that starts inside of other work, which would wait for itself. */
export function refuseNested(access: Access): void {
  if (current.getStore()?.ended === false) {
    throw misuse(`Cannot ${access} inside of other work: use that work's own queries`);
  }
}

/** An error of the calling code, not of the database. */
export function misuse(message: string): StoreError {
  return new StoreError(message, { failure: "misuse" });
}

const CHANGES: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
]);
