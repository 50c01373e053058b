/**
 * Private JSON files that several processes read and change: one change after the other, fields
 * that this version does not know kept.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { dirname, join } from "./paths.ts";
import { makePrivateFolder, readPrivateText, writePrivateText } from "./files.ts";
import { type JsonObject, parseJsonFile } from "./json.ts";
import { withLock, withLockIfFree } from "./lock.ts";
import { mayAccess, type Surroundings } from "./surroundings.ts";

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

/**
 * Removes the private files beside one that has just been written, and their locks, where they were
 * last written so much earlier. One whose lock is held stays. That something cannot be removed is no
 * reason to fail.
 */
export async function removeOlderFiles(path: string, earlierMs: number): Promise<void> {
  const folder = dirname(path);
  if (!mayAccess("read", folder) || !mayAccess("write", folder)) return;
  // Both times are the file system's own, so no other clock has to agree with it.
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
  await withLockIfFree(lock, async () => {
    // Another process may have written just before it gave the lock back.
    if (await lastWritten(path) >= oldest) return;
    await platform.remove(path).catch(() => {});
    await platform.remove(lock).catch(() => {});
  });
}

/** When a private file was last written, or its lock made where there is no file. */
async function lastWritten(path: string): Promise<number> {
  const info = await platform.stat(path).catch(() => platform.stat(`${path}.lock`));
  return info.writtenMs ?? Infinity;
}
