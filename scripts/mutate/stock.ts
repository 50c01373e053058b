/**
 * The tests of the tree: what is kept of them, and what is measured when it is needed.
 *
 * @module
 */

import { type Case, type CasesOfFile, LOAD_LIMIT_MS, measureCases } from "./cases.ts";
import type { TestFile } from "./graph.ts";
import type { Slot } from "./hunt.ts";
import { keepCases, keyOf, readCases } from "./kept.ts";
import { ANY, type Layout, type Passed, passedOf, passes } from "./layout.ts";
import { inTurns } from "./turns.ts";

/** The tests, and what is known of them. */
export interface Stock {
  /** All test files. */
  readonly tests: readonly TestFile[];
  /** Whether a probe of a file is passed while files load, as far as measured. */
  isAtLoad(file: string, probe: number): boolean;
  /** The tests of some files, which are loaded in each place. */
  load(files: ReadonlySet<TestFile>): Promise<Case[]>;
  /** The tests of some files. */
  casesOf(files: ReadonlySet<TestFile>): Promise<Case[]>;
}

/** The options of a stock. */
export interface StockOptions {
  /** All test files. */
  readonly tests: readonly TestFile[];
  /** Where tests run. */
  readonly slots: readonly Slot[];
  /** The probes of all files. */
  readonly layout: Layout;
  /** The tree. */
  readonly root: string;
  /** The folder of what is kept. */
  readonly kept: string;
  /** Called with messages. */
  readonly tell: (what: string) => void;
}

/** Makes the stock of some test files. */
export function stockOf({ tests, slots, layout, root, kept, tell }: StockOptions): Stock {
  const known = new Map<TestFile, CasesOfFile>();
  const atLoad: Passed[] = [];
  /** Notes the tests of a file. */
  const add = (file: TestFile, cases: CasesOfFile) => {
    known.set(file, cases);
    atLoad.push(cases.atLoad);
  };
  const casesOf = async (files: ReadonlySet<TestFile>) => {
    const missing: TestFile[] = [];
    for (const file of files) {
      if (known.has(file)) continue;
      const before = await readCases(kept, file, await keyOf(file, root), layout);
      if (before === undefined) missing.push(file);
      else add(file, before);
      for (const what of before?.failing ?? []) tell(`Fails without a fault, left out: ${what}`);
    }
    let done = 0;
    await inTurns(missing, slots, async (file, { warm }) => {
      const measured = await measureCases(file.path, warm, layout);
      add(file, measured);
      await keepCases(kept, file, await keyOf(file, root), measured, layout);
      const ms = measured.cases.reduce((sum, one) => sum + one.ms, 0);
      const counted = `${measured.cases.length} tests, ${(ms / 1000).toFixed(1)} s`;
      tell(`Measured ${++done}/${missing.length}: ${file.path}, ${counted}`);
      for (const what of measured.failing) tell(`Fails without a fault, left out: ${what}`);
    });
    return [...files].flatMap((file) => known.get(file)?.cases ?? []);
  };
  return {
    tests,
    isAtLoad: (file, probe) => atLoad.some((passed) => passes(passed, file, probe) === "yes"),
    casesOf,
    async load(files) {
      const cases = await casesOf(files);
      // Files that have changed may run other code when they load.
      const changed = [...files].filter((file) =>
        [...known.get(file)?.atLoad.values() ?? []].includes(ANY)
      );
      for (const { warm } of slots) {
        for (const { path } of changed) {
          const { passed } = await warm.ask({ do: "load", file: path }, LOAD_LIMIT_MS);
          atLoad.push(passedOf(passed, layout));
        }
      }
      return cases;
    },
  };
}
