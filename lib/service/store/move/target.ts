/**
 * The database that rows are moved into. Nobody sees any of it before it is whole: on a server it is
 * one transaction, in a folder a file that gets its name at the end.
 *
 * @module
 */

import type { DatabasePlace } from "../frozen.ts";
import type { MovedRow } from "./digest.ts";
import type { Shape } from "./tables.ts";

/** A new database that is being filled. */
export interface Target {
  /** Where it is, for people. */
  readonly shown: string;
  /** Adds rows to a table, which may refer to rows that are added later. */
  add(table: Shape, rows: readonly MovedRow[]): Promise<void>;
  /** Checks what rows refer to, once all rows are there. */
  settle(): Promise<void>;
  /** All rows of a table in the order of its key, some at a time. */
  pages(table: Shape): AsyncIterable<readonly MovedRow[]>;
  /** Makes it a database that a service can start on. */
  keep(): Promise<void>;
  /** Removes all of it, unless it was kept. */
  close(): Promise<void>;
}

/**
 * Begins a new database whose schema has seen some steps, with empty tables.
 *
 * @throws {ConfigError} when something is there already, or nothing can be made there.
 */
export async function openTarget(place: DatabasePlace, steps: number): Promise<Target> {
  if ("address" in place) {
    const { openPostgresTarget } = await import("../postgres/target.ts");
    return await openPostgresTarget(place.address, steps);
  }
  const { openSqliteTarget } = await import("../sqlite/target.ts");
  return await openSqliteTarget(place, steps);
}
