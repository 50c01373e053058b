/**
 * Puts a backup in the place of a folder's database. Until the last step, which is one rename, the old
 * data is whole; after it, the new data is.
 *
 * @module
 */

import { join } from "node:path";
import { syncFolder } from "../../config/durable_file.ts";
import { ConfigError } from "../../errors.ts";
import { type BackupNote, checkBackup, extractBackup } from "./backup.ts";
import { connect } from "./sqlite/connection.ts";
import { DATABASE } from "./data_folder.ts";
import { refuseLinks } from "./links.ts";
import { lockFolder } from "./lock.ts";
import { stepsDone } from "./sqlite/migrate.ts";
import { migrations } from "./migrations/mod.ts";
import { damaged } from "./sqlite/unusable.ts";

/** Whether a folder holds data that a restored backup would replace. */
export async function hasData(folder: string): Promise<boolean> {
  return (await Deno.stat(join(folder, DATABASE)).catch(() => undefined))?.isFile === true;
}

/**
 * Restores a backup into a data folder, which is made if need be. With `isNew` the folder must not
 * hold data.
 *
 * @throws {ConfigError} when it is no good backup, a server holds the folder, or it holds data that
 * must not be there.
 */
export async function restoreBackup(
  path: string,
  folder: string,
  { isNew = false } = {},
): Promise<BackupNote> {
  const note = await checkBackup(path);
  const lock = await lockFolder(folder, isNew ? "start" : "restore");
  const file = join(folder, DATABASE);
  // If this process is killed, the next one that takes the folder removes it.
  const temporary = `${file}.${crypto.randomUUID()}.tmp`;
  try {
    refuseLinks(file);
    if (isNew && await isThere(file)) throw notEmpty(folder);
    await extractBackup(path, note, temporary);
    checkWhole(temporary);
    await settleLog(file);
    await Deno.rename(temporary, file);
    await syncFolder(folder);
    return note;
  } finally {
    await Deno.remove(temporary).catch(() => {});
    await lock.release();
  }
}

function notEmpty(folder: string): ConfigError {
  return new ConfigError(
    `Cannot start a copy in ${JSON.stringify(folder)}: it already holds data`,
    {
      hint: "Use another folder with --data, or start what is there: leave out --from.",
    },
  );
}

/** Makes sure that an extracted database can be used, before it takes the place of another. */
function checkWhole(file: string): void {
  const connection = connect(file);
  try {
    stepsDone(connection, migrations, file);
    const [first] = connection.rows("PRAGMA quick_check(1)");
    if (first?.quick_check !== "ok") throw damaged(file, String(first?.quick_check));
  } finally {
    connection.close();
  }
}

/**
 * Brings the old database's log into its file. A log that stayed would be taken for one of the new
 * database. One that cannot be brought in is moved aside: its database is damaged.
 */
async function settleLog(file: string): Promise<void> {
  const log = `${file}-wal`;
  if (!await isThere(file) || !closesCleanly(file)) {
    if (await isThere(log)) await Deno.rename(log, `${log}.old`);
  }
  for (const left of [log, `${file}-shm`]) {
    if (await isThere(left)) await Deno.remove(left);
  }
  await syncFolder(join(file, ".."));
}

/** Opens and closes a database, which empties its log. Returns whether that worked. */
function closesCleanly(file: string): boolean {
  try {
    const connection = connect(file);
    try {
      const [log] = connection.rows("PRAGMA wal_checkpoint(TRUNCATE)");
      return log?.busy === 0;
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
