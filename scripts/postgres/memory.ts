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

/** The folder in memory, if there is one with so many bytes to spare. */
export async function findMemory(
  folder: string = MEMORY,
  needed: number = NEEDED,
): Promise<string | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return Number(bavail) * Number(bsize) >= needed ? folder : undefined;
  } catch {
    return undefined;
  }
}
