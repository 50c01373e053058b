/**
 * Tries one fault: first the types, then every test file that runs its line.
 *
 * @module
 */

import { join } from "node:path";
import type { Copy } from "./copies.ts";
import { type CoverageMap, runsLine, testArguments } from "./coverage.ts";
import { type Fault, withFault } from "./places.ts";
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
  const path = join(copy.cwd, fault.file);
  const source = await Deno.readTextFile(path);
  await copy.write(fault.file, withFault(source, fault));
  try {
    return await tryTests(fault, copy, tests);
  } finally {
    await copy.write(fault.file, source);
  }
}

/** Checks the types of the file, runs the tests, and checks all types if nothing failed. */
async function tryTests(
  fault: Fault,
  copy: Copy,
  { maps, successes, leastLimitMs = LEAST_LIMIT_MS }: Tests,
): Promise<Trial> {
  const covering = inOrder(fault, maps, successes);
  const tests = covering.length;
  const own = await runDeno(["check", "--quiet", "--frozen", fault.file], copy);
  if (!own.success) return { fault, found: "types", tests };
  for (let size = 1; covering.length > 0; size *= 2) {
    const finder = await finderIn(covering.splice(0, size), copy, leastLimitMs);
    if (finder === undefined) continue;
    const { test, late, by } = finder;
    successes.set(test, (successes.get(test) ?? 0) + 1);
    return { fault, found: late ? "time" : "tests", tests, by };
  }
  const whole = await runDeno(["check", "--quiet", "--frozen"], copy);
  return { fault, found: whole.success ? "no" : "types", tests };
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
 * alone as well, for a test may fail by chance, or because the machine is busy.
 */
async function finderIn(
  batch: readonly CoverageMap[],
  copy: Copy,
  leastLimitMs: number,
): Promise<Finder | undefined> {
  const together = await runTests(batch, copy, leastLimitMs);
  if (together.success) return undefined;
  const failed = failedTest(together.text) ?? "";
  const isNamed = ({ test }: CoverageMap) => failed.startsWith(`${test}:`);
  for (const one of batch.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))) {
    const { success, late, text } = await runTests([one], copy, leastLimitMs);
    if (!success) return { test: one.test, late, by: failedTest(text) ?? one.test };
  }
  return undefined;
}

/** Runs some test files up to the first that fails. */
async function runTests(
  batch: readonly CoverageMap[],
  copy: Copy,
  leastLimitMs: number,
): Promise<Ended> {
  const usual = batch.reduce((sum, { ms }) => sum + ms, 0);
  const args = [...testArguments(copy), "--fail-fast", ...batch.map(({ test }) => test)];
  try {
    return await runDeno(args, { ...copy, limitMs: leastLimitMs + 4 * usual });
  } finally {
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

/**
 * The number of common folders of a test and a file, as tests/ mirrors lib/, plus one for its name.
 */
export function nearness(file: string, test: string): number {
  const [ours, theirs] = [file, test].map((path) => path.split("/").slice(1));
  const apart = ours?.findIndex((part, i) => part !== theirs?.[i]) ?? 0;
  const stem = file.replace(/^.*\/|\.ts$/g, "");
  return Math.max(0, apart) + (test.endsWith(`/${stem}_test.ts`) ? 1 : 0);
}

/** The first test that a report says has failed, with its place. */
export function failedTest(report: string): string | undefined {
  const [, name, place] = /^(.+?) => \.\/(\S+\.ts:\d+)/m.exec(report) ?? [];
  if (name !== undefined && place !== undefined) return `${place} ${name}`;
  return /\.\/(\S+_test\.ts)[^\n]*(?:uncaught error|\(uncaught)/i.exec(report)?.[1];
}
