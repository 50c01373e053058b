/**
 * A data folder as a whole: which files it holds, and how they go.
 *
 * @module
 */

import { join } from "node:path";
import { lockFolder } from "./lock.ts";

/** The database's file in a data folder. */
export const DATABASE = "service.db";

/** Deletes the data in a folder that no server holds. The admin secret stays. */
export async function resetFolder(folder: string): Promise<void> {
  const lock = await lockFolder(folder, "reset");
  try {
    for (const name of [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`]) {
      await Deno.remove(join(folder, name)).catch(ignoreMissing);
    }
  } finally {
    await lock.release();
  }
}

/** Lets a missing file pass. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
