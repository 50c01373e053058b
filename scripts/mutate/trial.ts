/**
 * Tries one fault: runs the test files that run its line.
 *
 * @module
 */

import { join } from "node:path";
import { type Copy, withFaultIn } from "./copies.ts";
import { type CoverageMap, runsLine, testArguments } from "./coverage.ts";
import { nearness } from "./near.ts";
import type { Fault } from "./places.ts";
import { type Ended, runDeno } from "./process.ts";

/** The result of a fault. */
export interface Trial {
  /** The fault. */
  readonly fault: Fault;
  /** The finder: the type checker, a test, the time limit, or none. */
  readonly found: "types" | "tests" | "time" | "no";
  /** The number of test files that run the line. */
  readonly tests: number;
  /** The test that failed, or as much as is known of it. */
  readonly by?: string;
}

/** Some tests have this long, in milliseconds, and four times as long as they take as a rule. */
const LEAST_LIMIT_MS = 60_000;

/** The facts about the tests. */
export interface Tests {
  /** The lines of each test file. */
  readonly maps: readonly CoverageMap[];
  /** The number of faults found by each test file. Files that found some run first. */
  readonly successes: Map<string, number>;
  /** The shortest time limit of tests, in milliseconds, against endless loops. */
  readonly leastLimitMs?: number;
}

/** Tries a fault in a copy, and leaves the copy as it was. */
export async function tryFault(
  fault: Fault,
  copy: Copy,
  tests: Tests,
): Promise<Trial> {
  return await withFaultIn(copy, fault, () => tryTests(fault, copy, tests));
}

/** Runs the tests up to the first that fails. */
async function tryTests(
  fault: Fault,
  copy: Copy,
  { maps, successes, leastLimitMs = LEAST_LIMIT_MS }: Tests,
): Promise<Trial> {
  const covering = inOrder(fault, maps, successes);
  const tests = covering.length;
  for (let size = 1; covering.length > 0; size *= 2) {
    const finder = await finderIn(covering.splice(0, size), copy, leastLimitMs);
    if (finder === undefined) continue;
    const { test, late, by } = finder;
    successes.set(test, (successes.get(test) ?? 0) + 1);
    return { fault, found: late ? "time" : "tests", tests, by };
  }
  return { fault, found: "no", tests };
}

/** A test file that finds a fault. */
interface Finder {
  /** The file. */
  test: string;
  /** Whether it had to be stopped. */
  late: boolean;
  /** The test that failed, or the file. */
  by: string;
}

/**
 * The first of some test files that finds a fault. They run together first; what fails then must fail
 * alone as well, for a test may fail by chance, because of the others, or because the machine is busy.
 */
async function finderIn(
  batch: readonly CoverageMap[],
  copy: Copy,
  leastLimitMs: number,
): Promise<Finder | undefined> {
  const together = await runTests(batch, copy, leastLimitMs);
  if (together.success) return undefined;
  const [only, ...others] = batch;
  if (only !== undefined && others.length === 0 && !together.late) {
    return { test: only.test, late: false, by: failedTest(together.text) ?? only.test };
  }
  const failed = failedTest(together.text) ?? "";
  const isNamed = ({ test }: CoverageMap) => failed.startsWith(`${test}:`);
  for (const one of batch.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))) {
    const { success, late, text } = await runTests([one], copy, leastLimitMs);
    if (!success) return { test: one.test, late, by: failedTest(text) ?? one.test };
  }
  return undefined;
}

/** The name of a module that imports some test files. No file of the tree has this name. */
const TOGETHER = "_together_test.ts";

/** Runs some test files, in one program, up to the first test that fails. */
async function runTests(
  batch: readonly CoverageMap[],
  copy: Copy,
  leastLimitMs: number,
): Promise<Ended> {
  const usual = batch.reduce((sum, { ms }) => sum + ms, 0);
  const [first, ...others] = batch.map(({ test }) => test);
  if (first === undefined) throw new RangeError("Cannot run tests: there are none");
  const entry = others.length === 0 ? first : TOGETHER;
  // A program of its own for each file would load the whole product for each.
  const imports = [first, ...others].map((test) => `import "./${test}";\n`).join("");
  if (entry === TOGETHER) await copy.write(TOGETHER, imports);
  try {
    const args = [...testArguments(copy), "--fail-fast", entry];
    return await runDeno(args, { ...copy, limitMs: leastLimitMs + 4 * usual });
  } finally {
    await Deno.remove(join(copy.cwd, TOGETHER)).catch(() => {});
    // The remains of stopped tests.
    for await (const { name } of Deno.readDir(copy.temporary)) {
      await Deno.remove(join(copy.temporary, name), { recursive: true }).catch(() => {});
    }
  }
}

/** The test files that run a fault's line: first those near it, that find faults, and that are quick. */
function inOrder(
  { file, line }: Fault,
  maps: readonly CoverageMap[],
  successes: ReadonlyMap<string, number>,
): CoverageMap[] {
  const rank = ({ test, ms }: CoverageMap) =>
    ms / (1 + (successes.get(test) ?? 0)) / 8 ** nearness(file, test);
  return maps.filter((map) => map.passed && runsLine(map, file, line))
    .sort((a, b) => rank(a) - rank(b));
}

/** The first test that a report says has failed, with its place. */
export function failedTest(report: string): string | undefined {
  const [, name, place] = /^(.+?) => \.\/(\S+\.ts:\d+)/m.exec(report) ?? [];
  if (name !== undefined && place !== undefined) return `${place} ${name}`;
  return /\.\/(\S+_test\.ts)[^\n]*(?:uncaught error|\(uncaught)/i.exec(report)?.[1];
}
