/**
 * A data folder as a whole: which files it holds, and how they go.
 *
 * @module
 */

import { fileReason } from "../../file_reason.ts";
import { dirname, join } from "../../config/paths.ts";
import { ConfigError } from "../../errors.ts";
import { lockFolder } from "./lock.ts";

/** The database's file in a data folder. */
export const DATABASE = "service.db";

/** The files that SQLite keeps beside the database. */
const BESIDE = ["-wal", "-shm", "-journal"].map((end) => DATABASE + end);

/** The database's files. It goes last itself: until then, what is left shows that it was ours. */
export const DATABASE_FILES: readonly string[] = [
  asideOf(`${DATABASE}-wal`),
  ...BESIDE,
  DATABASE,
];

/** The name that a restore gives to the log of a damaged database. */
export function asideOf(log: string): string {
  return `${log}.old`;
}

/** The admin secret's file, which every data folder has from its first start on. */
export const SECRET = "admin.secret";

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
    : (await infoOf(join(folder, SECRET)))?.isFile !== true
    ? `it is not a data folder of the service (${SECRET} is missing)`
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

/** What is at a path, or undefined when nothing is. */
export async function infoOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.NotADirectory) return undefined;
    throw new ConfigError(`Cannot read ${JSON.stringify(dirname(path))}: ${fileReason(error)}`, {
      hint: "Use a folder of your own.",
      cause: error,
    });
  }
}

/** Lets a missing file pass. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
