/**
 * Reads, each from a snapshot: nothing that is written meanwhile is seen. Reads that start between
 * the same two commits share one.
 *
 * @module
 */

import type { Connection } from "./connection.ts";
import { runWork, type Work } from "./work.ts";

/** Runs reads. */
export interface Reader {
  /** Reads from a snapshot that holds every commit so far. */
  run<T>(work: Work<T>): Promise<T>;
  /** Says that a commit happened: later reads must see it. */
  renew(): void;
  /** Waits for reads that are going on, then closes. */
  close(): Promise<void>;
}

/** A connection, and the reads that share its transaction. */
interface Snapshot {
  /** The read-only connection whose transaction it is. */
  connection: Connection;
  /** The reads that are going on. */
  reads: Set<Promise<unknown>>;
  /** The number of commits it is sure to hold. */
  commits: number;
}

/** Makes a reader. `open` opens one more connection: one is enough as long as no read waits. */
export function createReader(open: () => Connection): Reader {
  const snapshots: Snapshot[] = [];
  let commits = 0;

  function join(): Snapshot {
    const usable = snapshots.find((s) => s.reads.size === 0 || s.commits === commits);
    const snapshot = usable ?? { connection: open(), reads: new Set(), commits };
    if (!usable) snapshots.push(snapshot);
    if (snapshot.reads.size === 0) {
      snapshot.connection.run("BEGIN");
      snapshot.commits = commits;
    }
    return snapshot;
  }

  return {
    run: async <T>(work: Work<T>) => {
      const snapshot = join();
      const read = runWork(snapshot.connection, work, "read");
      snapshot.reads.add(read);
      try {
        return await read;
      } finally {
        snapshot.reads.delete(read);
        if (snapshot.reads.size === 0) snapshot.connection.run("COMMIT");
      }
    },
    renew: () => void commits++,
    close: async () => {
      for (const { connection, reads } of snapshots) {
        await Promise.allSettled(reads);
        connection.close();
      }
    },
  };
}
