/**
 * Which lines each test file runs, measured once and kept until one of the files changes.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import type { Copy } from "./copies.ts";
import type { TestFile } from "./graph.ts";
import { runDeno } from "./process.ts";

/** The lines that a test file runs. */
export interface CoverageMap {
  /** The test file. */
  readonly test: string;
  /** Whether all its tests pass as the tree is. Those that do not can show no fault. */
  readonly passed: boolean;
  /** Its duration, in milliseconds. */
  readonly ms: number;
  /** The lines that it runs, by file. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
  /** The hashes of all that it imports or runs, by file. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** The options of a test file. */
export function testArguments(copy: Copy): string[] {
  return ["test", ...commonArguments(copy)];
}

/** The permissions of a test: those of `deno task test`, without the protected folders. */
export function commonArguments(copy: Copy): string[] {
  return [
    "--quiet",
    "--no-check",
    "--frozen",
    "--no-prompt",
    "--allow-net=127.0.0.1,localhost,[::1],0.0.0.0:0",
    "--allow-env",
    "--allow-read",
    "--allow-write",
    ...copy.guarded.map((path) => `--deny-write=${path}`),
    `--allow-run=${Deno.execPath()},sh,git`,
    // A fault may fill the memory.
    "--v8-flags=--max-old-space-size=2048",
  ];
}

/** A test file that takes longer than this, in milliseconds, is stopped. */
const LONGEST_TEST_MS = 300_000;

/** The map of a test file: the one that is kept, or a new one. */
export async function coverageOf(
  { path, files }: TestFile,
  copy: Copy,
  kept: string,
): Promise<CoverageMap> {
  const cache = join(kept, `${path.replaceAll("/", "+")}.json`);
  const before = await readMap(cache);
  if (before !== undefined && await isCurrent(before, files, copy)) return before;
  const { success, ms, lines } = await measure(path, copy);
  const hashes: Record<string, string> = {};
  for (const file of [...files, ...Object.keys(lines)]) hashes[file] ??= await hashOf(copy, file);
  const map = { test: path, passed: success, ms, lines, hashes };
  // A failure may come from a busy machine.
  if (!success) return map;
  await Deno.mkdir(kept, { recursive: true });
  await Deno.writeTextFile(cache, JSON.stringify(map));
  return map;
}

/** Runs a test file and finds out which lines it ran. */
async function measure(path: string, copy: Copy) {
  const folder = join(copy.temporary, "coverage");
  const raw = [`--coverage=${folder}`, "--coverage-raw-data-only"];
  const args = [...testArguments(copy), ...raw, path];
  const { success, ms } = await runDeno(args, { ...copy, limitMs: LONGEST_TEST_MS });
  const ours = "--include=^file:.*/(lib/.*|cli)\\.ts$";
  const report = await runDeno(["coverage", "--quiet", "--lcov", ours, folder], copy);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  return { success, ms, lines: linesRun(report.text, copy.cwd) };
}

/** The lines that ran, by file, from a report in the LCOV format. */
export function linesRun(lcov: string, root: string): Record<string, number[]> {
  const lines: Record<string, number[]> = {};
  let file: string | undefined;
  for (const line of lcov.split("\n")) {
    const path = /^SF:(.*)$/.exec(line)?.[1];
    if (path !== undefined) {
      file = relative(root, path).replaceAll("\\", "/");
      if (!/^lib\/|^cli\.ts$/.test(file)) file = undefined;
    }
    const [, at, times] = /^DA:(\d+),(\d+)/.exec(line) ?? [];
    if (file !== undefined && times !== undefined && times !== "0") {
      (lines[file] ??= []).push(Number(at));
    }
  }
  return lines;
}

/** Whether a map is valid for the current tree. */
async function isCurrent(
  { hashes }: CoverageMap,
  files: ReadonlySet<string>,
  copy: Copy,
): Promise<boolean> {
  for (const file of files) if (hashes[file] === undefined) return false;
  for (const [file, hash] of Object.entries(hashes)) {
    if (await hashOf(copy, file) !== hash) return false;
  }
  return true;
}

/** Reads a map that was kept. One that cannot be read is measured again. */
async function readMap(path: string): Promise<CoverageMap | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch {
    return undefined;
  }
}

/** The hash of a file of the tree; of one that is gone, no hash that a file can have. */
async function hashOf(copy: Copy, file: string): Promise<string> {
  const text = await Deno.readTextFile(join(copy.cwd, file)).catch(() => undefined);
  return text === undefined ? "-" : createHash("sha256").update(text).digest("base64url");
}

/** Whether a test file runs a line. */
export function runsLine({ lines }: CoverageMap, file: string, line: number): boolean {
  return lines[file]?.includes(line) ?? false;
}
