/**
 * The folders on PATH, and those where a launcher can be installed.
 *
 * @module
 */

import { delimiter, isAbsolute, join, resolve, sep } from "node:path";

/** The input of a search. */
export interface Search {
  /** The value of PATH. */
  path: string;
  /** The user's home folder. */
  home: string | undefined;
}

/** The folders on PATH in their order, without those that npm and `deno task` prepend. */
export function pathFolders({ path }: Search): string[] {
  const folders = path.split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.split(/[\\/]/).includes("node_modules"))
    .map((folder) => resolve(folder));
  return [...new Set(folders)];
}

/**
 * The folders for a launcher, best first: writable folders on PATH in the user's home. Without one
 * it is `~/.local/bin`, which is not on PATH yet.
 */
export async function goodFolders(search: Search): Promise<string[]> {
  const { home } = search;
  if (home === undefined) return [];
  const usual = [join(home, ".local", "bin"), join(home, "bin")];
  const own = pathFolders(search).filter((folder) => folder.startsWith(home + sep));
  const sorted = [...usual.filter((folder) => own.includes(folder)), ...own];
  const good: string[] = [];
  for (const folder of new Set(sorted)) if (await isWritable(folder)) good.push(folder);
  return good.length > 0 ? good : usual.slice(0, 1);
}

/** Whether a file can be created in a folder, or the folder itself. */
async function isWritable(folder: string): Promise<boolean> {
  const info = await Deno.stat(folder).catch(() => undefined);
  if (!info) return true;
  if (!info.isDirectory) return false;
  const probe = join(folder, `.cli-${crypto.randomUUID()}`);
  return await Deno.writeTextFile(probe, "", { createNew: true })
    .then(() => Deno.remove(probe)).then(() => true, () => false);
}

/** The programs named `cli` on PATH before a folder, or all of them if it is not on PATH. */
export async function othersBefore(
  folder: string,
  names: readonly string[],
  search: Search,
): Promise<string[]> {
  const folders = pathFolders(search);
  const place = folders.indexOf(folder);
  const found: string[] = [];
  for (const before of place < 0 ? folders : folders.slice(0, place)) {
    for (const name of names) {
      const path = join(before, name);
      const info = await Deno.stat(path).catch(() => undefined);
      if (info?.isFile && (info.mode === null || info.mode & 0o111)) found.push(path);
    }
  }
  return found;
}
