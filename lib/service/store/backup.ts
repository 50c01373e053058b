/**
 * Backups: one file with the whole database as of one moment, and at its end a line that says what it
 * is, with a checksum. SQLite reads no further than its own pages, so any SQLite program opens it.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { syncFolder } from "../../config/durable_file.ts";
import { fileReason, remedyOf } from "../../file_reason.ts";
import { ConfigError } from "../../errors.ts";
import { temporaryName } from "../../temporary_name.ts";
import { VERSION } from "../../version.ts";
import { dirname, resolve } from "node:path";
import { isFull } from "./failure.ts";
import { connect } from "./sqlite/connection.ts";
import { removeUnfinished } from "./leftovers.ts";
import { refuseLinks } from "./links.ts";
import { migrations } from "./migrations/mod.ts";

/** What a backup says of itself. */
export interface BackupNote {
  /** Always `service-backup`. */
  format: "service-backup";
  /** The version of the program that made it. */
  version: string;
  /** The number of the schema's last step. */
  schema: number;
  /** When it was made, in milliseconds since 1970. */
  made_at: number;
  /** The time of its oldest project then; null without a project. Older versions noted none. */
  project_time?: number | null;
  /** How many bytes the database has. */
  bytes: number;
  /** The SHA-256 of those bytes, in lower-case hexadecimal digits. */
  sha256: string;
}

const CHUNK = 1 << 20;

/** The last line is never longer. */
const LONGEST_NOTE = 1024;

/**
 * Saves a database that may be in use. The file gets its name when it is whole and on the disk; until
 * then a former backup of that name stays.
 *
 * @throws {ConfigError} when there is no such database, it is damaged, a folder or a file that is no
 * backup has the name, or the file cannot be created.
 */
export async function saveBackup(
  database: string,
  path: string,
  now: number,
): Promise<BackupNote> {
  if (await sizeOf(database) === undefined) {
    throw new ConfigError(`Cannot back up ${JSON.stringify(database)}: there is no database`, {
      hint: "Pass the data folder of the service: --data DIR",
    });
  }
  refuseLinks(database);
  await refuseOther(path);
  const temporary = temporaryName(resolve(path));
  await createEmpty(temporary, path);
  try {
    const about = await copyInto(database, temporary, now);
    const note = await endWithNote(temporary, about);
    await Deno.rename(temporary, path);
    await syncFolder(dirname(resolve(path)));
    return note;
  } catch (error) {
    await removeUnfinished(temporary);
    // Only the copy is written.
    if (isFull(error)) {
      throw new ConfigError(`Cannot write the backup ${JSON.stringify(path)}: the disk is full`, {
        hint:
          "Free some space, or choose another folder. A previous backup of that name is unchanged.",
        cause: error,
      });
    }
    throw failed("back up", database, error);
  }
}

/**
 * Reads what a backup says of itself, and checks all of it.
 *
 * @throws {ConfigError} when it is no backup, was cut off or changed, or is of a newer version.
 */
export async function checkBackup(path: string): Promise<BackupNote> {
  const note = await readNote(path);
  if (note === undefined) {
    throw unusable(path, "it is not a backup of the service, or it is truncated");
  }
  if (note.schema > migrations.length) {
    throw unusable(
      path,
      `version ${note.version} made it, with the schema ${note.schema}; ` +
        `this version supports up to ${migrations.length}`,
      "Use the program version that made it, or a later one.",
    );
  }
  const found = await sumUp(path, note.bytes).catch((error) => {
    throw failed("read", path, error);
  });
  if (found.bytes !== note.bytes || found.sha256 !== note.sha256) {
    throw unusable(path, "its checksum does not match; the file was changed or damaged");
  }
  return note;
}

/** Writes a backup's database to a new file, for its owner alone, down to the disk. */
export async function extractBackup(path: string, note: BackupNote, target: string): Promise<void> {
  using file = await Deno.open(target, { write: true, createNew: true, mode: 0o600 });
  const hash = createHash("sha256");
  await readInto(path, note.bytes, async (chunk) => {
    hash.update(chunk);
    await writeAll(file, chunk);
  });
  if (hash.digest("hex") !== note.sha256) {
    throw unusable(path, "the file changed during the restore");
  }
  await file.sync();
}

/** What the last line of a file says, if it is that of a backup. */
export async function readNote(path: string): Promise<BackupNote | undefined> {
  try {
    // Before it is opened: opening a pipe waits for its writer.
    if (!(await Deno.stat(path)).isFile) return undefined;
    using file = await Deno.open(path);
    const { size } = await file.stat();
    const start = Math.max(0, size - LONGEST_NOTE);
    await file.seek(start, Deno.SeekMode.Start);
    const tail = new Uint8Array(size - start);
    for (let at = 0; at < tail.length;) {
      const count = await file.read(tail.subarray(at));
      if (count === null) return undefined;
      at += count;
    }
    const line = /\n(\{[^\n]*\})\n$/.exec(new TextDecoder("latin1").decode(tail))?.[1];
    const note: unknown = line === undefined ? undefined : JSON.parse(line);
    return isNote(note) && note.bytes + (line?.length ?? 0) + 2 === size ? note : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw failed("read", path, error);
  }
}

