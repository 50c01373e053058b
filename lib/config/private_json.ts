/**
 * Private JSON files that several processes read and change: one change after the other, with
 * unknown fields kept.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { dirname, join } from "./paths.ts";
import { makePrivateFolder, readPrivateText, writePrivateText } from "./files.ts";
import { type JsonObject, parseJsonFile } from "./json.ts";
import { mayAccess, type Surroundings } from "./surroundings.ts";

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
  await makePrivateFolder(dirname(path), around);
  const { withLock } = await import("./lock.ts");
  return await withLock(`${path}.lock`, around, signal, () =>
    run({
      read: () => readPrivateJson(path, around),
      write: (content) => writePrivateText(path, `${JSON.stringify(content, null, 2)}\n`, around),
    }));
}

/**
 * Removes the private files beside a newly written one, and their locks, if they were last written
 * this much earlier. A file with a held lock stays. Failures to remove are ignored.
 */
export async function removeOlderFiles(path: string, earlierMs: number): Promise<void> {
  const folder = dirname(path);
  if (!mayAccess("read", folder) || !mayAccess("write", folder)) return;
  // Both times are from the file system, so no other clock has to agree with it.
  const oldest = await lastWritten(path) - earlierMs;
  const names = new Set<string>();
  for (const name of await platform.names(folder)) {
    const [, own] = /^(.+\.json)(?:\.lock)?$/.exec(name) ?? [];
    if (own !== undefined) names.add(own);
  }
  for (const name of names) await removeIfOlder(join(folder, name), oldest).catch(() => {});
}

/** Removes a private file and its lock, unless they are newer or in use. */
async function removeIfOlder(path: string, oldest: number): Promise<void> {
  const lock = `${path}.lock`;
  if (await lastWritten(path) >= oldest) return;
  const { withLockIfFree } = await import("./lock.ts");
  await withLockIfFree(lock, async () => {
    // Another process may have written just before it released the lock.
    if (await lastWritten(path) >= oldest) return;
    await platform.remove(path).catch(() => {});
    await platform.remove(lock).catch(() => {});
  });
}

/** When a private file was last written, or its lock created if there is no file. */
async function lastWritten(path: string): Promise<number> {
  const info = await platform.stat(path).catch(() => platform.stat(`${path}.lock`));
  return info.writtenMs ?? Infinity;
}
