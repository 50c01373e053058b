/**
 * Puts a backup in the place of a folder's database. Until the last step, which is one rename, the old
 * data is whole; after it, the new data is.
 *
 * @module
 */

import { join } from "node:path";
import { syncFolder } from "../../config/durable_file.ts";
import { ConfigError } from "../../errors.ts";
import { codeOf, fileReason, remedyOf } from "../../file_reason.ts";
import { temporaryName } from "../../temporary_name.ts";
import { type BackupNote, checkBackup, extractBackup } from "./backup.ts";
import { connect } from "./sqlite/connection.ts";
import { asideOf, DATABASE } from "./data_folder.ts";
import { refuseLinks } from "./links.ts";
import { removeUnfinished } from "./leftovers.ts";
import { lockFolder } from "./lock.ts";
import { stepsDone } from "./sqlite/migrate.ts";
import { isBusy } from "./sqlite/patience.ts";
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
 * @throws {ConfigError} when it is no good backup, a server holds the folder, another program has the
 * database open, or the folder holds data that must not be there.
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
  const temporary = temporaryName(file);
  try {
    refuseLinks(file);
    if (isNew && await isThere(file)) throw notEmpty(folder);
    await extractBackup(path, note, temporary);
    checkWhole(temporary);
    await settleLog(file);
    await Deno.rename(temporary, file);
    await syncFolder(folder);
    return note;
  } catch (error) {
    throw cannotRestore(folder, error);
  } finally {
    await removeUnfinished(temporary);
    await lock.release();
  }
}

/** The error for a disk or a system that does not take the files. */
function cannotRestore(folder: string, error: unknown): unknown {
  if (error instanceof ConfigError || codeOf(error) === undefined) return error;
  return new ConfigError(
    `Cannot restore the backup into ${JSON.stringify(folder)}: ${fileReason(error)}`,
    { hint: remedyOf(error) ?? "Pass a folder that you can write, with --data DIR", cause: error },
  );
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
 *
 * @throws {ConfigError} when another program reads the database. Without its log, the old database
 * would lose its latest changes if the restore failed later.
 */
async function settleLog(file: string): Promise<void> {
  const log = `${file}-wal`;
  const state = await isThere(file) ? bringIn(file) : "damaged";
  if (state === "in use") throw inUse(file);
  if (state === "damaged" && await isThere(log)) await Deno.rename(log, asideOf(log));
  for (const left of [log, `${file}-shm`]) {
    if (await isThere(left)) await Deno.remove(left);
  }
  await syncFolder(join(file, ".."));
}

/** Copies a database's log into its file. "in use": another program still needs a part of the log. */
function bringIn(file: string): "whole" | "in use" | "damaged" {
  try {
    const connection = connect(file);
    try {
      const [log] = connection.rows("PRAGMA wal_checkpoint(TRUNCATE)");
      // A reader may keep the log although all of it is in the file.
      return log?.busy === 0 || log?.log === log?.checkpointed ? "whole" : "in use";
    } finally {
      connection.close();
    }
  } catch (error) {
    return isBusy(error) ? "in use" : "damaged";
  }
}

function inUse(file: string): ConfigError {
  return new ConfigError(
    `Cannot restore a backup over ${JSON.stringify(file)}: another program has it open`,
    { hint: "Close that program, such as sqlite3, and try again. Nothing was changed." },
  );
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
