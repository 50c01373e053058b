/**
 * The one writer. Work that is waiting shares one commit. Work that fails is undone alone, and
 * nobody hears how it went before the commit is on disk.
 *
 * Savepoints cost a tenth of a small change. So a group runs without them; when one of its jobs
 * fails, the group is rolled back and runs again, each job in a savepoint of its own. The groups
 * after it use savepoints at once, until one goes through without a failure.
 *
 * @module
 */

import { isFailedSync } from "./errors.ts";
import type { CommitLog } from "./commit_log.ts";
import type { Connection } from "./connection.ts";
import { type Beginner, createBeginner, isBusy } from "./patience.ts";
import type { Reader } from "./reader.ts";
import { type Access, runWork, type Say, type Work } from "../work.ts";

/** Runs work in order. */
interface Writer {
  /** Queues work. Settles once its outcome is on disk. A read is undone, whatever it did. */
  run<T>(work: Work<T>, access: Access): Promise<T>;
  /** Waits until nothing is queued. */
  idle(): Promise<void>;
  /**
   * Calls a function when no commit is on its way to the disk: at once, or after the present group.
   * Rejects with what it throws.
   */
  between(action: () => void): Promise<void>;
}

/** What a writer works with, besides its connection. */
interface WriterOptions {
  /** The reader whose snapshots must keep up. Default: none. */
  reader?: Reader | undefined;
  /** What brings commits to the disk. Default: the connection itself, inside of COMMIT. */
  log?: CommitLog | undefined;
  /** Says something to the operator. Default: nobody listens. */
  say?: Say | undefined;
  /** Told of each commit, with the number of its units of work. */
  committed?: ((units: number) => void) | undefined;
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

/** Where groups of jobs run. */
interface Bench {
  /** The connection that writes. */
  connection: Connection;
  /** The reader whose snapshots must keep up, if there is one. */
  reader: Reader | undefined;
  /** What brings commits to the disk, unless the connection does. */
  log: CommitLog | undefined;
  /** Told of each commit, with the number of its units of work. */
  committed(units: number): void;
  /** Begins the groups' transactions. */
  beginner: Beginner;
  /** Whether a job of the last group failed, so that the next group starts with savepoints. */
  careful: boolean;
}

/** Makes the writer of a connection. It keeps the reader's snapshots up to date, if there is one. */
export function createWriter(
  connection: Connection,
  { reader, log, say = () => {}, committed = () => {} }: WriterOptions = {},
): Writer {
  const queue: Job[] = [];
  const waiting: (() => void)[] = [];
  const bench: Bench = {
    connection,
    reader,
    log,
    beginner: createBeginner(say),
    careful: false,
    committed,
  };
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      await commitTogether(bench, queue.splice(0, LARGEST_BATCH));
      await copyLongLog(bench);
      for (const action of waiting.splice(0)) action();
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
    between: async (action) => {
      if (draining) await new Promise<void>((resolve) => waiting.push(resolve));
      action();
    },
  };
}

/** Copies the log into the database if it is long. Never rejects. */
async function copyLongLog({ reader, log }: Bench): Promise<void> {
  try {
    if (!log || log.hasFailed() || !log.isLong()) return;
    // Whoever waits for the last group is answered before.
    await nextTurn();
    // A snapshot that nobody reads from would keep SQLite from starting its log file afresh.
    reader?.letGo();
    log.copy();
  } catch (error) {
    // A part of what was copied before may be lost, and a later copy would not notice.
    if (isFailedSync(error)) log?.fail(error);
    // Otherwise the log holds all that the copy would. It is tried again after the next group.
  }
}

/**
 * Runs the jobs in one transaction. When that fails as a whole (a deferred foreign key, a full
 * disk), each half is run again by itself, down to the one job that is to blame. Never rejects.
 */
