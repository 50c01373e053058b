/**
 * Snapshots: backups with a name, in a folder inside of the data folder. A snapshot gets its name when
 * it is whole and on the disk. One process at a time changes the folder.
 *
 * @module
 */

import { join } from "node:path";
import { refuseSpecial } from "./regular.ts";
import { syncFolder } from "../../config/durable_file.ts";
import { fileReason } from "../../file_reason.ts";
import { Cancelled, ConfigError, UsageError } from "../../errors.ts";
import { nameOfLeftover } from "../../temporary_name.ts";
import { type BackupNote, checkBackup, readNote, saveBackup } from "./backup.ts";
import { DATABASE } from "./data_folder.ts";

/** The folder of the snapshots, in the data folder. */
const FOLDER = "snapshots";

/** The ending of a snapshot's file. */
const ENDING = ".snapshot";

/** The longest name of a snapshot, in characters. */
const LONGEST_NAME = 64;

/** A snapshot in a list. */
export interface Snapshot {
  /** Its name. */
  name: string;
  /** Its file. */
  file: string;
  /** The size of its database, in bytes; null when its file does not say. */
  bytes: number | null;
  /** When it was made, in milliseconds since 1970; null when its file does not say. */
  made_at: number | null;
  /** The time of its oldest project; null without a project, or when its file does not say. */
  project_time: number | null;
  /** The number of its schema's last step; null when its file does not say. */
  schema: number | null;
  /** The version of the program that made it; null when its file does not say. */
  version: string | null;
  /** Whether it can be restored. */
  sound: boolean;
  /** Why it cannot be restored, or null. */
  problem: string | null;
}

/** Who changes the folder of the snapshots. */
interface Changer {
  /** The data folder. */
  folder: string;
  /** Ends the wait for another process that changes snapshots. */
  signal?: AbortSignal | undefined;
}

/** Devices of Windows: no file there has such a name, whatever its ending is. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Whether a text can be the name of a snapshot. */
export function isSnapshotName(text: string): boolean {
  return text.length <= LONGEST_NAME && /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/.test(text) &&
    !DEVICES.test(text);
}

/**
 * The file of a snapshot, which may not exist.
 *
 * @throws {UsageError} when no snapshot can have the name.
 */
export function snapshotFile(folder: string, name: string): string {
  if (isSnapshotName(name)) return join(folder, FOLDER, name + ENDING);
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  const why = name.length > LONGEST_NAME
    ? `it is longer than ${LONGEST_NAME} characters`
    : DEVICES.test(name)
    ? "it is the name of a device on Windows"
    : "a name has only small letters, digits, - and _, and begins and ends with a letter or digit";
  throw new UsageError(`Cannot use ${JSON.stringify(shown)} as the name of a snapshot: ${why}`, {
    hint: "Use a name such as before-migration.",
  });
}

/**
 * The file of a snapshot. `hint` is that of the error when there is none.
 *
 * @throws {UsageError} when no snapshot can have the name.
 * @throws {ConfigError} when there is no such snapshot.
 */
export async function findSnapshot(
  folder: string,
  name: string,
  hint = "See the snapshots with: cli service snapshot list",
): Promise<string> {
  const file = snapshotFile(folder, name);
  await refuseLink(join(folder, FOLDER));
  const found = await lookAt(file);
  if (found?.isFile) return file;
  const why = found ? "it is not a regular file" : "there is no such snapshot";
  const message = `Cannot find the snapshot ${JSON.stringify(name)} in ${folder}: ${why}`;
  throw new ConfigError(message, { hint });
}

/**
 * Saves the data of a folder, which may be in use, as a snapshot. An existing snapshot of the name is
 * replaced only when `replaces` says so, and stays whole until the new one is on the disk.
 *
 * @throws {ConfigError} when there is no data, the name is taken, or another process holds the folder.
 */
export async function saveSnapshot(
  changer: Changer,
  name: string,
  { now, replaces }: { now: number; replaces: boolean },
): Promise<BackupNote> {
  const { folder } = changer;
  const file = snapshotFile(folder, name);
  if (!(await lookAt(join(folder, DATABASE)))?.isFile) {
    throw new ConfigError(`Cannot save a snapshot of ${JSON.stringify(folder)}: it has no data`, {
      hint: "Pass the data folder of the service: --data DIR",
    });
  }
  await makeFolder(join(folder, FOLDER));
  return await inTurn(changer, async () => {
    if (!replaces && await lookAt(file)) throw taken(name);
    return await saveBackup(join(folder, DATABASE), file, now);
  });
}

/** The error for a name that a snapshot has. */
function taken(name: string): ConfigError {
  return new ConfigError(`Cannot save the snapshot ${JSON.stringify(name)}: the name is taken`, {
    hint: `Use another name, or replace it with: cli service snapshot save ${name} -y`,
  });
}

