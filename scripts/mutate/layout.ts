/**
 * The numbers of all probes of the tree, and which of them some code passes.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Probe, probesIn } from "./probes.ts";
import { isProgram, withSwitches } from "./switches.ts";

/** The probes of a file. */
export interface FileProbes {
  /** The hash of its text. */
  readonly hash: string;
  /** Its probes. */
  readonly probes: readonly Probe[];
  /** The number of the first one in the whole tree. */
  readonly base: number;
}

/** The probes of all files, by path. */
export type Layout = ReadonlyMap<string, FileProbes>;

/**
 * The probes that some code passes: for each file a number in base 16 whose digits have four probes
 * each, or `ANY` when the file has changed since.
 */
export type Passed = ReadonlyMap<string, string>;

/** Some probes of a file, nobody knows which. */
export const ANY = "?";

/** The probes of some files, those of unchanged ones from a file that keeps them. */
export async function layoutOf(
  root: string,
  files: readonly string[],
  kept: string,
): Promise<Layout> {
  const cache = join(kept, "probes.json");
  const before: Record<string, Omit<FileProbes, "base">> = await readJson(cache) ?? {};
  const layout = new Map<string, FileProbes>();
  let [base, isNew] = [0, false];
  for (const file of files) {
    const source = await Deno.readTextFile(join(root, file));
    const hash = hashOf(source);
    const known = before[file];
    const probes = known?.hash === hash ? known.probes : validProbesIn(source);
    if (known?.hash !== hash) isNew = true;
    layout.set(file, { hash, probes, base });
    base += probes.length;
  }
  if (isNew) {
    const entries = [...layout].map(([file, { hash, probes }]) => [file, { hash, probes }]);
    await Deno.mkdir(kept, { recursive: true });
    await Deno.writeTextFile(cache, JSON.stringify(Object.fromEntries(entries)));
  }
  return layout;
}

/** The probes of a source; none when it would be no valid program with them. */
function validProbesIn(source: string): Probe[] {
  const probes = probesIn(source);
  return isProgram(withSwitches(source, [], { probes, base: 0 })) ? probes : [];
}

/** Reads a file with JSON. One that cannot be read holds nothing. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch {
    return undefined;
  }
}

/** The hash of a text. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** The probes with these numbers, which ascend, by file. */
export function passedOf(ids: readonly number[], layout: Layout): Passed {
  const passed = new Map<string, string>();
  let at = 0;
  for (const [file, { base, probes }] of layout) {
    const digits: number[] = [];
    for (; at < ids.length && (ids[at] ?? 0) < base + probes.length; at++) {
      const place = (ids[at] ?? 0) - base;
      while (digits.length <= place >> 2) digits.push(0);
      digits[place >> 2] = (digits[place >> 2] ?? 0) | 1 << (place & 3);
    }
    if (digits.length > 0) passed.set(file, digits.map((one) => one.toString(16)).join(""));
  }
  return passed;
}

/** Whether a probe of a file is passed; `maybe` when only the file is known. */
export function passes(
  passed: Passed,
  file: string,
  probe: number | undefined,
): "yes" | "maybe" | "no" {
  const digits = passed.get(file);
  if (digits === undefined) return "no";
  if (digits === ANY || probe === undefined) return "maybe";
  return parseInt(digits[probe >> 2] ?? "0", 16) >> (probe & 3) & 1 ? "yes" : "no";
}

/** The number of probes that are passed, as far as known. */
export function sizeOf(passed: Passed): number {
  let size = 0;
  for (const digits of passed.values()) {
    if (digits !== ANY) { for (const digit of digits) size += BITS[parseInt(digit, 16)] ?? 0; }
  }
  return size;
}

/** The number of ones in each digit. */
const BITS = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
