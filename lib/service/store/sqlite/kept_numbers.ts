/**
 * The last numbers that a transaction has taken in the order of each project. They are written once
 * before the commit, not with every number: nearly each change takes two, and many share a commit.
 *
 * @module
 */

import type { LastNumbers } from "../queries.ts";
import type { RawRow } from "./raw_rows.ts";

/** The numbers of one connection, whose transactions follow each other. */
export interface KeptNumbers extends LastNumbers {
  /** Writes the numbers that were taken. To be called before the commit. */
  write(): void;
  /** Forgets all numbers. To be called when the transaction has ended. */
  forget(): void;
  /** Notes the present numbers. The function that it returns brings them back. */
  mark(): () => void;
}

/** Keeps numbers. `run` runs a statement on the connection that took them. */
export function keepNumbers(
  run: (sql: string, ...values: (string | number)[]) => RawRow[],
): KeptNumbers {
  let kept = new Map<string, number>();
  return {
    get: (projectId) => kept.get(projectId),
    set: (projectId, last) => void kept.set(projectId, last),
    write() {
      for (const [id, last] of kept) run("update projects set last_seq = ? where id = ?", last, id);
    },
    forget() {
      if (kept.size > 0) kept = new Map();
    },
    mark() {
      const before = new Map(kept);
      return () => void (kept = before);
    },
  };
}
