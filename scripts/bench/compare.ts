/**
 * One run of the benchmark against a stored one: what has become slower by more than its noise.
 *
 * @module
 */

import type { Finding, Section } from "./measure.ts";

/** The least change that counts, as a share: any machine differs so much from day to day. */
const USUAL_NOISE = 0.1;

/** A run as it is stored. */
export interface StoredRun {
  /** Whether it was a quick one, of another size. */
  quick: boolean;
  /** What was measured. */
  sections: Section[];
}

/** One run against another. */
export interface Comparison {
  /** The findings that have become worse by more than the noise of both runs, one line each. */
  slower: string[];
  /** The number of findings that only one of the runs has, in the sections that were measured now. */
  leftOut: number;
}

/**
 * Compares a run with one of before.
 *
 * @throws {RangeError} when they have no section in common.
 */
export function compareRuns(before: StoredRun, now: StoredRun): Comparison {
  const titles = new Set(before.sections.map(({ title }) => title));
  if (!now.sections.some(({ title }) => titles.has(title))) {
    throw new RangeError("Cannot compare the runs: they have no section in common");
  }
  const comparison: Comparison = { slower: [], leftOut: 0 };
  for (const { title, findings } of now.sections) {
    const known = before.sections.find((section) => section.title === title)?.findings ?? [];
    for (const finding of findings) {
      const line = lineFor(sameIn(known, finding), finding);
      if (line !== undefined) comparison.slower.push(`${title}: ${line}`);
    }
    comparison.leftOut += onlyIn(findings, known) + onlyIn(known, findings);
  }
  return comparison;
}

/** The finding of another run with the same meaning. */
function sameIn(findings: readonly Finding[], { what, base }: Finding): Finding | undefined {
  return findings.find((one) => one.what === what && whom(one.base) === whom(base));
}

/** The number of measured findings that another run did not measure. */
function onlyIn(findings: readonly Finding[], others: readonly Finding[]): number {
  return findings.filter((one) =>
    one.value !== undefined && sameIn(others, one)?.value === undefined
  ).length;
}

/** Says how much worse a finding has become, if it has. */
function lineFor(before: Finding | undefined, now: Finding): string | undefined {
  const { value, unit = "x" } = now;
  if (value === undefined || before?.value === undefined) return undefined;
  const change = isMoreBetter(now) ? before.value / value - 1 : value / before.value - 1;
  const noise = Math.max(USUAL_NOISE, (before.noise ?? 0) + (now.noise ?? 0));
  // A change that is no number is one from or to zero.
  if (!(change > noise)) return undefined;
  const share = (part: number) => `${(part * 100).toFixed(0)} %`;
  const amount = (one: number) => `${one.toFixed(2)} ${unit}`;
  return `${now.what}: ${amount(value)}, before ${amount(before.value)}; ` +
    `${share(change)} worse, where ${share(noise)} is noise`;
}

/** Whether more of a finding's value is better. */
function isMoreBetter({ better, budget }: Finding): boolean {
  return budget ? "atLeast" in budget : better === "more";
}

/** Whom a finding is compared with, without the number. */
function whom(base: string): string {
  return base.replace(/^\S+( \S+)?, /, "");
}

/**
 * Reads a stored run.
 *
 * @throws {RangeError} when the text is not one.
 */
export function readRun(file: string, text: string): StoredRun {
  const run: Partial<StoredRun> | null = parsed(text);
  if (Array.isArray(run?.sections) && typeof run.quick === "boolean") {
    return { quick: run.quick, sections: run.sections };
  }
  throw new RangeError(
    `Cannot compare with ${JSON.stringify(file)}: it is no run; --save writes one`,
  );
}

function parsed(text: string): Partial<StoredRun> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