async function commitTogether(bench: Bench, jobs: readonly Job[]): Promise<void> {
  const { reader, log } = bench;
  try {
    log?.check();
    // SQLite itself copies the log then, and a snapshot that nobody reads from would be in its way.
    if (!log) reader?.letGo();
    // Reads are undone, so a group with one among others needs savepoints from the start.
    const careful = bench.careful ||
      jobs.length > 1 && jobs.some(({ access }) => access === "read");
    const plain = careful ? undefined : await runPlainly(bench, jobs);
    const outcomes = plain ?? await runInSavepoints(bench, jobs);
    reader?.renew();
    bench.committed(unitsIn(jobs, outcomes));
    bench.careful = outcomes.length > 1 && outcomes.some(({ failure }) => failure !== undefined);
    for (const outcome of outcomes) outcome.tell();
  } catch (error) {
    // Another program writes, or the disk failed: nobody is to blame, and no try would be better.
    const isOver = jobs.length <= 1 || isBusy(error) || log?.hasFailed();
    if (isOver) return jobs.forEach((job) => job.fail(error));
    const middle = Math.ceil(jobs.length / 2);
    await commitTogether(bench, jobs.slice(0, middle));
    await commitTogether(bench, jobs.slice(middle));
  }
}

/** How many jobs have changed something for good. */
function unitsIn(jobs: readonly Job[], outcomes: readonly Outcome[]): number {
  let units = 0;
  outcomes.forEach(({ failure }, i) => {
    if (!failure && jobs[i]?.access === "write") units++;
  });
  return units;
}

/**
 * Runs the jobs without savepoints. Undefined, and nothing done, when several share the transaction
 * and one of them must be undone. Rejects when there is no commit.
 */
function runPlainly(bench: Bench, jobs: readonly Job[]): Promise<Outcome[] | undefined> {
  const { connection } = bench;
  return inTransaction(bench, jobs.length, async () => {
    const outcomes: Outcome[] = [];
    for (const job of jobs) {
      const outcome = await job.attempt();
      const { failure } = outcome;
      if (failure && !connection.inTransaction()) throw failure.error;
      if (failure || job.access === "read") {
        connection.run("ROLLBACK");
        // Alone in its transaction, the job is undone with it.
        return jobs.length === 1 ? [outcome] : undefined;
      }
      outcomes.push(outcome);
    }
    return outcomes;
  });
}

/** Runs the jobs each in a savepoint, and undoes those that fail. Rejects when there is no commit. */
function runInSavepoints(bench: Bench, jobs: readonly Job[]): Promise<Outcome[]> {
  return inTransaction(bench, jobs.length, async () => {
    const outcomes: Outcome[] = [];
    for (const job of jobs) outcomes.push(await runInSavepoint(bench.connection, job));
    return outcomes;
  });
}

/** Begins a transaction, and commits it to the disk unless it is rolled back by then. */
async function inTransaction<T>(
  bench: Bench,
  units: number,
  run: () => Promise<T>,
): Promise<T> {
  const { connection, beginner, reader, log } = bench;
  await beginner.begin(connection);
  try {
    const result = await run();
    if (!connection.inTransaction()) return result;
    connection.numbers.write();
    // Nobody may see the commit before it is on the disk.
    if (log) reader?.hold();
    try {
      connection.run("COMMIT");
    } catch (error) {
      reader?.unhold();
      throw error;
    }
    await log?.toDisk(units);
    return result;
  } catch (error) {
    if (connection.inTransaction()) connection.run("ROLLBACK");
    throw error;
  } finally {
    connection.numbers.forget();
  }
}

/** Runs one job so that it can be undone alone. Rejects when the whole transaction is gone. */
async function runInSavepoint(connection: Connection, job: Job): Promise<Outcome> {
  connection.run("SAVEPOINT work");
  const restoreNumbers = connection.numbers.mark();
  const outcome = await job.attempt();
  const { failure } = outcome;
  if (failure && !connection.inTransaction()) throw failure.error;
  if (failure || job.access === "read") {
    connection.run("ROLLBACK TO work");
    restoreNumbers();
  }
  connection.run("RELEASE work");
  return outcome;
}

/** Lets everything that is due happen first, so that its work can share the commit. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
