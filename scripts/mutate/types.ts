/**
 * Which faults the type checker refuses, many in one run: each is put into a file of its own beside the
 * original.
 *
 * @module
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Copy, withFaultIn } from "./copies.ts";
import { type Fault, withFault } from "./places.ts";
import { runDeno } from "./process.ts";

/** The beginning of the names of files with a fault. No file of the tree begins like this. */
const PREFIX = "_fault_";

/**
 * The faults that the type checker refuses in their own files. Errors in files that import these are
 * found only by a check of the whole tree.
 */
export async function refusedByTypes(
  faults: readonly Fault[],
  copy: Copy,
): Promise<ReadonlySet<Fault>> {
  const variants = new Map(faults.map((fault, i) => [variantOf(fault.file, String(i)), fault]));
  const files = [...new Set(faults.map(({ file }) => file))];
  const originals = new Map(files.map((file) => [variantOf(file, "none"), file]));
  try {
    for (const [path, fault] of variants) {
      await copy.write(path, withFault(await read(copy, fault.file), fault));
    }
    for (const [path, file] of originals) await copy.write(path, await read(copy, file));
    const refused = await refusedPaths([...variants.keys(), ...originals.keys()], copy);
    // Some files have errors without a fault, only because they are there twice.
    const twice = new Set([...originals].flatMap(([path, file]) => refused.has(path) ? file : []));
    for (const file of twice) {
      if (!await fails(copy, file)) continue;
      throw new RangeError(`Cannot try faults: the types of ${file} are wrong without one`);
    }
    const result = new Set<Fault>();
    for (const [path, fault] of variants) {
      const found = twice.has(fault.file) ? await isRefused(fault, copy) : refused.has(path);
      if (found) result.add(fault);
    }
    return result;
  } finally {
    for (const path of [...variants.keys(), ...originals.keys()]) {
      await Deno.remove(join(copy.cwd, path)).catch(() => {});
    }
  }
}

/** Whether the type checker refuses a fault in its own file. */
async function isRefused(fault: Fault, copy: Copy): Promise<boolean> {
  return await withFaultIn(copy, fault, () => fails(copy, fault.file));
}

/**
 * The faults because of which the type checker refuses the whole tree. Mostly it accepts all of them
 * at once; otherwise each half is checked.
 */
export async function refusedAnywhere(faults: readonly Fault[], copy: Copy): Promise<Set<Fault>> {
  const [first, ...others] = faults;
  if (first === undefined) return new Set();
  if (!overlap(faults) && !await failWith(faults, copy)) return new Set();
  if (others.length === 0) return new Set([first]);
  const half = Math.ceil(faults.length / 2);
  return new Set([
    ...await refusedAnywhere(faults.slice(0, half), copy),
    ...await refusedAnywhere(faults.slice(half), copy),
  ]);
}

/** Whether two of some faults are in the same place, so that they cannot be there together. */
function overlap(faults: readonly Fault[]): boolean {
  return faults.some((one, i) =>
    faults.slice(i + 1).some(({ file, start, end }) =>
      file === one.file && start <= one.end && one.start <= end
    )
  );
}

/** Whether a check of the whole tree fails with some faults. */
async function failWith(faults: readonly Fault[], copy: Copy): Promise<boolean> {
  const [last, ...others] = faults.toSorted((a, b) => b.start - a.start);
  if (last === undefined) return await fails(copy);
  // Those that begin later are put in first, so the places of the others stay right.
  return await withFaultIn(copy, last, () => failWith(others, copy));
}

/** Whether a check of the types fails. */
async function fails(copy: Copy, ...files: string[]): Promise<boolean> {
  return !(await runDeno(["check", "--quiet", "--frozen", ...files], copy)).success;
}

/** The files that the type checker refuses. A file with a wrong syntax ends a check, so it repeats. */
async function refusedPaths(paths: readonly string[], copy: Copy): Promise<Set<string>> {
  const refused = new Set<string>();
  for (;;) {
    const rest = paths.filter((path) => !refused.has(path));
    if (rest.length === 0) return refused;
    const { success, text } = await runDeno(["check", "--quiet", "--frozen", ...rest], copy);
    const named = placesIn(text, copy.cwd).filter((path) => rest.includes(path));
    for (const path of named) refused.add(path);
    if (success || /Type checking failed/.test(text)) return refused;
    if (named.length === 0) throw new RangeError(`Cannot check the types of faults\n${text}`);
  }
}

/** The files that a report of the type checker names as the places of errors. */
export function placesIn(report: string, root: string): string[] {
  return [...report.matchAll(/^\s+at (file:\/\/\S+?):\d+:\d+$/gm)].flatMap(([, url]) =>
    url === undefined ? [] : relative(root, fileURLToPath(url)).replaceAll("\\", "/")
  );
}

/** The path of a file with a fault, in the folder of the original, whose imports it has. */
function variantOf(file: string, mark: string): string {
  return file.replace(/[^/]+$/, (name) => `${PREFIX}${mark}_${name}`);
}

/** Reads a file of a copy. */
async function read(copy: Copy, file: string): Promise<string> {
  return await Deno.readTextFile(join(copy.cwd, file));
}
