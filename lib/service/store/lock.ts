/**
 * One server per data folder: locks that the system drops with their holder, however that ends, and
 * a note beside them that says where the holder can be reached. A lock file alone can be deleted, so
 * the folder itself is locked as well. The database file is not: on macOS that would shut SQLite out.
 *
 * @module
 */

import { fileReason, remedyOf } from "../../file_reason.ts";
import { join } from "../../config/paths.ts";
import { replaceFile } from "../../config/durable_file.ts";
import { ConfigError } from "../../errors.ts";
import { nameOfLeftover } from "../../temporary_name.ts";
import { refuseSpecial } from "./regular.ts";

/** A data folder that is ours until we let it go. */
export interface FolderLock {
  /** The folder. */
  readonly folder: string;
  /** Removes the note, then lets the folder go. A second call does nothing. */
  release(): Promise<void>;
}

/** Where a server can be reached. */
interface ServerAddress {
  /** Its process id. */
  pid: number;
  /** Its base URL, such as `http://127.0.0.1:4010`. */
  base_url: string;
  /** When it started, in milliseconds since 1970. */
  started_at: number;
}

/** What is known about a data folder's server. */
interface ServerState {
  /** Whether a server holds the folder at this moment. */
  held: boolean;
  /** The server's own note. Without `held` it is from one that was killed, and out of date. */
  address: ServerAddress | undefined;
}

const LOCK = "service.lock";
const NOTE = "service.json";

/** The files of the folder that get their names when they are whole. */
const WRITTEN_WHOLE: readonly string[] = ["admin.secret", NOTE, "service.db"];

const TRIES = 20;
const WAIT_MS = 10;

/** What a data folder is taken for. */
type LockPurpose = "start" | "reset" | "restore" | "move";

/**
 * Takes a data folder, which is created if need be.
 *
 * @throws {ConfigError} when another server holds it, or it cannot be written.
 */
export async function lockFolder(
  folder: string,
  purpose: LockPurpose = "start",
): Promise<FolderLock> {
  const file = await openLock(folder);
  const itself = await openFolder(folder);
  const letGo = () => {
    if (itself) unlock(itself);
    unlock(file);
  };
  if (!await tryForAWhile(file) || itself && !await tryForAWhile(itself)) {
    letGo();
    throw await alreadyHeld(folder, purpose);
  }
  try {
    await removeLeftovers(folder);
  } catch (error) {
    letGo();
    throw unusable(folder, error);
  }
  let released = false;
  return {
    folder,
    release: async () => {
      if (released) return;
      released = true;
      try {
        await removeIfThere(join(folder, NOTE));
      } finally {
        letGo();
      }
    },
  };
}

/**
 * Notes where the server that holds the folder can be reached.
 *
 * @throws {ConfigError} when the folder cannot be written.
 */
export async function writeAddress({ folder }: FolderLock, address: ServerAddress): Promise<void> {
  try {
    await replaceFile(join(folder, NOTE), JSON.stringify(address) + "\n");
  } catch (error) {
    throw unusable(folder, error);
  }
}

/**
 * Tells whether a server holds the folder, and where it can be reached. Changes nothing.
 *
 * @throws {ConfigError} when the folder cannot be read.
 */
export async function readAddress(folder: string): Promise<ServerState> {
  try {
    return { held: await isHeld(folder), address: await readNote(folder) };
  } catch (error) {
    throw unusable(folder, error);
  }
}

/**
 * Makes sure that no server holds a data folder. Changes nothing.
 *
 * @throws {ConfigError} when one does, or the folder cannot be read.
 */
export async function refuseHeld(folder: string): Promise<void> {
  if ((await readAddress(folder)).held) throw await alreadyHeld(folder, "start");
}

async function openLock(folder: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    await refuseSpecial(join(folder, LOCK));
    return await Deno.open(join(folder, LOCK), { create: true, write: true, mode: 0o600 });
  } catch (error) {
    throw unusable(folder, error);
  }
}

/**
 * Closes a file that may be locked. To close it is not enough: a program that this process starts at
 * the same moment has it open, too, until the system runs that program, and the lock with it.
 */
function unlock(file: Deno.FsFile): void {
  try {
    file.unlockSync();
  } catch {
    // It was not locked.
  }
  file.close();
}

/** Opens the folder itself, on systems where that can be done and locked. */
async function openFolder(folder: string): Promise<Deno.FsFile | undefined> {
  try {
    const itself = await Deno.open(folder);
    // Network drives that cannot lock a folder fail here, and not with "no".
    if (await itself.tryLock(false)) await itself.unlock();
    return itself;
  } catch {
    return undefined;
  }
}

function unusable(folder: string, cause: unknown): ConfigError {
  const isNoFolder = cause instanceof Deno.errors.AlreadyExists ||
    cause instanceof Deno.errors.NotADirectory;
  const reason = isNoFolder ? "it is not a folder" : fileReason(cause);
  return new ConfigError(`Cannot use the data folder ${JSON.stringify(folder)}: ${reason}`, {
    hint: remedyOf(cause) ?? "Pass a folder that you can write, with --data DIR",
    cause,
  });
}

/** Tries again for a moment: `readAddress` holds the lock while it looks. */
async function tryForAWhile(file: Deno.FsFile): Promise<boolean> {
  for (let left = TRIES; left > 0; left--) {
    if (await file.tryLock(true)) return true;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  return false;
}

async function alreadyHeld(folder: string, purpose: LockPurpose): Promise<ConfigError> {
  const address = await readNote(folder);
  const holder = address ? `process ${address.pid} at ${address.base_url}` : "another process";
  if (purpose !== "start") {
    return new ConfigError(
      `Cannot ${ACTIONS[purpose]} ${JSON.stringify(folder)}: the service is running (${holder})`,
      { hint: "Stop it first with Ctrl-C in its terminal." },
    );
  }
  return new ConfigError(
    `Cannot start a service on the data folder ${JSON.stringify(folder)}: ${holder} is using it`,
    { hint: "Use that service, stop it, or use another folder: cli service start --data DIR" },
  );
}

/** What cannot be done while a service runs. */
const ACTIONS = {
  reset: "delete the data in",
  restore: "restore a backup over",
  move: "move data to",
} as const;

async function isHeld(folder: string): Promise<boolean> {
  await refuseSpecial(join(folder, LOCK));
  return await isLocked(join(folder, LOCK)) || await isLocked(folder).catch(() => false);
}

/** Whether somebody has locked a file or folder. One that is not there is not locked. */
async function isLocked(path: string): Promise<boolean> {
  try {
    using file = await Deno.open(path);
    if (!await file.tryLock(false)) return true;
    await file.unlock();
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function readNote(folder: string): Promise<ServerAddress | undefined> {
  try {
    await refuseSpecial(join(folder, NOTE));
    const note: unknown = JSON.parse(await Deno.readTextFile(join(folder, NOTE)));
    return isAddress(note) ? note : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isAddress(note: unknown): note is ServerAddress {
  return typeof note === "object" && note !== null &&
    "pid" in note && typeof note.pid === "number" &&
    "base_url" in note && typeof note.base_url === "string" &&
    "started_at" in note && typeof note.started_at === "number";
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Removes an old note, and what a process that was killed in the middle of a write has left. */
async function removeLeftovers(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const isOld = name === NOTE || WRITTEN_WHOLE.includes(nameOfLeftover(name) ?? "");
    if (isOld) await removeIfThere(join(folder, name));
  }
}
