/**
 * Removing private files that nobody uses any more.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { withLockIfFree } from "./lock.ts";
import { dirname, join } from "./paths.ts";
import { mayAccess } from "./surroundings.ts";

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
