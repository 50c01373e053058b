/**
 * The builder of typed queries. It has more than 250 files, so it is loaded for the first work that
 * builds a query. What every start does is written out in SQL, and does not wait for it.
 *
 * @module
 */

import type * as Kysely from "kysely";
import { StoreError } from "./failure.ts";

/** The builder's functions and classes. */
type Builder = typeof Kysely;

let builder: Builder | undefined;

/** Loads the builder. */
export async function loadBuilder(): Promise<void> {
  builder ??= await import("kysely");
}

/** Whether the builder is loaded. */
export function hasBuilder(): boolean {
  return builder !== undefined;
}

/**
 * The builder.
 *
 * @throws {StoreError} when it is not loaded, which is a mistake of the calling code.
 */
export function loadedBuilder(): Builder {
  if (builder) return builder;
  throw new StoreError("Cannot build a query: the work is said to have only written ones", {
    failure: "misuse",
  });
}
