/**
 * Files that a crash, a full disk or a power cut leaves whole: the old text or the new one. They are
 * for their owner alone from the first byte on.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { dirname } from "./paths.ts";

/**
 * Replaces a file, or makes it. The text is on the disk before it gets its name, and the name is on
 * the disk when this returns. On a failure the former file stays and nothing else is left.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await writeNewFile(temporary, text);
    await platform.rename(temporary, path);
  } catch (error) {
    await platform.remove(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes a file that was not there, readable by its owner alone from the start, down to the disk. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await platform.writeNewFile(path, new TextEncoder().encode(text), { mode: 0o600, sync: true });
}

/** Brings new and changed names in a folder to the disk, on systems where a folder can be synced. */
export async function syncFolder(path: string): Promise<void> {
  await platform.syncFolder(path);
}
