/**
 * Writing public files, completely or not at all.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { join } from "./paths.ts";
import { ConfigError } from "../errors.ts";
import { fileError } from "./file_errors.ts";
import { shellWord } from "./shell_word.ts";
import { codeOf } from "../file_reason.ts";
import { temporaryName } from "../temporary_name.ts";
import { readBounded } from "./read_bounded.ts";

/** A file before it was written. */
interface FormerFile {
  /** Its path. */
  path: string;
  /** Its bytes. Undefined when it was missing. */
  bytes: Uint8Array | undefined;
}

/**
 * The current file at a path.
 *
 * @throws {ConfigError} when it exists and cannot be read, or is a symbolic link.
 */
export async function formerFile(path: string): Promise<FormerFile> {
  await refuseLink(path);
  try {
    return { path, bytes: await readBounded(path) };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { path, bytes: undefined };
    throw fileError("read", path, error);
  }
}

/**
 * Refuses to write to a symbolic link: its target may be any other file.
 *
 * @throws {ConfigError} when the path is a symbolic link.
 */
export async function refuseLink(path: string): Promise<void> {
  const info = await platform.lstat(path).catch(() => undefined);
  if (!info?.isSymlink) return;
  throw new ConfigError(`Cannot write ${JSON.stringify(path)}: it is a symbolic link`, {
    hint: `Replace it with the file itself, or remove the link: rm ${shellWord(path)}`,
  });
}

/**
 * Replaces a file. Its mode stays.
 *
 * @throws {ConfigError} when it cannot be written.
 */
export async function replaceFile(former: FormerFile, bytes: Uint8Array): Promise<void> {
  const temporary = temporaryName(former.path);
  try {
    await platform.writeNewFile(temporary, bytes);
    if (former.bytes && platform.os !== "windows") {
      const { mode } = await platform.stat(former.path);
      if (mode !== null) await platform.chmod(temporary, mode & 0o777);
    }
    await platform.rename(temporary, former.path);
  } catch (error) {
    await platform.remove(temporary).catch(() => {});
    throw fileError("write", former.path, error);
  }
}

/** Restores a file, as far as possible. */
export async function restoreFile(former: FormerFile): Promise<void> {
  const { path, bytes } = former;
  await (bytes ? replaceFile(former, bytes) : platform.remove(path)).catch(() => {});
}

/**
 * Checks that files can be written in a folder, by writing one. It leaves nothing behind.
 *
 * @throws {ConfigError} when they cannot.
 */
export async function checkFolderWrite(folder: string): Promise<void> {
  const temporary = join(folder, `.${crypto.randomUUID()}.tmp`);
  try {
    await platform.writeNewFile(temporary, new Uint8Array());
  } catch (error) {
    throw fileError("write", join(folder, "cli.toml"), error);
  } finally {
    await platform.remove(temporary).catch(() => {});
  }
}
