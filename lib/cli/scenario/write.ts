/**
 * Writing files that may be there already.
 *
 * @module
 */

import { writeFile } from "../data/write_file.ts";

/** Writes a file and its folders. A file that is there stays, unless `force` is true. */
export async function writeNew(path: string, text: string, force: boolean): Promise<boolean> {
  if (!force && await Deno.lstat(path).then(() => true, () => false)) return false;
  await writeFile(path, text);
  return true;
}
