/**
 * Private JSON files that several processes read and change: one change after the other, fields
 * that this version does not know kept.
 *
 * @module
 */

import { dirname } from "./paths.ts";
import { makePrivateFolder, readPrivateText, writePrivateText } from "./files.ts";
import { type JsonObject, parseJsonFile } from "./json.ts";
import { withLock } from "./lock.ts";
import type { Surroundings } from "./surroundings.ts";

/** A private file while its lock is held. */
export interface HeldFile {
  /** What the file holds now. Undefined when it is not there. */
  read(): Promise<JsonObject | undefined>;
  /** Replaces what the file holds. When it returns, the new content is on the disk. */
  write(content: JsonObject): Promise<void>;
}

/**
 * What a private file holds, or undefined when it is not there or may not be read.
 *
 * @throws {ConfigError} when it is exposed to others or holds no JSON object.
 */
export async function readPrivateJson(
  path: string,
  around: Surroundings,
): Promise<JsonObject | undefined> {
  const text = await readPrivateText(path, around);
  return text === undefined ? undefined : parseJsonFile(path, text);
}

/**
 * Runs something while nobody else can change a private file. Makes the file's folder, and the lock
 * file `PATH.lock` in it. Otherwise as `withLock`.
 */
export async function holdPrivateJson<T>(
  path: string,
  around: Surroundings,
  signal: AbortSignal | undefined,
  run: (file: HeldFile) => Promise<T>,
): Promise<T> {
  await makePrivateFolder(dirname(path), around);
  return await withLock(`${path}.lock`, around, signal, () =>
    run({
      read: () => readPrivateJson(path, around),
      write: (content) => writePrivateText(path, `${JSON.stringify(content, null, 2)}\n`, around),
    }));
}
