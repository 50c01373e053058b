/**
 * The log of commits, and bringing it to the disk. SQLite would wait for the disk inside of COMMIT, and
 * with it all that this thread does. So COMMIT only hands the log to the system, and a thread of the
 * runtime waits for the disk, while reads go on from the state before.
 *
 * @module
 */

import { fileReason } from "../../../file_reason.ts";
import { StoreError } from "../failure.ts";
import type { Say } from "../work.ts";
import type { Connection } from "./connection.ts";
import { USUAL_CHECKPOINT } from "./log_size.ts";

/** The log of a database, for the connection that writes. */
export interface CommitLog {
  /**
   * Resolves when every commit so far is on the disk. No commit may be told or shown before.
   *
   * @param units How many units of work the last commit holds.
   * @throws {StoreError} when the disk failed, now or before: from then on nobody knows what it holds.
   */
  toDisk(units: number): Promise<void>;
  /** Throws that error if the disk failed before. */
  check(): void;
  /** Whether the disk has failed. */
  hasFailed(): boolean;
  /** Notes that the disk has failed elsewhere, such as while the log was copied. */
  fail(error: unknown): void;
  /** Whether the log is so long that it should be copied into the database. */
  isLong(): boolean;
  /** Copies the log into the database, as far as nobody reads from the state before. */
  copy(): void;
  /** Sets the length from which on it is long, in pages. */
  allow(pages: number): void;
  /** Closes the file. To be called before the connection is closed. */
  close(): void;
}

/** The parts of a file that are used here. */
export type LogFile = Pick<
  Deno.FsFile,
  "syncData" | "syncDataSync" | "seekSync" | "readSync" | "close"
>;

/** The header of the log, in bytes, and that of each page in it. */
const HEADER = 32;
const PAGE_HEADER = 24;

/** The places of the numbers that change each time the log starts afresh, eight bytes in each header. */
const SALTS = 16;
const PAGE_SALTS = 8;

/**
 * From so many units of work on, a commit waits for the disk on this thread. The disk takes a small part
 * of the time then, and requests that have arrived meanwhile are taken together, which takes a tenth
 * less of the processor than to take each when it arrives.
 */
const MANY_UNITS = 16;

/**
 * Takes over the log of a connection, which no longer waits for the disk. The log of a database is
 * there while the database is open. What an earlier process has left in it is on the disk then.
 *
 * @returns undefined where the file system cannot sync a file in this way, and nothing is changed.
 */
export function openCommitLog(
  connection: Connection,
  file: string,
  say: Say,
  open: (path: string) => LogFile = openToSync,
): CommitLog | undefined {
  const log = open(`${file}-wal`);
  try {
    log.syncDataSync();
  } catch (error) {
    log.close();
    if (isUnsupported(error)) return undefined;
    throw error;
  }
  const pageSize = Number(connection.rows("PRAGMA page_size")[0]?.page_size);
  // The header of a log that starts afresh still waits for the disk in SQLite.
  connection.rows("PRAGMA synchronous = NORMAL");
  connection.rows("PRAGMA wal_autocheckpoint = 0");
  let longFrom = USUAL_CHECKPOINT;
  let failure: StoreError | undefined;
  const check = () => {
    if (failure) throw failure;
  };
  const fail = (error: unknown): StoreError => {
    failure ??= lostTrack(error);
    say(`${failure.message}. Changes return 503 until the service starts again`);
    return failure;
  };
  return {
    check,
    hasFailed: () => failure !== undefined,
    async toDisk(units) {
      check();
      try {
        if (units < MANY_UNITS) await log.syncData();
        else log.syncDataSync();
      } catch (error) {
        throw fail(error);
      }
    },
    fail: (error) => void fail(error),
    isLong: () => {
      const place = HEADER + (longFrom - 1) * (PAGE_HEADER + pageSize) + PAGE_SALTS;
      const salts = eightBytes(log, SALTS);
      return salts !== undefined && salts === eightBytes(log, place);
    },
    copy: () => void connection.rows("PRAGMA wal_checkpoint(PASSIVE)"),
    allow: (pages) => void (longFrom = pages),
    close: () => log.close(),
  };
}

/** Opens a file whose data is brought to the disk. Some systems do that for those who may write. */
function openToSync(path: string): LogFile {
  return Deno.openSync(path, { read: true, write: true });
}

/** Whether an error says that a file system has no such call. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Deno.errors.NotSupported ||
    error instanceof Error && "code" in error && UNSUPPORTED.has(error.code);
}

const UNSUPPORTED: ReadonlySet<unknown> = new Set(["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** The error after which commits may be on the disk or not. */
function lostTrack(thrown: unknown): StoreError {
  const error = thrown instanceof StoreError ? thrown.cause ?? thrown : thrown;
  return new StoreError(`Cannot bring changes to the disk: ${fileReason(error)}`, {
    failure: "disk_failed",
    hint: "Check the disk, then start the service again.",
    cause: error,
  });
}

const room = new Uint8Array(8);
const number = new DataView(room.buffer);

/** Eight bytes of a file as one number, or undefined behind its end. */
function eightBytes(file: LogFile, at: number): bigint | undefined {
  file.seekSync(at, Deno.SeekMode.Start);
  return file.readSync(room) === room.length ? number.getBigUint64(0) : undefined;
}
