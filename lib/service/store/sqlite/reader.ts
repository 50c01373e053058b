/**
 * Reads, each from a snapshot: nothing that is written meanwhile is seen. All reads between the same
 * two commits share one snapshot.
 *
 * @module
 */

import type { Connection } from "./connection.ts";
import { runWork, type Work } from "../work.ts";

/** Runs reads. */
export interface Reader {
  /** Reads from a snapshot that holds every commit so far. */
  run<T>(work: Work<T>): Promise<T>;
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
  /** The reads that are going on. */
  reads: Set<Promise<unknown>>;
  /** How many commits the snapshot holds at least. */
  commits: number;
  /** Stands for what the snapshot holds: another object for each. */
  state: object;
}

/** Makes a reader. `open` opens a connection: a second one only while old and new reads overlap. */
export function createReader(open: () => Connection): Reader {
  const snapshots: Snapshot[] = [];
  let commits = 0;

  /** A snapshot that holds every commit so far. It stays open, so that the next read is cheap. */
  function takeSnapshot(): Snapshot {
    const present = snapshots.find((s) => s.commits === commits && s.connection.inTransaction());
    if (present) return present;
    const free = snapshots.find((s) => s.reads.size === 0);
    const snapshot = free ?? { connection: open(), reads: new Set(), commits, state: {} };
    if (!free) snapshots.push(snapshot);
    end(snapshot);
    snapshot.connection.run("BEGIN");
    snapshot.commits = commits;
    snapshot.state = {};
    return snapshot;
  }

  return {
    run: async <T>(work: Work<T>) => {
      const { connection, reads, state } = takeSnapshot();
      const read = runWork(connection, work, "read", state);
      reads.add(read);
      try {
        return await read;
      } finally {
        reads.delete(read);
      }
    },
    letGo: () => snapshots.filter((s) => s.reads.size === 0).forEach(end),
    renew: () => void commits++,
    close: async () => {
      for (const { connection, reads } of snapshots) {
        await Promise.allSettled(reads);
        connection.close();
      }
    },
  };
}

/** Ends the transaction of a snapshot. */
function end({ connection }: Snapshot): void {
  if (connection.inTransaction()) connection.run("COMMIT");
}
