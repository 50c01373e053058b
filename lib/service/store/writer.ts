/**
 * The one writer. Work that is waiting shares one commit: each has its own savepoint, so one that
 * fails is undone alone, and nobody hears how it went before the commit is on disk.
 *
 * @module
 */

import type { Connection } from "./connection.ts";
import type { Reader } from "./reader.ts";
import { type Access, runWork, type Work } from "./work.ts";

/** Runs work in order. */
export interface Writer {
  /** Queues work. Settles once its outcome is on disk. A read is undone, whatever it did. */
  run<T>(work: Work<T>, access: Access): Promise<T>;
  /** Waits until nothing is queued. */
  idle(): Promise<void>;
}

/** Work that waits in the queue. */
interface Job {
  /** What the work may do. */
  access: Access;
  /** Runs the work. Never rejects. */
  attempt(): Promise<Outcome>;
  /** Settles the caller's promise for want of any outcome. */
  fail(error: unknown): void;
}

/** How an attempt ended. */
interface Outcome {
  /** What the work threw, in a box. Without it the work went well. */
  failure?: { error: unknown };
  /** Settles the caller's promise. */
  tell(): void;
}

/** So many share a commit at most: the first must wait for the last. */
const LARGEST_BATCH = 128;

/** Makes the writer of a connection. It keeps the reader's snapshots up to date, if there is one. */
export function createWriter(connection: Connection, reader?: Reader): Writer {
  const queue: Job[] = [];
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      await commitTogether(connection, queue.splice(0, LARGEST_BATCH), reader);
    }
    draining = undefined;
  }

  return {
    run: <T>(work: Work<T>, access: Access) =>
      new Promise<T>((resolve, fail) => {
        queue.push({
          access,
          fail,
          attempt: async () => {
            try {
              const value = await runWork(connection, work, access);
              return { tell: () => resolve(value) };
            } catch (error) {
              return { failure: { error }, tell: () => fail(error) };
            }
          },
        });
        draining ??= drain();
      }),
    idle: async () => {
      while (draining) await draining;
    },
  };
}

/**
 * Runs the jobs in one transaction. When that fails as a whole (a deferred foreign key, a full
 * disk), each half is run again by itself, down to the one job that is to blame. Never rejects.
 */
async function commitTogether(
  connection: Connection,
  jobs: readonly Job[],
  reader: Reader | undefined,
): Promise<void> {
  try {
    // A snapshot that nobody reads from would keep SQLite from starting its log file afresh.
    reader?.letGo();
    const outcomes = await runInTransaction(connection, jobs);
    reader?.renew();
    for (const outcome of outcomes) outcome.tell();
  } catch (error) {
    if (jobs.length <= 1) return jobs[0]?.fail(error);
    const middle = Math.ceil(jobs.length / 2);
    await commitTogether(connection, jobs.slice(0, middle), reader);
    await commitTogether(connection, jobs.slice(middle), reader);
  }
}

/** Runs the jobs one after another and commits. Rejects when there is no commit. */
async function runInTransaction(
  connection: Connection,
  jobs: readonly Job[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  connection.run("BEGIN IMMEDIATE");
  try {
    for (const job of jobs) outcomes.push(await runInSavepoint(connection, job));
    connection.run("COMMIT");
    return outcomes;
  } catch (error) {
    if (connection.inTransaction()) connection.run("ROLLBACK");
    throw error;
  }
}

/** Runs one job so that it can be undone alone. Rejects when the whole transaction is gone. */
async function runInSavepoint(connection: Connection, job: Job): Promise<Outcome> {
  connection.run("SAVEPOINT work");
  const outcome = await job.attempt();
  const { failure } = outcome;
  if (failure && !connection.inTransaction()) throw failure.error;
  if (failure || job.access === "read") connection.run("ROLLBACK TO work");
  connection.run("RELEASE work");
  return outcome;
}

/** Lets everything that is due happen first, so that its work can share the commit. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