function isNote(note: unknown): note is BackupNote {
  return typeof note === "object" && note !== null &&
    "format" in note && note.format === "service-backup" &&
    "version" in note && typeof note.version === "string" &&
    "schema" in note && typeof note.schema === "number" &&
    "made_at" in note && typeof note.made_at === "number" &&
    (!("project_time" in note) || note.project_time === null ||
      typeof note.project_time === "number") &&
    "bytes" in note && typeof note.bytes === "number" &&
    "sha256" in note && typeof note.sha256 === "string";
}

/** What the last line says besides the size and the checksum. */
type About = Pick<BackupNote, "schema" | "made_at" | "project_time">;

/** Copies a database as of one moment into an empty file. */
async function copyInto(database: string, target: string, made_at: number): Promise<About> {
  const connection = connect(database);
  try {
    const [known] = connection.rows(
      "SELECT name FROM sqlite_schema WHERE name = 'schema_migrations'",
    );
    if (!known) {
      throw new ConfigError(
        `Cannot back up ${JSON.stringify(database)}: it is not a database of the service`,
        { hint: "Pass the data folder of the service: --data DIR" },
      );
    }
    await connection.copyTo(target);
    return finishCopy(target, made_at);
  } finally {
    connection.close();
  }
}

/** Makes a copy one file that is read without a log beside it, and reads what it says of itself. */
function finishCopy(file: string, made_at: number): About {
  const copy = connect(file);
  try {
    copy.rows("PRAGMA journal_mode = DELETE");
    const [step] = copy.rows("SELECT max(number) AS number FROM schema_migrations");
    const [project] = copy.rows(
      "SELECT coalesce(clock_frozen_at, ? + clock_offset) AS time FROM projects ORDER BY seq LIMIT 1",
      made_at,
    );
    const project_time = project === undefined ? null : Number(project.time);
    return { schema: Number(step?.number ?? 0), made_at, project_time };
  } finally {
    copy.close();
  }
}

/** Adds the last line to a copy, and brings it to the disk. */
async function endWithNote(path: string, about: About): Promise<BackupNote> {
  const note: BackupNote = {
    format: "service-backup",
    version: VERSION,
    ...about,
    ...await sumUp(path, Infinity),
  };
  using file = await Deno.open(path, { append: true });
  await writeAll(file, new TextEncoder().encode(`\n${JSON.stringify(note)}\n`));
  await file.sync();
  return note;
}

/** Refuses to replace a folder, or a file that is no backup. */
async function refuseOther(path: string): Promise<void> {
  if (await sizeOf(path) === undefined) return;
  if ((await Deno.stat(path)).isDirectory) {
    throw unwritable(path, "it is a folder", "Pass the name of a file, also inside that folder.");
  }
  if (await readNote(path) !== undefined) return;
  throw unwritable(
    path,
    "an existing file with this name is not a backup",
    "Choose another name.",
  );
}

/** Creates the file in which a backup is made, beside the place of the backup. */
async function createEmpty(temporary: string, path: string): Promise<void> {
  try {
    (await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 })).close();
  } catch (error) {
    const folder = JSON.stringify(dirname(resolve(path)));
    if (error instanceof Deno.errors.NotFound) {
      const hint = "Create the folder, or choose another one.";
      throw unwritable(path, `there is no folder ${folder}`, hint, error);
    }
    const hint = remedyOf(error) ??
      `Check that you may write to ${folder}, or choose another folder.`;
    throw unwritable(path, fileReason(error), hint, error);
  }
}

/** How many of the first bytes of a file there are, and their SHA-256. */
async function sumUp(path: string, most: number): Promise<Pick<BackupNote, "bytes" | "sha256">> {
  const hash = createHash("sha256");
  const bytes = await readInto(path, most, (chunk) => Promise.resolve(void hash.update(chunk)));
  return { bytes, sha256: hash.digest("hex") };
}

/** Hands over the first bytes of a file in pieces. Returns how many there were. */
async function readInto(
  path: string,
  most: number,
  use: (chunk: Uint8Array) => Promise<void>,
): Promise<number> {
  using file = await Deno.open(path);
  const buffer = new Uint8Array(CHUNK);
  for (let read = 0;;) {
    const count = await file.read(buffer.subarray(0, Math.min(CHUNK, most - read)));
    if (count === null || count === 0) return read;
    await use(buffer.subarray(0, count));
    read += count;
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await file.write(rest));
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw failed("look at", path, error);
  }
}

function unusable(path: string, why: string, hint = "Use another backup."): ConfigError {
  return new ConfigError(`Cannot restore ${JSON.stringify(path)}: ${why}`, { hint });
}

function unwritable(path: string, why: string, hint: string, cause?: unknown): ConfigError {
  return new ConfigError(`Cannot write the backup to ${JSON.stringify(path)}: ${why}`, {
    hint,
    cause,
  });
}

function failed(action: string, path: string, error: unknown): unknown {
  if (error instanceof ConfigError || !(error instanceof Error)) return error;
  const why = fileReason(error).replace(/^Cannot use the database: /, "");
  return new ConfigError(`Cannot ${action} ${JSON.stringify(path)}: ${why}`, {
    hint: remedyOf(error) ??
      "Check that the file is readable and that the disk has enough free space.",
    cause: error,
  });
}
