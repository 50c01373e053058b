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

/** How many tests are near a file that has no folder of tests. */
const FEW = 8;

/**
 * The tests near some files: those in the folders that mirror theirs, and those with their names.
 * A file without any has a few of the next folders, of those that load the least.
 */
export function nearTests(files: readonly string[], tests: readonly TestFile[]): Set<TestFile> {
  const near = new Set<TestFile>();
  for (const file of new Set(files)) {
    const reaching = tests.filter((test) => test.files.has(file));
    const own = reaching.filter(({ path }) => isOwn(file, path));
    const order = ({ path, files }: TestFile) => files.size / 1000 - nearness(file, path);
    const next = () => reaching.toSorted((a, b) => order(a) - order(b)).slice(0, FEW);
    for (const test of own.length > 0 ? own : next()) near.add(test);
  }
  return near;
}

/** Whether a test is in the folder that mirrors a file's, or has the file's name. */
function isOwn(file: string, test: string): boolean {
  const folders = file.split("/").length - 2;
  const stem = file.replace(/^.*\/|\.ts$/g, "");
  return test.endsWith(`/${stem}_test.ts`) || folders > 0 && nearness(file, test) >= folders;
}
