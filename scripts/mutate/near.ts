/**
 * Which tests are near a file: they run first, and find most faults.
 *
 * @module
 */

import type { TestFile } from "./graph.ts";

/**
 * The number of common folders of a test and a file, as tests/ mirrors lib/, plus one for its name.
 */
export function nearness(file: string, test: string): number {
  const [ours, theirs] = [file, test].map((path) => path.split("/").slice(1));
  const apart = ours?.findIndex((part, i) => part !== theirs?.[i]) ?? 0;
  const stem = file.replace(/^.*\/|\.ts$/g, "");
  return Math.max(0, apart) + (test.endsWith(`/${stem}_test.ts`) ? 1 : 0);
}

/** How many tests at least are near a file. */
const FEW = 8;

/**
 * The tests near some files: those in the folders that mirror theirs, and those with their names. If
 * these are few, some of the next folders as well, of those that load the least.
 */
export function nearTests(files: readonly string[], tests: readonly TestFile[]): Set<TestFile> {
  const near = new Set<TestFile>();
  for (const file of new Set(files)) {
    const reaching = tests.filter((test) => test.files.has(file));
    const own = reaching.filter(({ path }) => isNear(file, path));
    const order = ({ path, files }: TestFile) => files.size / 1000 - nearness(file, path);
    const others = reaching.filter((test) => !own.includes(test));
    others.sort((a, b) => order(a) - order(b));
    for (const test of own) near.add(test);
    for (const test of others.slice(0, Math.max(0, FEW - own.length))) near.add(test);
  }
  return near;
}

/**
 * Whether a test is in the folder that mirrors a file's, or has the file's name. A program beside lib/
 * has its tests in the folder of its name.
 */
export function isNear(file: string, test: string): boolean {
  const folders = file.split("/").length - 2;
  const stem = file.replace(/^.*\/|\.ts$/g, "");
  if (test.endsWith(`/${stem}_test.ts`)) return true;
  if (folders < 0) return test.split("/").slice(0, -1).join("/") === `tests/${stem}`;
  return folders > 0 ? nearness(file, test) >= folders : test.split("/").length === 2;
}
