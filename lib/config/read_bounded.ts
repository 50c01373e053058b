/**
 * Reading files that may come from someone else: only regular files, up to a size limit.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { type FileState, platform } from "../platform/mod.ts";
import { fileError } from "./file_errors.ts";
import { shellWord } from "./shell_word.ts";

/** The size limit of a settings file, in bytes: 1 MiB. */
export const LARGEST_SETTINGS = 1_048_576;

/**
 * The bytes of a settings file. A folder from someone else may have a device, a pipe or a huge file
 * in its place, directly or by a link: none of those is read.
 *
 * @throws {ConfigError} when it is not a file, or larger than 1 MiB.
 * @throws {Error} with the code `ENOENT` when it is missing.
 */
export async function readBounded(path: string): Promise<Uint8Array<ArrayBuffer>> {
  // Before it is opened: opening a pipe waits for its writer.
  refuseUnbounded(path, await platform.stat(path));
  // It may grow while it is being read.
  const bytes = await platform.readStart(path, LARGEST_SETTINGS + 1);
  if (bytes.length > LARGEST_SETTINGS) throw tooLarge(path);
  return bytes;
}

/** Refuses paths that cannot be a settings file. */
function refuseUnbounded(path: string, info: FileState): void {
  if (info.isDirectory) throw fileError("read", path, coded("EISDIR"));
  if (!info.isFile) {
    throw new ConfigError(`Cannot read ${JSON.stringify(path)}: it is not a regular file`, {
      hint: `Look at it with: ls -lL ${shellWord(path)}`,
    });
  }
  if (info.size > LARGEST_SETTINGS) throw tooLarge(path);
}

function tooLarge(path: string): ConfigError {
  return new ConfigError(`Cannot read ${JSON.stringify(path)}: it is larger than 1 MiB`, {
    hint: "A settings file has only a few lines. Move it away if it is not yours.",
  });
}

/** An error in the system's form. */
function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
