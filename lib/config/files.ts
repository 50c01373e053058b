/**
 * Reading settings files. A private file contains a token, so only its owner may open it.
 *
 * @module
 */

import { sharedMode } from "../file_mode.ts";
import { ConfigError } from "../errors.ts";
import { type FileState, platform } from "../platform/mod.ts";
import { fileError, isMissing } from "./file_errors.ts";
import { shellWord } from "./shell_word.ts";
import { dirname, join } from "./paths.ts";
import { readBounded } from "./read_bounded.ts";
import { hasModes, mayAccess, type Surroundings } from "./surroundings.ts";

/**
 * The text of a file that anyone may read, or undefined when it is not there or may not be read.
 *
 * @throws {ConfigError} when it is there and cannot be read, or is not UTF-8.
 */
export async function readOptionalText(path: string): Promise<string | undefined> {
  return await fileInfo(path) ? await decodedText(path) : undefined;
}

/**
 * The text of a file without secrets whose problems must not stop anything, or undefined when there
 * is no such file, or it may not be read. Invalid bytes become replacement characters.
 */
export async function readLooseText(path: string): Promise<string | undefined> {
  if (!(await fileInfo(path))?.isFile) return undefined;
  return new TextDecoder().decode(await readBounded(path).catch(() => undefined));
}

/**
 * The text of a private file, or undefined when it is missing or may not be read.
 *
 * @throws {ConfigError} when others can open the file or its folder, or one of them is a link.
 */
export async function readPrivateText(
  path: string,
  around: Surroundings,
): Promise<string | undefined> {
  const info = await fileInfo(path);
  if (!info) return undefined;
  if (hasModes(around)) {
    const folder = await fileInfo(dirname(path));
    if (folder) refuseExposed(dirname(path), folder, "folder", around);
    refuseExposed(path, info, "file", around);
  }
  return await decodedText(path);
}

/**
 * The nearest file of this name in the working folder or above it. Unreadable places count as
 * empty, and so does `except`, under any of its names.
 */
export async function findUpward(
  around: Surroundings,
  name: string,
  except?: string,
): Promise<string | undefined> {
  const avoided = except && await realPath(except);
  for (let folder = around.cwd; folder !== undefined;) {
    const path = join(folder, name);
    const there = await fileInfo(path) !== undefined;
    if (there && (avoided === undefined || await realPath(path) !== avoided)) return path;
    const parent = dirname(folder);
    folder = parent === folder ? undefined : parent;
  }
  return undefined;
}

/**
 * Refuses a private file or folder that others can open, that belongs to another user, or that has
 * the wrong kind.
 */
export function refuseExposed(
  path: string,
  info: FileState,
  wanted: "file" | "folder",
  around: Surroundings,
): void {
  const mode = wanted === "file" ? "600" : "700";
  const word = shellWord(path);
  const refuse = (why: string, hint: string) => {
    // An unusable folder cannot store anything; a file has already been exposed.
    const cause = wanted === "folder" ? why : undefined;
    throw new ConfigError(`Cannot use ${JSON.stringify(path)}: ${why}`, { hint, cause });
  };
  if (info.isSymlink) {
    refuse(
      "it is a symbolic link",
      `Replace it with the ${wanted} itself, then run: chmod ${mode} ${word}`,
    );
  }
  if (wanted === "file" ? !info.isFile : !info.isDirectory) {
    refuse(`it is not a ${wanted}`, `Move it away: mv ${word} ${word}.old`);
  }
  const user = around.userId ?? platform.userId();
  // The root user could change any file anyway.
  if (user !== undefined && info.owner !== null && info.owner !== user && info.owner !== 0) {
    refuse("it belongs to another user", `If you trust its contents, run: chown ${user} ${word}`);
  }
  const shared = sharedMode(info.mode);
  if (shared !== undefined) refuse(`others can open it (${shared})`, `Run: chmod ${mode} ${word}`);
}

/**
 * The entry at a path, without following links. Undefined when there is none, or it may not be
 * read.
 */
export async function fileInfo(path: string): Promise<FileState | undefined> {
  if (!mayAccess("read", path)) return undefined;
  try {
    return await platform.lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError("read", path, error);
  }
}

/** The text of a file, without a byte order mark. */
async function decodedText(path: string): Promise<string> {
  const bytes = await readBounded(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError(`Cannot read ${JSON.stringify(path)}: it is not UTF-8 text`, {
      hint: "Save the file as UTF-8.",
    });
  }
}

/** A path with its links resolved, or undefined when that is impossible. */
async function realPath(path: string): Promise<string | undefined> {
  return await platform.realPath(path).catch(() => undefined);
}
