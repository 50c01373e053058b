/**
 * The files that faults are put into.
 *
 * @module
 */

import { POSTGRES, roomOf } from "./sample.ts";

/** The folder of PostgreSQL's engine. */
const ENGINE = "lib/service/store/postgres";

/**
 * Those of all files that are named, in the order of the names; all if none is. A folder stands for its
 * files without those of PostgreSQL's room, which has some in other folders: name them, or that engine's
 * folder.
 *
 * @throws {RangeError} when a name is no file.
 */
export function filesNamed(all: readonly string[], names: readonly string[]): readonly string[] {
  if (names.length === 0) return all;
  const chosen = new Set<string>();
  for (const name of names) {
    const isEngine = `${name}/`.startsWith(`${ENGINE}/`);
    const found = all.filter((file) =>
      file === name || file.startsWith(`${name}/`) && (isEngine || roomOf(file) !== POSTGRES)
    );
    for (const file of found) chosen.add(file);
    if (found.length > 0) continue;
    throw new RangeError(`Cannot put faults into "${name}": there is no such file in lib/`);
  }
  return [...chosen];
}

/** Whether some files are all those of their rooms. */
export function areWhole(files: readonly string[], all: readonly string[]): boolean {
  const rooms = new Set(files.map(roomOf));
  const chosen = new Set(files);
  return all.every((file) => !rooms.has(roomOf(file)) || chosen.has(file));
}
