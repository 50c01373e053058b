/**
 * The single tests of the test files: what each of them passes, and which come first.
 *
 * @module
 */

import { type Layout, type Passed, passedOf, sizeOf } from "./layout.ts";
import { nearness } from "./near.ts";
import type { Runner } from "./runner_process.ts";

/** A test. */
export interface Case {
  /** Its file. */
  readonly file: string;
  /** Its place among the tests of its file. */
  readonly index: number;
  /** Its name. */
  readonly name: string;
  /** Its usual duration, in milliseconds. */
  readonly ms: number;
  /** The probes that it passes. */
  readonly passed: Passed;
  /** The number of these probes. */
  readonly size: number;
}

/** The tests of a file. */
export interface CasesOfFile {
  /** Those that pass without a fault. */
  readonly cases: readonly Case[];
  /** The probes that are passed while files load. */
  readonly atLoad: Passed;
  /** The names of those that fail without a fault, with the reason. */
  readonly failing: readonly string[];
}

/** A file has this long to load, in milliseconds. */
export const LOAD_LIMIT_MS = 120_000;

/** A test that takes longer than this without a fault, in milliseconds, is left out. */
const LONGEST_CASE_MS = 60_000;

/** Runs all tests of a file once, without a fault; those that fail once more, as it may be chance. */
export async function measureCases(
  path: string,
  runner: Runner,
  layout: Layout,
): Promise<CasesOfFile> {
  const loaded = await runner.ask({ do: "load", file: path }, LOAD_LIMIT_MS);
  const cases: Case[] = [];
  const failing = loaded.failure === undefined ? [] : [`${path}: ${loaded.failure}`];
  for (const [index, name] of (loaded.tests ?? []).entries()) {
    if (name === null) continue;
    const request = { do: "run", file: path, test: index, name, probes: "all" } as const;
    const first = await runner.ask(request, LONGEST_CASE_MS);
    const { failure, passed, ms } = first.failure === undefined
      ? first
      : await runner.ask(request, LONGEST_CASE_MS);
    if (failure !== undefined) {
      failing.push(`${path} ${name}: ${failure.slice(0, 500)}`);
      continue;
    }
    const all = passedOf(passed, layout);
    cases.push({ file: path, index, name, ms, passed: all, size: sizeOf(all) });
  }
  return { cases, atLoad: passedOf(loaded.passed, layout), failing };
}

/** Tests in the order in which they probably find a fault of a file, for the least time. */
export function inOrderFor(
  file: string,
  cases: readonly Case[],
  successes: ReadonlyMap<Case, number>,
): Case[] {
  const rank = (one: Case) =>
    (one.ms + 5) / (1 + (successes.get(one) ?? 0)) / 8 ** nearness(file, one.file);
  return cases.map((one) => ({ one, at: rank(one) })).sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/**
 * Tests in the order in which they probably find a fault in code that runs while its file loads. By
 * turns, one that runs code of the file, those first that run the most of it, next to what they run of
 * others; and one that only looks at what it declares, those first that are near and run little else.
 */
export function inLoadedOrderFor(file: string, cases: readonly Case[]): Case[] {
  const runs = cases.filter(({ passed }) => passed.has(file));
  const looks = cases.filter(({ passed }) => !passed.has(file));
  const share = ({ passed, size }: Case) => {
    const digits = passed.get(file);
    const own = digits === undefined ? 0 : sizeOf(new Map([[file, digits]]));
    return (1 + own) / (1 + size);
  };
  const ordered = (some: readonly Case[]) =>
    some.map((one) => ({ one, at: share(one) * 8 ** nearness(file, one.file) }))
      .sort((a, b) => b.at - a.at).map(({ one }) => one);
  const [first, second] = [ordered(runs), ordered(looks)];
  return cases.flatMap((_, i) => [first[i], second[i]].filter((one) => one !== undefined));
}

/**
 * Tests that are not near a file, in the order in which they probably find a fault of it: those next
 * to it, then those that run little else. The order does not depend on the machine.
 */
export function inFarOrderFor(file: string, cases: readonly Case[]): Case[] {
  return cases.map((one) => ({ one, at: one.size / 8 ** nearness(file, one.file) }))
    .sort((a, b) => a.at - b.at).map(({ one }) => one);
}
