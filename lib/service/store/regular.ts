/**
 * Checks before a file of the data folder is opened: opening a pipe waits for ever, and a link leads
 * to another file.
 *
 * @module
 */

import { basename } from "../../config/paths.ts";

/**
 * Refuses what is neither a regular file nor missing. A link is refused whatever its target is.
 *
 * @throws {Error} with the reason in words, or with that of the system.
 */
export async function refuseSpecial(path: string): Promise<void> {
  try {
    const { isFile } = await Deno.lstat(path);
    if (!isFile) throw new Error(`${JSON.stringify(basename(path))} is not a regular file`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
