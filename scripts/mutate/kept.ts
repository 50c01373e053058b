/**
 * What the tests pass, kept in files, so that the next run starts at once. What is known of a test
 * file holds until that file changes. Of a changed file of the product is only known that a test passes
 * some of it, and what a changed helper of the tests passes beside is not known: then a test may be
 * tried in vain or not at all, but none seems to find what it does not find.
 *
 * @module
 */

import { join } from "node:path";
import type { Case, CasesOfFile } from "./cases.ts";
import type { TestFile } from "./graph.ts";
import { ANY, hashOf, type Layout, type Passed, readJson, sizeOf } from "./layout.ts";

/** The tests of a file as they are kept. */
interface Kept {
  /** The hash of the file. */
  key: string;
  /** The hashes of the files whose probes are passed. */
  hashes: Record<string, string>;
  /** Pairs of a file and its passed probes, each once. */
  pairs: [file: string, digits: string][];
  /** The tests. Their probes are numbers of pairs. */
  cases: { index: number; name: string; ms: number; passed: number[] }[];
  /** What is passed while files load. */
  atLoad: number[];
  /** The tests that fail without a fault. */
  failing: readonly string[];
}

/** The hash of a test file. */
export async function keyOf({ path }: TestFile, root: string): Promise<string> {
  return hashOf(await Deno.readTextFile(join(root, path)));
}

/** The path of what is kept of a test file. */
function pathIn(folder: string, test: string): string {
  return join(folder, "cases", `${test.replaceAll("/", "+")}.json`);
}

/** Keeps the tests of a file. */
export async function keepCases(
  folder: string,
  test: TestFile,
  key: string,
  { cases, atLoad, failing }: CasesOfFile,
  layout: Layout,
): Promise<void> {
  const numbers = new Map<string, number>();
  const pairs: Kept["pairs"] = [];
  const hashes: Kept["hashes"] = {};
  const numbersOf = (passed: Passed) =>
    [...passed].map(([file, digits]) => {
      hashes[file] ??= layout.get(file)?.hash ?? "";
      const name = `${file} ${digits}`;
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, pairs.length);
      return pairs.push([file, digits]) - 1;
    });
  const kept: Kept = {
    key,
    hashes,
    pairs,
    cases: cases.map(({ index, name, ms, passed }) => ({
      index,
      name,
      ms,
      passed: numbersOf(passed),
    })),
    atLoad: numbersOf(atLoad),
    failing,
  };
  await Deno.mkdir(join(folder, "cases"), { recursive: true });
  await Deno.writeTextFile(pathIn(folder, test.path), JSON.stringify(kept));
}

/** The tests of a file as they were kept; undefined when their file has changed since. */
export async function readCases(
  folder: string,
  test: TestFile,
  key: string,
  layout: Layout,
): Promise<CasesOfFile | undefined> {
  const kept = await readJson<Kept>(pathIn(folder, test.path));
  if (kept === undefined || kept.key !== key) return undefined;
  const passedOf = (numbers: readonly number[]): Passed =>
    new Map(numbers.flatMap((number) => {
      const [file, digits] = kept.pairs[number] ?? [];
      if (file === undefined || digits === undefined) return [];
      return [[file, layout.get(file)?.hash === kept.hashes[file] ? digits : ANY]];
    }));
  const cases = kept.cases.map(({ passed, ...rest }): Case => {
    const all = passedOf(passed);
    return { file: test.path, ...rest, passed: all, size: sizeOf(all) };
  });
  return { cases, atLoad: passedOf(kept.atLoad), failing: kept.failing };
}