/**
 * The snapshots of a data folder, by name. Each one is read to check it; one that cannot be read is
 * listed with the reason.
 *
 * @throws {ConfigError} when the folder of the snapshots cannot be read.
 */
export async function listSnapshots(folder: string): Promise<Snapshot[]> {
  const found: Snapshot[] = [];
  for (const name of await namesIn(folder)) {
    const snapshot = await describe(folder, name);
    if (snapshot) found.push(snapshot);
  }
  return found;
}

/** How many snapshots a data folder has. None of them is read. */
export async function countSnapshots(folder: string): Promise<number> {
  return (await namesIn(folder)).length;
}

/** The names of the snapshots of a data folder, in order. */
async function namesIn(folder: string): Promise<string[]> {
  const place = join(folder, FOLDER);
  await refuseLink(place);
  const names: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(place)) {
      const base = name.slice(0, -ENDING.length);
      if (isFile && name.endsWith(ENDING) && isSnapshotName(base)) names.push(base);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw failed("read", place, error);
  }
  return names.sort();
}

/** Describes a snapshot; undefined when it was deleted meanwhile. */
async function describe(folder: string, name: string): Promise<Snapshot | undefined> {
  const file = snapshotFile(folder, name);
  let note: BackupNote | undefined;
  let problem: string | null = null;
  try {
    note = await readNote(file);
    await checkBackup(file);
  } catch (error) {
    if (await lookAt(file) === undefined) return undefined;
    problem = reasonOf(error);
  }
  return {
    name,
    file,
    bytes: note?.bytes ?? null,
    made_at: note?.made_at ?? null,
    project_time: note?.project_time ?? null,
    schema: note?.schema ?? null,
    version: note?.version ?? null,
    sound: problem === null,
    problem,
  };
}

/** Why a backup cannot be restored, without the beginning of the sentence. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ConfigError)) throw error;
  return error.message.replace(/^Cannot (?:restore|read) "(?:[^"\\]|\\.)*": /, "");
}

/**
 * Deletes a snapshot.
 *
 * @throws {ConfigError} when there is none, or another process holds the folder.
 */
export async function deleteSnapshot(changer: Changer, name: string): Promise<void> {
  const { folder } = changer;
  await findSnapshot(folder, name);
  await inTurn(changer, async () => {
    await Deno.remove(await findSnapshot(folder, name));
    await syncFolder(join(folder, FOLDER));
  });
}

/** Changes the folder while no other process does, and removes what killed ones have left. */
async function inTurn<T>({ folder, signal }: Changer, change: () => Promise<T>): Promise<T> {
  const place = join(folder, FOLDER);
  const path = join(place, LOCK);
  using lock = await refuseSpecial(path)
    .then(() => Deno.open(path, { create: true, write: true, mode: 0o600 }))
    .catch((error: unknown) => {
      throw failed("write to", path, error);
    });
  // A wait in the kernel could not be ended.
  while (!await lock.tryLock(true)) {
    if (signal?.aborted) throw new Cancelled("Cannot change the snapshots: interrupted");
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  for await (const { name } of Deno.readDir(place)) {
    if (nameOfLeftover(name)?.endsWith(ENDING)) {
      await Deno.remove(join(place, name)).catch(() => {});
    }
  }
  return await change();
}

/** The file that is locked by the process that changes the folder. The system frees it. */
const LOCK = "lock";

/** How long to wait before the next look at the lock, in milliseconds. */
const WAIT_MS = 20;

/** Makes a folder for its owner alone, and closes one that is there. */
async function makeFolder(folder: string): Promise<void> {
  await refuseLink(folder);
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    if (Deno.build.os !== "windows") await Deno.chmod(folder, 0o700);
  } catch (error) {
    throw failed("write to", folder, error);
  }
}

/**
 * Refuses a symbolic link in place of the folder: files elsewhere would be listed, changed and deleted.
 *
 * @throws {ConfigError} when it is one.
 */
async function refuseLink(place: string): Promise<void> {
  if (!(await lookAt(place))?.isSymlink) return;
  throw new ConfigError(
    `Cannot use the snapshots in ${JSON.stringify(place)}: it is a symbolic link`,
    { hint: "Replace the link with a folder that contains the snapshots." },
  );
}

/** What is at a path itself, links not followed, or undefined. */
async function lookAt(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw failed("look at", path, error);
  }
}

function failed(action: string, path: string, cause: unknown): ConfigError {
  return new ConfigError(`Cannot ${action} ${JSON.stringify(path)}: ${fileReason(cause)}`, {
    hint: "Check that the folder exists and is yours.",
    cause,
  });
}
