/**
 * Copies of the tree for faults. The working tree itself never changes.
 *
 * @module
 */

import { join, relative } from "node:path";
import { type Fault, withFault } from "./places.ts";
import type { Surroundings } from "./process.ts";

/** A copy of the tree with all that its processes need. */
export interface Copy extends Surroundings {
  /** Writes a file of the copy. */
  write(file: string, text: string): Promise<void>;
  /** The folder for what its processes write. */
  readonly temporary: string;
  /** The protected folders, since a fault may delete files. */
  readonly guarded: readonly string[];
}

/** Folders that hold no source. */
const LEFT_OUT = /^(\.git|\.cli|\.vscode|node_modules|coverage|dist)$/;

/** Copies the tree into a new folder. */
export async function copyTree(root: string, folder: string, options: {
  /** Deno's cache folder. */
  denoDir: string;
  /** The seed of the property tests. */
  seed: number;
  /** Stops all processes. */
  signal: AbortSignal;
}): Promise<Copy> {
  const { denoDir, seed, signal } = options;
  const cwd = join(folder, "tree");
  const [temporary, home] = [join(folder, "tmp"), join(folder, "home")];
  for (const path of [temporary, home]) await Deno.mkdir(path, { recursive: true });
  await copyFolder(root, cwd, signal);
  const inherited = Object.entries(Deno.env.toObject())
    .filter(([name]) => !/^(CLI_|DENO_COVERAGE|PROPERTY_|UPDATE_)/.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    DENO_DIR: denoDir,
    HOME: home,
    TMPDIR: temporary,
    NO_COLOR: "1",
    PROPERTY_SEED: String(seed),
  };
  const homes = ["HOME", "USERPROFILE"].map((name) => Deno.env.get(name) ?? root);
  const guarded = [...new Set([root, ...homes])]
    .filter((path) => relative(path, folder).startsWith(".."));
  return {
    cwd,
    env,
    temporary,
    guarded,
    signal,
    write: (file, text) => replace(join(cwd, file), text),
  };
}

/** Copies a folder with all that is in it. */
async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    signal.throwIfAborted();
    if (LEFT_OUT.test(name)) continue;
    if (isDirectory) await copyFolder(join(from, name), join(to, name), signal);
    else if (isFile) await Deno.copyFile(join(from, name), join(to, name));
  }
}

/** Writes a file anew, so that a process which still reads the old one is not disturbed. */
async function replace(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(`${path}.new`, text);
  await Deno.rename(`${path}.new`, path);
}

/** Does something while a fault is in a copy, and leaves the copy as it was. */
export async function withFaultIn<T>(copy: Copy, fault: Fault, work: () => Promise<T>): Promise<T> {
  const source = await Deno.readTextFile(join(copy.cwd, fault.file));
  await copy.write(fault.file, withFault(source, fault));
  try {
    return await work();
  } finally {
    await copy.write(fault.file, source);
  }
}
