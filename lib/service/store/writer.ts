/**
 * The one writer. Work that is waiting shares one commit: each has its own savepoint, so one that
 * fails is undone alone, and nobody hears of success before the commit is on disk.
 *
 * @module
 */

import type { Connection } from "./connection.ts";
import { runWork, type Work } from "./work.ts";

/** Runs work in order. */
export interface Writer {
  /** Queues work. Settles once its outcome is on disk. */
  run<T>(work: Work<T>, access: "read" | "write"): Promise<T>;
  /** Waits until nothing is queued. */
  settled(): Promise<void>;
}

/** Work that waits, and whom to tell. */
interface Job {
  /** Runs the work on the connection, and returns how to tell its caller. */
  attempt(): Promise<Outcome>;
  /** Tells the caller that there was no outcome at all. */
  reject(error: unknown): void;
  /** A read is undone at its end, whatever it did. */
  access: "read" | "write";
}

/** How one attempt ended, and how to tell. */
interface Outcome {
  /** Whether the work threw. */
  failed: boolean;
  /** Settles the caller's promise. */
  tell(): void;
}

/** So many share a commit at most, so that the first need not wait long for the last. */
const LARGEST_BATCH = 256;

/** Makes the writer of a connection. `committed` is called after each commit, before anyone is told. */
export function createWriter(connection: Connection, committed: () => void): Writer {
  let queue: Job[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      const batch = queue.slice(0, LARGEST_BATCH);
      queue = queue.slice(LARGEST_BATCH);
      await commitTogether(connection, batch, committed);
    }
    running = undefined;
  }

  return {
    run: <T>(work: Work<T>, access: "read" | "write") =>
      new Promise<T>((resolve, reject) => {
        queue.push({
          access,
          reject,
          attempt: async () => {
            try {
              const value = await runWork(connection, work, access);
              return { failed: false, tell: () => resolve(value) };
            } catch (error) {
              return { failed: true, tell: () => reject(error) };
            }
          },
        });
        running ??= drain();
      }),
    settled: async () => {
      while (running) await running;
    },
  };
}

/**
 * Runs the jobs in one transaction. When its commit fails (a deferred foreign key, a full disk),
 * each half is tried by itself, down to the job that is to blame.
 */
async function commitTogether(
  connection: Connection,
  jobs: readonly Job[],
  committed: () => void,
): Promise<void> {
  let outcomes: Outcome[];
  try {
    connection.run("BEGIN IMMEDIATE");
    outcomes = [];
    for (const job of jobs) outcomes.push(await runInSavepoint(connection, job));
    connection.run("COMMIT");
  } catch (error) {
    if (connection.inTransaction()) connection.run("ROLLBACK");
    const [only] = jobs;
    if (jobs.length === 1) return only?.reject(error);
    const middle = Math.ceil(jobs.length / 2);
    await commitTogether(connection, jobs.slice(0, middle), committed);
    return await commitTogether(connection, jobs.slice(middle), committed);
  }
  committed();
  for (const outcome of outcomes) outcome.tell();
}

/** Runs one job so that it can be undone alone. Throws when the whole transaction is gone. */
async function runInSavepoint(connection: Connection, job: Job): Promise<Outcome> {
  connection.run("SAVEPOINT work");
  const outcome = await job.attempt();
  if (outcome.failed || job.access === "read") connection.run("ROLLBACK TO work");
  connection.run("RELEASE work");
  return outcome;
}

/** Lets everything that is due happen first, so that its work can join the batch. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
