/**
 * Reads, each from a snapshot that holds every commit so far. Reads that wait at the same moment share
 * one snapshot and one connection.
 *
 * @module
 */

import type { StoreError } from "../failure.ts";
import { runWork, type Work } from "../work.ts";
import type { Pool } from "./driver.ts";
import { isLost, type KeyColumns, toStoreError } from "./errors.ts";
import { createSession, type Session } from "./session.ts";

/** Runs reads. */
interface Reader {
  /** Reads from a snapshot. */
  run<T>(work: Work<T>): Promise<T>;
  /** Waits for the reads that are going on. */
  idle(): Promise<void>;
}

/** A read that waits. */
interface Job {
  /** Runs the work, and tells how that went: whether the database refused something. */
  attempt(session: Session, snapshot: object): Promise<Ended>;
  /** Settles the caller's promise for want of any outcome. */
  fail(error: unknown): void;
}

/** How an attempt ended. */
interface Ended {
  /** What the database objected to. Nothing else on the same snapshot works after that. */
  refused?: StoreError;
  /** Settles the caller's promise. */
  tell(): void;
}

/** So many reads share a snapshot at most. */
const LARGEST_GROUP = 16;

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** Makes a reader that uses so many connections at most. */
export function createReader(pool: Pool, keys: () => KeyColumns, most: number): Reader {
  const queue: Job[] = [];
  const running = new Set<Promise<void>>();
  const pump = (): void => {
    while (queue.length > 0 && running.size < most) {
      const group = queue.splice(0, LARGEST_GROUP);
      const run = readTogether(pool, keys(), group).finally(() => {
        running.delete(run);
        pump();
      });
      running.add(run);
    }
  };
  let scheduled = false;
  return {
    run: <T>(work: Work<T>) =>
      new Promise<T>((resolve, fail) => {
        queue.push({
          fail,
          attempt: async (session, snapshot) => {
            try {
              const value = await runWork(session, work, "read", snapshot);
              return { tell: () => resolve(value) };
            } catch (error) {
              const refused = isStoreError(error) ? { refused: error } : {};
              return { ...refused, tell: () => fail(error) };
            }
          },
        });
        if (scheduled) return;
        scheduled = true;
        queueMicrotask(() => {
          scheduled = false;
          pump();
        });
      }),
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Runs reads on one snapshot. When the database refuses one of them, each runs by itself. */
async function readTogether(pool: Pool, keys: KeyColumns, jobs: readonly Job[]): Promise<void> {
  try {
    const ended = await onSnapshot(pool, keys, jobs);
    const refused = ended.find((one) => one.refused)?.refused;
    if (!refused || jobs.length === 1 || isLost(refused)) return ended.forEach((one) => one.tell());
  } catch (error) {
    return jobs.forEach((job) => job.fail(toStoreError(error)));
  }
  for (const job of jobs) await readTogether(pool, keys, [job]);
}

/** Runs reads on one snapshot. Rejects when there is no connection. */
async function onSnapshot(pool: Pool, keys: KeyColumns, jobs: readonly Job[]): Promise<Ended[]> {
  const wire = await pool.take();
  let broken = true;
  try {
    const session = createSession(wire, keys);
    const begun = session.send(BEGIN);
    // Whoever asks next is told why; nobody waits for this one.
    begun.catch(() => {});
    const snapshot = {};
    const ended = await Promise.all(jobs.map((job) => job.attempt(session, snapshot)));
    broken = ended.some(({ refused }) => isLost(refused)) ||
      await session.send("ROLLBACK").then(() => false, () => true);
    return ended;
  } finally {
    wire.release(broken);
  }
}

function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && "failure" in error;
}
