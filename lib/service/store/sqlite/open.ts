/**
 * Opens the store: the file, its schema, its writer and its reader.
 *
 * @module
 */

import { dirname } from "../../../config/paths.ts";
import { temporaryName } from "../../../temporary_name.ts";
import { createCommitCounter } from "../commit_sizes.ts";
import { infoIfThere } from "../file_info.ts";
import { fixed } from "../fixed.ts";
import { refuseLinks } from "../links.ts";
import { guardStore, type Store, type StoreOptions } from "../store.ts";
import { type CommitLog, openCommitLog } from "./commit_log.ts";
import { isFailedSync } from "./errors.ts";
import { connect, type Connection } from "./connection.ts";
import { migrate, stepsDone } from "./migrate.ts";
import { migrations } from "../migrations/mod.ts";
import { LARGEST_LOG, LATE_CHECKPOINT, USUAL_CHECKPOINT, USUAL_LOG } from "./log_size.ts";
import { createLogKeeper, THREAD_WAIT_MS } from "./patience.ts";
import { createReader } from "./reader.ts";
import { checkContent, checkFile, checkSchema, isAsWritten, schemaOf } from "./soundness.ts";
import { unusableDatabase } from "./unusable.ts";
import { misuse, plainly, type Say } from "../work.ts";
import { createWriter } from "./writer.ts";

const MEMORY = ":memory:";

/**
 * Opens the database, creates it if need be, and brings its schema up to date.
 *
 * @throws {ConfigError} when the file cannot be used, or its schema is newer than this version.
 */
export function openStore(options: StoreOptions): Store {
  const { file, clock = () => 0, say = () => {}, backwards } = options;
  if (file === MEMORY) return guardStore(storeInMemory(clock(), backwards));
  try {
    return guardStore(storeOnDisk({ file, clock, say, backwards }));
  } catch (error) {
    throw unusableDatabase(file, error);
  }
}

/** The options of a file, with their defaults. */
interface FileOptions extends StoreOptions {
  /** The time, in milliseconds since 1970. */
  clock: () => number;
  /** Told in words of other programs that disturb. */
  say: Say;
}

function storeOnDisk({ file, clock, say, backwards }: FileOptions): Store {
  refuseLinks(file);
  checkFile(file);
  const isNew = !infoIfThere(file);
  if (isNew) createForOwner(file, clock());
  const connection = connect(file, { backwards });
  let log: CommitLog | undefined;
  try {
    // Before anything changes: another version may have made it.
    stepsDone(connection, migrations, file);
    if (!isNew) checkContent(connection, file, clock);
    // The answer tells the mode that is used from now on: some network drives allow no log.
    const [answer] = connection.rows("PRAGMA journal_mode = WAL");
    if (answer?.journal_mode !== "wal") throw misuse("the drive does not allow a write-ahead log");
    const now = clock();
    migrate(connection, migrations, { file, now });
    // To make the tables a second time takes long, so it only happens to name a difference.
    if (!isNew && !isAsWritten(connection, migrations)) {
      checkSchema(connection, memory(now).schema, file);
    }
    connection.rows(`PRAGMA busy_timeout = ${THREAD_WAIT_MS}`);
    log = openCommitLog(connection, file, say);
  } catch (error) {
    connection.close();
    throw error;
  }
  const reader = createReader(() =>
    connect(file, { backwards, readOnly: true, waitMs: THREAD_WAIT_MS })
  );
  const commits = createCommitCounter();
  const writer = createWriter(connection, { reader, log, say, committed: commits.note });
  const keeper = createLogKeeper(connection, file, say);
  return {
    others: undefined,
    figures: () => ({ commits: commits.sizes(), connections: undefined }),
    shrinkLog: () =>
      writer.between(() => {
        if (log?.hasFailed()) return;
        reader.letGo();
        try {
          keeper.shrink();
        } catch (error) {
          if (isFailedSync(error)) log?.fail(error);
          throw error;
        }
      }),
    write: (work) => writer.run(work, "write"),
    writeMuch: postponeCheckpoints(connection, log),
    isLost: () => log?.hasFailed() ?? false,
    read: reader.run,
    probe: (access) => access === "read" ? reader.run(look) : writer.run(touch, "write"),
    close: async () => {
      await writer.idle();
      await reader.close();
      log?.close();
      // To close the last connection copies the log, and not all of it may be right: a start checks it.
      if (!log?.hasFailed()) connection.close();
    },
  };
}

