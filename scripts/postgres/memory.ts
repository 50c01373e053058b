/**
 * A folder in memory for the data of a server whose data nobody needs afterwards.
 *
 * @module
 */

import { statfs } from "node:fs/promises";

/** Where Linux keeps files in memory. Deno lets only programs with all permissions use it. */
const MEMORY = "/dev/shm";

/** What a server of the tests may need, in bytes. In many containers there are only 64 MiB. */
const NEEDED = 3 * 2 ** 30;

/** How much room there is in a folder: blocks that are free, and the bytes of each. */
type Room = { bavail: number; bsize: number };

/** The folder in memory, if there is one with enough room. */
export async function findMemory(
  roomIn: (folder: string) => Promise<Room> = (folder) => statfs(folder),
): Promise<string | undefined> {
  try {
    const { bavail, bsize } = await roomIn(MEMORY);
    return bavail * bsize >= NEEDED ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}
