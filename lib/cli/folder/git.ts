/**
 * Git's state of a path. It asks git if installed; otherwise it reads the repository's files. An
 * uncertain answer never counts as safe.
 *
 * @module
 */

import { dirname, join, relative, resolve, sep } from "node:path";
import { spawn } from "../../platform/spawn.ts";
import { indexHolds } from "./git_index.ts";

/** Git's state of a path. Undefined means unknown. */
export interface GitState {
  /** The root of the path's repository. Undefined outside of repositories. */
  repository: string | undefined;
  /** Whether git ignores the path, unless it already tracks it. */
  ignored: boolean | undefined;
  /** Whether git tracks the path. */
  tracked: boolean | undefined;
  /** The reason for an unknown value. */
  why: string | undefined;
}

/** Git's answer. */
interface GitAnswer {
  /** Its exit code. */
  code: number;
  /** What it wrote to standard output. */
  out: string;
}

/** The reason when git cannot be asked. */
export const NO_GIT = "git is not installed here";

/** Runs git with arguments. Undefined if it is missing or not permitted. */
export type Git = (args: readonly string[]) => Promise<GitAnswer | undefined>;

/** Finds git's state of a file's path. */
export async function gitState(path: string, git: Git = runGit): Promise<GitState> {
  const repository = await findRepository(dirname(path));
  if (repository === undefined) {
    return { repository, ignored: false, tracked: false, why: undefined };
  }
  return { repository, ...await askGit(repository, path, git) ?? await look(repository, path) };
}

/**
 * The innermost repository around a folder. Its `.git` is a file in worktrees and submodules. An
 * empty folder of that name is no repository: git continues above it.
 */
async function findRepository(folder: string): Promise<string | undefined> {
  for (let at = folder;; at = dirname(at)) {
    const info = await Deno.lstat(join(at, ".git")).catch(() => undefined);
    if (info && (!info.isDirectory || await isThere(join(at, ".git", "HEAD")))) return at;
    if (dirname(at) === at) return undefined;
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** The state of a path, without its repository. */
type PathState = Omit<GitState, "repository">;

/** Asks git. Undefined if it is missing. */
async function askGit(repository: string, path: string, git: Git): Promise<PathState | undefined> {
  const inside = async (...args: string[]) => await git(["-C", repository, ...args]);
  const place = await inside("rev-parse", "--show-toplevel", "--absolute-git-dir");
  // Without developer tools, macOS has a placeholder for git that fails in its own way.
  if (!place || (place.code !== 0 && place.code !== 128)) return undefined;
  if (place.code !== 0) return untold("git cannot read the repository");
  const [folder = "", gitFolder = ""] = place.out.split(/\r?\n/);
  // Variables such as GIT_DIR, which git sets in hooks, lead to another repository.
  const same = await samePlace(folder, repository) &&
    await samePlace(gitFolder, await gitFolderOf(repository));
  if (!same) return untold("git is set to use another repository");
  const name = relative(repository, path).replaceAll(sep, "/");
  const caseless = Deno.build.os === "linux" ? "" : ",icase";
  const listed = await inside("ls-files", "-z", "--", `:(top,literal${caseless})${name}`);
  const ignored = await inside("check-ignore", "--quiet", "--no-index", "--", `./${name}`);
  if (listed?.code !== 0 || !ignored || ignored.code > 1) {
    return untold("git cannot read the repository");
  }
  return { tracked: listed.out !== "", ignored: ignored.code === 0, why: undefined };
}

/** The unknown state of a path. */
function untold(why: string): PathState {
  return { tracked: undefined, ignored: undefined, why };
}

async function samePlace(one: string, other: string | undefined): Promise<boolean> {
  if (one === "" || other === undefined) return false;
  const real = (path: string) => Deno.realPath(path).catch(() => path);
  return await real(one) === await real(other);
}

/** The folder of a repository's index: `.git`, or the target of a file with this name. */
async function gitFolderOf(repository: string): Promise<string | undefined> {
  const path = join(repository, ".git");
  const info = await Deno.stat(path).catch(() => undefined);
  if (!info?.isFile) return info && path;
  const text = info.size > LONGEST_POINTER ? "" : await Deno.readTextFile(path).catch(() => "");
  const [, target] = /^gitdir: (.+?)\s*$/.exec(text) ?? [];
  return target === undefined ? undefined : resolve(repository, target);
}

/** The longest `.git` file, in bytes: longer than any path. */
const LONGEST_POINTER = 65_536;

/** Reads the repository's files, without git. */
async function look(repository: string, path: string): Promise<PathState> {
  const name = relative(repository, path).replaceAll(sep, "/");
  const tracked = await isTracked(repository, name);
  const ignored = await ignoresAll(join(dirname(path), ".gitignore")) ? true : undefined;
  const known = tracked !== undefined && ignored !== undefined;
  return { tracked, ignored, why: known ? undefined : NO_GIT };
}

/** Whether the repository's index has a path. */
async function isTracked(repository: string, name: string): Promise<boolean | undefined> {
  const folder = await gitFolderOf(repository);
  if (folder === undefined) return undefined;
  try {
    const index = join(folder, "index");
    // Opening a pipe would wait for its writer.
    if (!(await Deno.stat(index)).isFile) return undefined;
    return await indexHolds(await Deno.readFile(index), name);
  } catch (error) {
    // A repository without any added file has no index.
    return error instanceof Deno.errors.NotFound && await isThere(folder) ? false : undefined;
  }
}

/** Whether a `.gitignore` ignores everything in its folder, regardless of those above it. */
async function ignoresAll(path: string): Promise<boolean> {
  const info = await Deno.lstat(path).catch(() => undefined);
  // Git follows no link with this name.
  if (!info?.isFile) return false;
  return ignoresEverything(await Deno.readTextFile(path).catch(() => ""));
}

/** Whether the text of a `.gitignore` ignores everything, with no exception in a later line. */
export function ignoresEverything(text: string): boolean {
  const lines = text.split(/\r?\n/);
  return lines.lastIndexOf("*") > lines.findLastIndex((line) => line.startsWith("!"));
}

/**
 * Runs git, only for reading. A repository's settings can name programs that git starts. They are
 * disabled, so that a folder from someone else runs nothing here.
 */
export async function runGit(args: readonly string[]): Promise<GitAnswer | undefined> {
  try {
    const child = spawn("git", {
      args: ["-c", "core.fsmonitor=false", ...args],
      env: { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    });
    const { code, stdout } = await child.output();
    return { code, out: new TextDecoder().decode(stdout) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.NotCapable) return undefined;
    if (error instanceof Deno.errors.PermissionDenied) return undefined;
    throw error;
  }
}
