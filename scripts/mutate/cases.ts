/**
 * The single tests of the test files: which switches each of them passes, and which come first.
 *
 * @module
 */

import type { TestFile } from "./graph.ts";
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
  /** The switches that it passes. */
  readonly hits: ReadonlySet<number>;
}

/** The tests of a file. */
export interface CasesOfFile {
  /** Those that pass without a fault. */
  readonly cases: readonly Case[];
  /** The switches that are passed while files load. */
  readonly atLoad: readonly number[];
  /** The names of those that fail without a fault, with the reason. */
  readonly failing: readonly string[];
}

/** A file has this long to load, in milliseconds. */
export const LOAD_LIMIT_MS = 120_000;

/** A test that takes longer than this without a fault, in milliseconds, is left out. */
const LONGEST_CASE_MS = 60_000;

/** Runs all tests of a file once, without a fault. */
export async function measureCases({ path }: TestFile, runner: Runner): Promise<CasesOfFile> {
  const loaded = await runner.ask({ do: "load", file: path }, LOAD_LIMIT_MS);
  const cases: Case[] = [];
  const failing = loaded.failure === undefined ? [] : [`${path}: ${loaded.failure}`];
  for (const [index, name] of (loaded.tests ?? []).entries()) {
    if (name === null) continue;
    const request = { do: "run", file: path, test: index } as const;
    const { failure, hits, ms } = await runner.ask(request, LONGEST_CASE_MS);
    if (failure === undefined) cases.push({ file: path, index, name, ms, hits: new Set(hits) });
    else failing.push(`${path} ${name}: ${failure}`);
  }
  return { cases, atLoad: loaded.hits, failing };
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
