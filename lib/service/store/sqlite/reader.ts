/**
 * Reads, each from a snapshot: nothing that is written meanwhile is seen. All reads between the same
 * two commits share one snapshot.
 *
 * @module
 */

import { StoreError } from "../failure.ts";
import type { Connection } from "./connection.ts";
import { runWork, type Work } from "../work.ts";

/** Runs reads. */
export interface Reader {
  /** Reads from a snapshot that holds every commit so far. */
  run<T>(work: Work<T>): Promise<T>;
  /**
   * Keeps the present state for reads, also for those that start after the next commit and before
   * `renew()` or `unhold()`. Reads fail when that state is lost, and do not see a later one.
   */
  hold(): void;
  /** Ends that, as there was no commit. */
  unhold(): void;
  /** Ends the snapshots that nobody reads from. */
  letGo(): void;
  /** Says that there was a commit: reads that start from now on must see it. */
  renew(): void;
  /** Waits for the reads that are going on, then closes. */
  close(): Promise<void>;
}

/** A connection whose open transaction is a snapshot. */
interface Snapshot {
  /** The connection, for reading only. */
  connection: Connection;
  /** How many reads are going on. */
  reads: number;
  /** Called when the last of them has ended. */
  idle: () => void;
  /** Says that a read has ended. */
  ended(): void;
  /** How many commits the snapshot holds at least. */
  commits: number;
  /** How many errors the connection has had: each may have ended the transaction. */
  errors: number;
  /** Stands for what the snapshot holds: another object for each. */
  state: object;
}

/** Makes a reader. `open` opens a connection: a second one only while old and new reads overlap. */
export function createReader(open: () => Connection): Reader {
  const snapshots: Snapshot[] = [];
  let commits = 0;
  let isHeld = false;

  /** A snapshot that holds every commit so far. It stays open, so that the next read is cheap. */
  function takeSnapshot(): Snapshot {
    for (const one of snapshots) if (one.commits === commits && isOpen(one)) return one;
    if (isHeld) throw lost();
    const free = snapshots.find((s) => s.reads === 0);
    const snapshot = free ?? newSnapshot(open());
    if (!free) snapshots.push(snapshot);
    end(snapshot);
    snapshot.connection.run("BEGIN");
    snapshot.commits = commits;
    snapshot.state = {};
    return snapshot;
  }

  return {
    run: <T>(work: Work<T>) => {
      try {
        const snapshot = takeSnapshot();
        snapshot.reads++;
        return runWork(snapshot.connection, work, "read", snapshot.state, snapshot.ended);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    hold() {
      // SQLite takes the snapshot with the first row that is read.
      takeSnapshot().connection.rows("SELECT 1 FROM sqlite_schema LIMIT 1");
      isHeld = true;
    },
    unhold: () => void (isHeld = false),
    letGo: () => snapshots.filter((s) => s.reads === 0).forEach(end),
    renew() {
      commits++;
      isHeld = false;
    },
    close: async () => {
      for (const snapshot of snapshots) {
        if (snapshot.reads > 0) await new Promise<void>((idle) => snapshot.idle = idle);
        snapshot.connection.close();
      }
    },
  };
}

/** The commits of a snapshot without a transaction. */
const NONE = -1;

function newSnapshot(connection: Connection): Snapshot {
  const snapshot: Snapshot = {
    connection,
    reads: 0,
    idle: () => {},
    ended: () => {
      if (--snapshot.reads === 0) snapshot.idle();
    },
    commits: NONE,
    errors: connection.errors(),
    state: {},
  };
  return snapshot;
}

/** Whether the transaction of a snapshot is open. To ask SQLite takes as long as to find a row. */
function isOpen(snapshot: Snapshot): boolean {
  const errors = snapshot.connection.errors();
  if (errors === snapshot.errors) return true;
  snapshot.errors = errors;
  if (snapshot.connection.inTransaction()) return true;
  // Reads that have begun may still go on, and none may join them.
  snapshot.commits = NONE;
  return false;
}

/** The error of a read whose state is lost while a later commit is not on the disk. */
function lost(): StoreError {
  return new StoreError("Cannot read the database: its state before a commit is lost", {
    failure: "io",
  });
}

/** Ends the transaction of a snapshot. */
function end(snapshot: Snapshot): void {
  const { connection } = snapshot;
  snapshot.commits = NONE;
  if (connection.inTransaction()) connection.run("COMMIT");
}
