/**
 * Private JSON files that several processes read and change: one change after the other, with
 * unknown fields kept.
 *
 * @module
 */

import { readPrivateText } from "./files.ts";
import { type JsonObject, parseJsonFile } from "./json.ts";
import { dirname } from "./paths.ts";
import type { Surroundings } from "./surroundings.ts";

/** A private file while its lock is held. */
export interface HeldFile {
  /** The file's current content. Undefined when it is missing. */
  read(): Promise<JsonObject | undefined>;
  /** Replaces the file's content. When it returns, the new content is on the disk. */
  write(content: JsonObject): Promise<void>;
}

/**
 * The content of a private file, or undefined when it is missing or may not be read.
 *
 * @throws {ConfigError} when it is readable by others or does not contain a JSON object.
 */
export async function readPrivateJson(
  path: string,
  around: Surroundings,
): Promise<JsonObject | undefined> {
  const text = await readPrivateText(path, around);
  return text === undefined ? undefined : parseJsonFile(path, text);
}

/**
 * Runs a function while nobody else can change a private file. Creates the file's folder, and the
 * lock file `PATH.lock` in it. Otherwise like `withLock`.
 */
export async function holdPrivateJson<T>(
  path: string,
  around: Surroundings,
  signal: AbortSignal | undefined,
  run: (file: HeldFile) => Promise<T>,
): Promise<T> {
  // Most commands only read.
  const { makePrivateFolder, writePrivateText } = await import("./write_files.ts");
  const { withLock } = await import("./lock.ts");
  await makePrivateFolder(dirname(path), around);
  return await withLock(`${path}.lock`, around, signal, () =>
    run({
      read: () => readPrivateJson(path, around),
      write: (content) => writePrivateText(path, `${JSON.stringify(content, null, 2)}\n`, around),
    }));
}
