/**
 * Reading and writing settings files. A private file contains a token: only its owner may open it,
 * from its first byte on, and it is replaced completely or not at all.
 *
 * @module
 */

import { sharedMode } from "../file_mode.ts";
import { ConfigError } from "../errors.ts";
import { type FileState, platform } from "../platform/mod.ts";
import { NotPermitted } from "../platform/types.ts";
import { fileError, isMissing } from "./file_errors.ts";
import { shellWord } from "../shell_word.ts";
import { codeOf } from "../file_reason.ts";
import { basename, dirname, join } from "./paths.ts";
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

/** Closes a file to other users, if it is a file and that is possible. */
export async function closeToOthers(path: string, around: Surroundings): Promise<void> {
  const info = hasModes(around) ? await fileInfo(path) : undefined;
  if (info?.isFile) await platform.chmod(path, 0o600).catch(() => {});
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
 * Replaces a private file: a reader sees the old text or the new one, and after a crash one of the
 * two exists. The caller holds the file's lock, so temporary files beside it are leftovers of a
 * dead process, and are removed.
 *
 * @throws {ConfigError} when it cannot be written, or the existing file is readable by others.
 */
export async function writePrivateText(
  path: string,
  text: string,
  around: Surroundings,
): Promise<void> {
  await makePrivateFolder(dirname(path), around);
  const present = hasModes(around) ? await fileInfo(path) : undefined;
  if (present) refuseExposed(path, present, "file", around);
  try {
    await removeLeftovers(path);
    const { replaceFile } = await import("./durable_file.ts");
    await replaceFile(path, text);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/**
 * Checks that a private file can be written, by writing beside it. It leaves nothing behind.
 *
 * @throws {ConfigError} when it cannot be written. It names the reason and the remedy.
 */
export async function checkPrivateWrite(path: string, around: Surroundings): Promise<void> {
  const folder = dirname(path);
  const isNew = await fileInfo(folder) === undefined;
  await makePrivateFolder(folder, around);
  const [{ temporaryName }, { writeNewFile }] = await Promise.all([
    import("../temporary_name.ts"),
    import("./durable_file.ts"),
  ]);
  const temporary = temporaryName(path);
  try {
    await writeNewFile(temporary, "{}\n");
  } catch (error) {
    throw fileError("write", path, error);
  } finally {
    await platform.remove(temporary).catch(() => {});
    // Another process may use it already; then it stays.
    if (isNew) await platform.remove(folder).catch(() => {});
  }
}

/** Removes a file. A missing file counts as removed. */
export async function removeFile(path: string): Promise<void> {
  try {
    await platform.remove(path);
  } catch (error) {
    if (!isMissing(error)) throw fileError("remove", path, error);
  }
}

/**
 * Makes a folder that only its owner may enter. Its parent must exist.
 *
 * @throws {ConfigError} when it cannot be made, the existing one is open to others, or the
 * surroundings are read-only.
 */
export async function makePrivateFolder(path: string, around: Surroundings): Promise<void> {
  if (around.readOnly) throw new ConfigError(`Cannot write to ${path}: it may only be read`);
  if (!mayAccess("write", path)) throw fileError("write", path, new NotPermitted());
  try {
    await platform.makeFolder(path, 0o700);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileError("create", path, error);
    const info = hasModes(around) ? await fileInfo(path) : undefined;
    if (info) refuseExposed(path, info, "folder", around);
  }
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
function refuseExposed(
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
async function fileInfo(path: string): Promise<FileState | undefined> {
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

/** Removes the leftovers of a process that died while writing this file. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  if (!mayAccess("read", folder)) return;
  for (const name of await platform.names(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".tmp")) continue;
    await platform.remove(join(folder, name)).catch(() => {});
  }
}

/** A path with its links resolved, or undefined when that is impossible. */
async function realPath(path: string): Promise<string | undefined> {
  return await platform.realPath(path).catch(() => undefined);
}
