/**
 * Reading what may have been put there by somebody else: regular files only, and not too much.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { type FileState, platform } from "../platform/mod.ts";
import { fileError, shellWord } from "./file_errors.ts";

/** The largest file of settings that is read, in bytes: 1 MiB. */
export const LARGEST_SETTINGS = 1_048_576;

/**
 * The bytes of a file of settings. A folder from somebody else may have a device, a pipe or a huge
 * file in its place, directly or by a link: none of those is read.
 *
 * @throws {ConfigError} when it is no file, or larger than 1 MiB.
 * @throws {Error} with the code `ENOENT` when it is not there.
 */
export async function readBounded(path: string): Promise<Uint8Array<ArrayBuffer>> {
  // Before it is opened: to open a pipe means to wait for whoever writes to it.
  refuseUnbounded(path, await platform.stat(path));
  // It may grow while it is read.
  const bytes = await platform.readStart(path, LARGEST_SETTINGS + 1);
  if (bytes.length > LARGEST_SETTINGS) throw tooLarge(path);
  return bytes;
}

/** Refuses what cannot be a file of settings. */
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
    hint: "A file of settings is a few lines long. Move it away if it is not yours.",
  });
}

/** An error as the system gives it. */
function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
