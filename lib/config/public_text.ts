/**
 * Writing files that anyone may read, as a whole or not at all.
 *
 * @module
 */

import { join } from "./paths.ts";
import { fileError } from "./files.ts";

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
  const real = await Deno.realPath(path).catch(() => path);
  try {
    return { path: real, bytes: await Deno.readFile(real) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { path: real, bytes: undefined };
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
    await Deno.writeFile(temporary, bytes, { createNew: true });
    if (former.bytes && Deno.build.os !== "windows") {
      const { mode } = await Deno.stat(former.path);
      if (mode !== null) await Deno.chmod(temporary, mode & 0o777);
    }
    await Deno.rename(temporary, former.path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw fileError("write", former.path, error);
  }
}

/** Puts a file back as it was, as far as that can be done. */
export async function restoreFile(former: FormerFile): Promise<void> {
  const { path, bytes } = former;
  await (bytes ? replaceFile(former, bytes) : Deno.remove(path)).catch(() => {});
}

/**
 * Makes sure that files can be written in a folder, by writing one. Nothing is left of that.
 *
 * @throws {ConfigError} when they cannot.
 */
export async function checkFolderWrite(folder: string): Promise<void> {
  const temporary = join(folder, `.${crypto.randomUUID()}.tmp`);
  try {
    await Deno.writeFile(temporary, new Uint8Array(), { createNew: true });
  } catch (error) {
    throw fileError("write", join(folder, "cli.toml"), error);
  } finally {
    await Deno.remove(temporary).catch(() => {});
  }
}
