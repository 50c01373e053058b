/**
 * A data folder as a whole: which files it holds, who can open them, and how they go.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { ConfigError } from "../../errors.ts";
import { lockFolder } from "./lock.ts";

/** The database's file in a data folder. */
export const DATABASE = "service.db";

/** The database's files. The first goes last: until then, what is left shows that it was ours. */
const DATABASE_FILES = [`${DATABASE}-wal`, `${DATABASE}-shm`, DATABASE] as const;

/** The file that every data folder has from its first start on. */
const MARK = "admin.secret";

/**
 * Makes sure that a folder is a data folder. Changes nothing.
 *
 * @throws {ConfigError} when it is not there, or was never used by the service.
 */
export async function checkDataFolder(folder: string): Promise<void> {
  const info = await infoOf(folder);
  const why = !info
    ? "there is no such folder"
    : !info.isDirectory
    ? "it is not a folder"
    : (await infoOf(join(folder, MARK)))?.isFile !== true
    ? `it is not a data folder of the service (${MARK} is missing)`
    : undefined;
  if (why === undefined) return;
  throw new ConfigError(`Cannot delete the data in ${JSON.stringify(folder)}: ${why}`, {
    hint: "Pass the data folder of the service: cli service reset --data DIR",
  });
}

/**
 * Deletes the data in a folder that no server holds. The admin secret stays.
 *
 * @throws {ConfigError} when it is not a data folder, or a server holds it.
 */
export async function resetFolder(folder: string): Promise<void> {
  await checkDataFolder(folder);
  const lock = await lockFolder(folder, "reset");
  try {
    for (const name of DATABASE_FILES) await Deno.remove(join(folder, name)).catch(ignoreMissing);
  } finally {
    await lock.release();
  }
}

/** What of a data folder others can open or change. */
interface Exposure {
  /** The file or folder. */
  path: string;
  /** Its mode, such as `0644`. */
  mode: string;
  /** Whether others can change it, too: for a folder, the names in it. */
  writable: boolean;
  /** What closes it. */
  fix: string;
}

/**
 * What of a data folder is open to others. Windows has no modes of this kind.
 *
 * @throws {ConfigError} when a part of it cannot be looked at.
 */
export async function exposures(folder: string): Promise<Exposure[]> {
  if (Deno.build.os === "windows") return [];
  const found: Exposure[] = [];
  for (const path of [folder, ...DATABASE_FILES.map((name) => join(folder, name))]) {
    const bits = ((await infoOf(path))?.mode ?? 0) & 0o1777;
    if ((bits & 0o077) === 0) continue;
    // In a folder with the sticky bit nobody can move or delete what others own.
    const writable = (bits & 0o1000) === 0 && (bits & 0o002) !== 0;
    const mode = bits.toString(8).padStart(4, "0");
    found.push({ path, mode, writable, fix: `chmod ${path === folder ? 700 : 600} ${path}` });
  }
  return found;
}

/**
 * Closes the database's files to others, and says so. A folder in which anybody can put other files
 * in their place is refused.
 *
 * @throws {ConfigError} when the folder is writable by everybody, or a file cannot be closed.
 */
export async function closeToOthers(
  folder: string,
  report: (message: string) => void,
): Promise<void> {
  for (const { path, mode, writable, fix } of await exposures(folder)) {
    if (path === folder) {
      if (writable) throw openFolder(folder, mode);
      continue;
    }
    try {
      await Deno.chmod(path, 0o600);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message =
        `Cannot use ${JSON.stringify(path)}: other users can read it (mode ${mode}), ` +
        `and its mode cannot be changed: ${why}`;
      throw new ConfigError(message, { hint: `Run: ${fix}`, cause: error });
    }
    report(`Other users could read ${JSON.stringify(path)} (mode ${mode}); now only you can`);
  }
}

function openFolder(folder: string, mode: string): ConfigError {
  const message = `Cannot use the data folder ${JSON.stringify(folder)}: ` +
    `every user can write to it (mode ${mode})`;
  const inner = JSON.stringify(join(folder, "service"));
  return new ConfigError(message, {
    hint: `Run: chmod 700 ${folder}, or use a folder in it: cli service start --data ${inner}`,
  });
}

/** What is at a path, or undefined when nothing is. */
async function infoOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.NotADirectory) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`Cannot read ${JSON.stringify(dirname(path))}: ${why}`, {
      hint: "Use a folder of your own.",
      cause: error,
    });
  }
}

/** Lets a missing file pass. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
