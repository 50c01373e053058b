/**
 * Files that stay complete after a crash, a full disk or a power cut: the old text or the new one.
 * Only their owner can read them, from the first byte on.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { temporaryName } from "../temporary_name.ts";
import { dirname } from "./paths.ts";

/**
 * Replaces or creates a file. The text is on the disk before it gets its name, and the name is on
 * the disk when this returns. After a failure the previous file stays and nothing else is left.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await writeNewFile(temporary, text);
    await platform.rename(temporary, path);
  } catch (error) {
    await platform.remove(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes a new file to the disk, readable by its owner alone from the start. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await platform.writeNewFile(path, new TextEncoder().encode(text), { mode: 0o600, sync: true });
}

/** Syncs the names in a folder to the disk, on systems where a folder can be synced. */
export async function syncFolder(path: string): Promise<void> {
  await platform.syncFolder(path);
}
