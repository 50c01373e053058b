/**
 * The tests of the tree, each measured when it is needed for the first time.
 *
 * @module
 */

import { type Case, type CasesOfFile, measureCases } from "./cases.ts";
import type { TestFile } from "./graph.ts";
import type { Slot } from "./hunt.ts";
import { inTurns } from "./turns.ts";

/** The tests, and what is known of them. */
export interface Stock {
  /** All test files. */
  readonly tests: readonly TestFile[];
  /** The switches that are passed while files load, as far as measured. */
  readonly atLoad: ReadonlySet<number>;
  /** The tests of some files. */
  casesOf(files: ReadonlySet<TestFile>): Promise<Case[]>;
}

/** Makes the stock of some test files. */
export function stockOf(
  tests: readonly TestFile[],
  slots: readonly Slot[],
  tell: (what: string) => void,
): Stock {
  const known = new Map<TestFile, CasesOfFile>();
  const atLoad = new Set<number>();
  return {
    tests,
    atLoad,
    async casesOf(files) {
      const missing = [...files].filter((file) => !known.has(file));
      let done = 0;
      await inTurns(missing, slots, async (file, { warm }) => {
        const measured = await measureCases(file, warm);
        known.set(file, measured);
        for (const id of measured.atLoad) atLoad.add(id);
        const ms = measured.cases.reduce((sum, one) => sum + one.ms, 0);
        const counted = `${measured.cases.length} tests, ${(ms / 1000).toFixed(1)} s`;
        tell(`Measured ${++done}/${missing.length}: ${file.path}, ${counted}`);
        for (const what of measured.failing) tell(`Fails without a fault, left out: ${what}`);
      });
      return [...files].flatMap((file) => known.get(file)?.cases ?? []);
    },
  };
}
