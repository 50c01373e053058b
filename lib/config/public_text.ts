/**
 * Writing files that anyone may read, as a whole or not at all.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { join } from "./paths.ts";
import { codeOf, fileError } from "./files.ts";

/** A file as it was before it was written. */
export interface FormerFile {
  /** Where it is, links resolved. */
  path: string;
  /** Its bytes. Undefined when it was not there. */
  bytes: Uint8Array | undefined;
}

/**
 * The file at a path as it is now. A link is followed: it is the file that people share.
 *
 * @throws {ConfigError} when it is there and cannot be read.
 */
export async function formerFile(path: string): Promise<FormerFile> {
  const real = await platform.realPath(path).catch(() => path);
  try {
    return { path: real, bytes: await platform.readFile(real) };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { path: real, bytes: undefined };
    throw fileError("read", path, error);
  }
}

/**
 * Replaces a file. Its mode stays.
 *
 * @throws {ConfigError} when it cannot be written.
 */
export async function replaceFile(former: FormerFile, bytes: Uint8Array): Promise<void> {
  const temporary = `${former.path}.${crypto.randomUUID()}.tmp`;
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

/** Puts a file back as it was, as far as that can be done. */
export async function restoreFile(former: FormerFile): Promise<void> {
  const { path, bytes } = former;
  await (bytes ? replaceFile(former, bytes) : platform.remove(path)).catch(() => {});
}

/**
 * Makes sure that files can be written in a folder, by writing one. Nothing is left of that.
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
