/**
 * Databases that did not get their name.
 *
 * @module
 */

/** Removes a database that was to get another name, with SQLite's files beside it. */
export async function removeUnfinished(temporary: string): Promise<void> {
  for (const end of ["", "-journal", "-wal", "-shm"]) {
    await Deno.remove(temporary + end).catch(() => {});
  }
}