/** Creates a function that lets the log grow while it runs something. */
function postponeCheckpoints(
  connection: Connection,
  log: CommitLog | undefined,
): Store["writeMuch"] {
  let running = 0;
  const allow = (pages: number, length: number) => {
    if (log) log.allow(pages);
    else connection.rows(`PRAGMA wal_autocheckpoint = ${pages}`);
    // A log that is cut at each start would take its place on the disk anew.
    connection.rows(`PRAGMA journal_size_limit = ${length}`);
  };
  return async (run) => {
    if (++running === 1) allow(LATE_CHECKPOINT, LARGEST_LOG);
    try {
      return await run();
    } finally {
      if (--running === 0) allow(USUAL_CHECKPOINT, USUAL_LOG);
    }
  };
}

/** Memory has no second connection: reads queue up with the writes, and are undone. */
function storeInMemory(now: number, backwards: boolean | undefined): Store {
  const connection = connect(MEMORY, { backwards, image: memory(now).image });
  const commits = createCommitCounter();
  const writer = createWriter(connection, { committed: commits.note });
  return {
    others: undefined,
    figures: () => ({ commits: commits.sizes(), connections: undefined }),
    write: (work) => writer.run(work, "write"),
    read: (work) => writer.run(work, "read"),
    probe: (access) => writer.run(access === "read" ? look : touch, access),
    writeMuch: (run) => run(),
    shrinkLog: () => Promise.resolve(),
    close: async () => {
      await writer.idle();
      connection.close();
    },
  };
}

/** Reads a row. */
const look = plainly(async (tx) => void await fixed`select id from accounts limit 1`.execute(tx));

/** Writes the first page as it was: even the same number makes SQLite write it. */
const touch = plainly(async (tx) => void await fixed`PRAGMA user_version = 0`.execute(tx));

/** An empty database. */
interface Empty {
  /** Its bytes. */
  image: Uint8Array;
  /** The statements that made its tables. */
  schema: readonly string[];
}

/** An empty database with its schema, which takes 1 ms to make and a third of that to copy. */
let empty: Empty | undefined;

function memory(now: number): Empty {
  return empty ??= makeEmpty(now);
}

function makeEmpty(now: number): Empty {
  const connection = connect(MEMORY);
  migrate(connection, migrations, { file: MEMORY, now });
  const made = { image: connection.image(), schema: schemaOf(connection) };
  connection.close();
  return made;
}

/**
 * Creates folder and file for their owner alone. SQLite gives its other files the same rights. The
 * file gets its name when it is whole and on the disk, so that an empty one is never ours.
 */
function createForOwner(file: string, now: number): void {
  const folder = dirname(file);
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  // If this process is killed, the next one that takes the folder removes it.
  const temporary = temporaryName(file);
  try {
    writeToDisk(temporary, makeEmpty(now).image);
    Deno.renameSync(temporary, file);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  syncNames(folder);
}

/** Writes a new file, for its owner alone, down to the disk. */
function writeToDisk(file: string, bytes: Uint8Array): void {
  using opened = Deno.openSync(file, { createNew: true, write: true, mode: 0o600 });
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(opened.writeSync(rest));
  opened.syncSync();
}

function removeQuietly(file: string): void {
  try {
    Deno.removeSync(file);
  } catch {
    // It was not made.
  }
}

/** Brings the names in a folder to the disk, on systems where that can be done. */
function syncNames(folder: string): void {
  try {
    using opened = Deno.openSync(folder);
    opened.syncSync();
  } catch {
    // Windows cannot open a folder, and some network drives cannot sync one.
  }
}
