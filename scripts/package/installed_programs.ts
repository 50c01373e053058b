/**
 * The programs that `deno task install` has bundled. Each has a folder of its own in the clone, named
 * by its content, so a running program keeps its files while another one is installed.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fileReason } from "../../lib/file_reason.ts";
import { programOf } from "./launcher.ts";
import { filesUnder } from "./program.ts";

/** Bundles the program into an empty folder, with a second one for its sources and packages. */
export type Bundle = (folder: string, work: string) => Promise<void>;

/** Programs to keep: the new one, and those that may still run. */
const KEPT = 3;

/** The age at which a draft is left of an interrupted installation, in milliseconds. */
const ABANDONED = 60 * 60 * 1000;

/** The names of programs, and those of drafts. Everything else in their folder is somebody's own. */
const PROGRAM_NAME = /^[0-9a-f]{16}$/;
const DRAFT_NAME = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The folder with all installed programs of a clone. */
export function programsOf(clone: string): string {
  return join(clone, "dist", "installed");
}

/** The file with the paths of all launchers that start one of these programs, one on each line. */
function listOf(clone: string): string {
  return join(programsOf(clone), "launchers");
}

/** Bundles a program, and stores it when it is complete. Returns its folder. */
export async function storeProgram(clone: string, bundle: Bundle): Promise<string> {
  const draft = join(programsOf(clone), `.${crypto.randomUUID()}`);
  const [made, work] = [join(draft, "made"), join(draft, "work")];
  try {
    for (const folder of [made, work]) await Deno.mkdir(folder, { recursive: true });
    await bundle(made, work);
    const folder = join(programsOf(clone), await nameOf(made));
    await putInPlace(made, folder, draft);
    // If it was there, it counts as the newest again. Only its owner may change that.
    await Deno.utime(folder, new Date(), new Date()).catch(() => {});
    return folder;
  } finally {
    await removeFolder(draft);
  }
}

/** Renames a complete program, unless its folder has the same one, also from another installation. */
async function putInPlace(made: string, folder: string, draft: string): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return await Deno.rename(made, folder);
    } catch (error) {
      if (await isComplete(folder)) return;
      if (tries === 3) throw error;
      // What has another content than its name says is damaged.
      await Deno.rename(folder, join(draft, `damaged${tries}`)).catch(() => {});
    }
  }
}

/** The name of a program: a part of the hash of its files. */
async function nameOf(folder: string): Promise<string> {
  const all = createHash("sha256");
  for (const path of await filesUnder(folder)) {
    const content = createHash("sha256").update(await Deno.readFile(join(folder, path)));
    all.update(`${path}\0${content.digest("hex")}\n`);
  }
  return all.digest("hex").slice(0, 16);
}

/** Whether a folder has all files of the program that it is named after. */
async function isComplete(folder: string): Promise<boolean> {
  return await nameOf(folder).catch(() => "") === basename(folder);
}

/** Adds a launcher to those that start programs of a clone. */
export async function noteLauncher(clone: string, launcher: string): Promise<void> {
  if ((await notedLaunchers(clone)).includes(launcher)) return;
  await Deno.writeTextFile(listOf(clone), `${launcher}\n`, { append: true });
}

/** The launchers that were noted. */
async function notedLaunchers(clone: string): Promise<string[]> {
  const text = await Deno.readTextFile(listOf(clone)).catch(() => "");
  return text.split("\n").filter((path) => path !== "");
}

/**
 * Removes old programs, and what interrupted installations left. The newest programs stay, and those
 * that a launcher starts or a process runs from.
 *
 * @param others Launchers that may not be noted, since somebody has moved them.
 */
export async function removeOld(clone: string, others: readonly string[]): Promise<void> {
  const used = await usedBy(clone, others);
  const programs: { path: string; changed: number }[] = [];
  for await (const { name, isDirectory } of Deno.readDir(programsOf(clone))) {
    const path = join(programsOf(clone), name);
    const info = await Deno.stat(path).catch(() => undefined);
    if (!isDirectory || !info) continue;
    const changed = info.mtime?.getTime() ?? 0;
    if (PROGRAM_NAME.test(name)) programs.push({ path, changed });
    else if (DRAFT_NAME.test(name) && Date.now() - changed > ABANDONED) await removeFolder(path);
  }
  const old = programs.sort((a, b) => b.changed - a.changed).slice(KEPT);
  for (const { path } of old) {
    if (used && !used.has(basename(path)) && !await reasonToStay(path)) await removeFolder(path);
  }
}

/** Why an unused program cannot be removed: its files are loaded when a command needs them. */
async function reasonToStay(program: string): Promise<string | undefined> {
  try {
    // Each lasting command has locked this file. Only a writer gets a network drive's whole lock.
    using file = await Deno.open(join(program, "program", "cli.js"), { read: true, write: true });
    if (!await file.tryLock(true)) return "a process still runs from it";
    await file.unlock();
    return undefined;
  } catch (error) {
    return isMissing(error) ? undefined : fileReason(error);
  }
}

/** Whether an error means that a path has no file, and that its folder may not exist either. */
function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

/**
 * Removes a folder as far as possible: the next installation tries again. Returns the reason why
 * something is left.
 */
async function removeFolder(path: string): Promise<string | undefined> {
  try {
    await Deno.remove(path, { recursive: true });
    return undefined;
  } catch (error) {
    return isMissing(error) ? undefined : fileReason(error);
  }
}

/** What {@linkcode removeUnused} did. */
export interface Removed {
  /** The programs that it removed. */
  removed: string[];
  /** The programs that it could not remove, with the reason. */
  kept: { program: string; reason: string }[];
}

/** Removes all programs of a clone that no process runs from, unless a launcher starts one. */
export async function removeUnused(clone: string, others: readonly string[]): Promise<Removed> {
  const all: Removed = { removed: [], kept: [] };
  const used = await usedBy(clone, others);
  if (used?.size !== 0) return all;
  const folder = programsOf(clone);
  for (const { name } of await Array.fromAsync(Deno.readDir(folder)).catch(() => [])) {
    const path = join(folder, name);
    if (DRAFT_NAME.test(name)) await removeFolder(path);
    if (!PROGRAM_NAME.test(name)) continue;
    const reason = await reasonToStay(path) ?? await removeFolder(path);
    if (reason === undefined) all.removed.push(path);
    else all.kept.push({ program: path, reason });
  }
  await Deno.remove(listOf(clone)).catch(() => {});
  for (const path of [folder, dirname(folder)]) await removeIfEmpty(path);
  return all;
}

/** Removes a folder with nothing in it. A link to a folder is somebody's own. */
async function removeIfEmpty(path: string): Promise<void> {
  const info = await Deno.lstat(path).catch(() => undefined);
  if (info?.isDirectory) await Deno.remove(path).catch(() => {});
}

/** The names of the programs that launchers start; undefined if a launcher cannot be read. */
async function usedBy(clone: string, others: readonly string[]): Promise<Set<string> | undefined> {
  const used = new Set<string>();
  for (const launcher of [...await notedLaunchers(clone), ...others]) {
    try {
      const program = programOf(await Deno.readTextFile(launcher));
      if (program !== undefined) used.add(basename(program));
    } catch (error) {
      if (!isMissing(error)) return undefined;
    }
  }
  return used;
}
