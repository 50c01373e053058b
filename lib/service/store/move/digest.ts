/**
 * A digest of a table: the SHA-256 of its rows in the order of their key. It is the same on every
 * engine exactly when all rows are.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Shape } from "./tables.ts";

/** A row by the names of its columns. */
export type MovedRow = Readonly<Record<string, unknown>>;

/** How many rows a table has, and what they add up to. */
export interface Sum {
  /** The number of rows. */
  rows: number;
  /** The SHA-256 of all rows, in lower-case hexadecimal digits. */
  sha256: string;
}

/** Adds up the rows of a table. */
interface Adder {
  /** Adds the next rows. */
  add(rows: readonly MovedRow[]): void;
  /** The sum of all rows that were added. */
  end(): Sum;
}

/** Creates the digest of a table, row by row. */
export function createAdder({ columns }: Shape): Adder {
  const hash = createHash("sha256");
  let count = 0;
  hash.update(JSON.stringify(columns.map(({ name }) => name)));
  return {
    add(rows) {
      let text = "";
      for (const row of rows) {
        for (const { name } of columns) text += written(row[name]);
      }
      hash.update(text);
      count += rows.length;
    },
    end: () => ({ rows: count, sha256: hash.digest("hex") }),
  };
}

/** A value as text. No other values give the same text, also one after the other. */
function written(value: unknown): string {
  if (value === null) return "n";
  return typeof value === "string" ? `t${value.length}:${value}` : `i${value};`;
}
