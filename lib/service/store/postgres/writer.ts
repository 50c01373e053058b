/**
 * Writes, those of a project one after the other. Work that waits for the same project shares one
 * commit, and work of other projects runs beside it.
 *
 * Each group begins with a lock on its project's row, so on every process the writes of a project are
 * serial, and its `seq` has no gaps and commits in order. Work without a project shares one lock. Work
 * that locks its rows by itself begins with no lock, and runs beside all other.
 *
 * @module
 */

import type { CompiledQuery, QueryResult } from "kysely";
import type { Arrays } from "../queries.ts";
import { StoreError } from "../failure.ts";
import type { Locks } from "../store.ts";
import { runWork, type Work } from "../work.ts";
import type { Pool } from "./driver.ts";
import {
  isConflict,
  isConsequence,
  isLost,
  isReadOnly,
  isUnanswered,
  type KeyColumns,
  toStoreError,
} from "./errors.ts";
import { createSession, type Session } from "./session.ts";

/** Runs work that may change the database. */
interface Writer {
  /** Queues work. Settles once its outcome is on disk. */
  run<T>(work: Work<T>, projectId?: string, locks?: Locks): Promise<T>;
  /** Waits until nothing is queued. */
  idle(): Promise<void>;
}

/** Work that waits in the queue. */
interface Job {
  /** Runs the work. Never rejects. */
  attempt(session: Session): Promise<Outcome>;
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

/** The work of one project with the same locks, or of none. */
interface Lane {
  /** Its name among the lanes. */
  name: string;
  /** What its groups begin with. */
  locks: Locks;
  /** The project; empty for work without one. */
  projectId: string;
  /** What waits. */
  queue: Job[];
  /** Whether a job of the last group failed, so that the next group starts with savepoints. */
  careful: boolean;
}

/** What a group runs on. */
interface Bench {
  /** The connections. */
  pool: Pool;
  /** The columns of unique keys. */
  keys(): KeyColumns;
  /** How work passes arrays. */
  arrays: Arrays;
  /** Told of each commit, with the number of rows that it changed and of its units of work. */
  committed(rows: number, units: number): void;
}

/** So many share a commit at most: the first must wait for the last. */
const LARGEST_GROUP = 32;

/** How often a group runs again that others were in the way of. */
const MOST_TRIES = 8;

/** The lock of all work without a project, on every process. */
const COMMON_LOCK = "select pg_advisory_xact_lock(7262051)";
const PROJECT_LOCK = "select 1 from projects where id = $1 for no key update";

/** Makes the writer of a database. */
export function createWriter(bench: Bench): Writer {
  const lanes = new Map<string, Lane>();
  // The lanes that were careful when they became empty.
  const careful = new Set<string>();
  const running = new Set<Promise<void>>();

  async function drain(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      await nextTurn();
      const silence = await commitTogether(bench, lane, lane.queue.splice(0, LARGEST_GROUP));
      // The server is silent: what waits for it has waited long enough.
      if (silence) lane.queue.splice(0).forEach((job) => job.fail(silence));
    }
    lanes.delete(lane.name);
    if (lane.careful) careful.add(lane.name);
  }

  return {
    run: <T>(work: Work<T>, projectId = "", wanted: Locks = "project") =>
      new Promise<T>((resolve, fail) => {
        const job: Job = {
          fail,
          attempt: async (session) => {
            try {
              const value = await runWork(session, work, "write");
              return { tell: () => resolve(value) };
            } catch (error) {
              return { failure: { error }, tell: () => fail(error) };
            }
          },
        };
        const locks = projectId === "" ? "project" : wanted;
        const name = `${locks} ${projectId}`;
        const known = lanes.get(name);
        if (known) return void known.queue.push(job);
        const lane = { name, projectId, locks, queue: [job], careful: careful.delete(name) };
        lanes.set(name, lane);
        const run = drain(lane).finally(() => running.delete(run));
        running.add(run);
      }),
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/**
 * Runs the jobs in one transaction, again when others were in the way. When it fails as a whole, each
 * half is run again by itself, down to the one job that is to blame. Never rejects. Returns the error
 * when the server did not answer in time.
 */
async function commitTogether(
  bench: Bench,
  lane: Lane,
  jobs: readonly Job[],
): Promise<StoreError | undefined> {
  for (let tries = 1;; tries++) {
    try {
      const outcomes = await runGroup(bench, lane, jobs);
      if (!outcomes) continue;
      lane.careful = outcomes.length > 1 && outcomes.some(({ failure }) => failure !== undefined);
      outcomes.forEach((outcome) => outcome.tell());
      return undefined;
    } catch (thrown) {
      const error = toStoreError(thrown, bench.keys());
      if (isConflict(error) && tries < MOST_TRIES) {
        await pause(Math.random() * 5 * 2 ** tries);
        continue;
      }
      if (jobs.length === 1 || isConflict(error) || isLost(error)) {
        jobs.forEach((job) => job.fail(error));
        return error instanceof StoreError && isUnanswered(error) ? error : undefined;
      }
      const middle = Math.ceil(jobs.length / 2);
      await commitTogether(bench, lane, jobs.slice(0, middle));
      return await commitTogether(bench, lane, jobs.slice(middle));
    }
  }
}

/**
 * Runs the jobs in one transaction. Undefined, and nothing done, when they are to run once more with
 * savepoints. Rejects when there is no commit.
 */
async function runGroup(
  bench: Bench,
  lane: Lane,
  jobs: readonly Job[],
): Promise<Outcome[] | undefined> {
  const wire = await bench.pool.take();
  let broken = true;
  try {
    const group = createGroup(createSession(wire, bench.keys(), bench.arrays), lane);
    const careful = lane.careful && jobs.length > 1;
    const outcomes = careful ? await runInSavepoints(group, jobs) : await runPlainly(group, jobs);
    if (outcomes?.some(({ failure }) => isReadOnly(failure?.error))) wire.outdate();
    if (outcomes) bench.committed(group.rows(), outcomes.filter((one) => !one.failure).length);
    else lane.careful = true;
    broken = false;
    return outcomes;
  } catch (error) {
    broken = isLost(error) || await wire.send("ROLLBACK").then(() => false, () => true);
    throw error;
  } finally {
    wire.release(broken);
  }
}

/** A transaction that several jobs share. */
interface Group {
  /** The session that its jobs use: it locks projects when they are first named. */
  session: Session;
  /** How many rows were changed. */
  rows(): number;
  /** Forgets the locks that were taken since the last savepoint. */
  rolledBack(): void;
  /** Keeps the locks that were taken since the last savepoint. */
  released(): void;
}

/** Begins a transaction and takes its first lock, if it has one, without waiting for either. */
function createGroup(plain: Session, { projectId, locks }: Lane): Group {
  const begun = plain.send("BEGIN ISOLATION LEVEL READ COMMITTED");
  const locked = locks === "rows"
    ? undefined
    : projectId === ""
    ? plain.send(COMMON_LOCK)
    : plain.send(PROJECT_LOCK, [projectId]);
  // Each statement after a failed one fails as well; the first failure is the one to tell.
  const ready = Promise.all([begun, locked]);
  ready.catch(() => {});
  let kept = new Set([projectId]);
  let present = new Set(kept);
  let rows = 0;
  const named = new Set<string>();
  // Work may send statements before it knows of the failure of an earlier one.
  let failed: { error: unknown } | undefined;
  const session: Session = {
    ...plain,
    hasRowLocks: true,
    enter(id) {
      if (!present.has(id)) named.add(id);
    },
    async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      for (const id of named) {
        named.delete(id);
        present.add(id);
        await plain.send(PROJECT_LOCK, [id]);
      }
      try {
        const result = await plain.execute<R>(query);
        rows += Number(result.numAffectedRows ?? 0);
        return result;
      } catch (error) {
        await ready;
        if (failed && isConsequence(error)) throw failed.error;
        failed = { error };
        throw error;
      }
    },
  };
  return {
    session,
    rows: () => rows,
    rolledBack: () => {
      present = new Set(kept);
      failed = undefined;
    },
    released: () => void (kept = new Set(present)),
  };
}

/**
 * Runs the jobs without savepoints. Undefined, and nothing done, when several share the transaction and
 * one of them failed.
 */
async function runPlainly(group: Group, jobs: readonly Job[]): Promise<Outcome[] | undefined> {
  const outcomes: Outcome[] = [];
  for (const job of jobs) {
    const outcome = await job.attempt(group.session);
    const { failure } = outcome;
    if (failure) {
      if (isConflict(failure.error) || isLost(failure.error)) throw failure.error;
      await group.session.send("ROLLBACK");
      // Alone in its transaction, the job is undone with it.
      return jobs.length === 1 ? [outcome] : undefined;
    }
    outcomes.push(outcome);
  }
  await commit(group.session);
  return outcomes;
}

/** Runs the jobs each in a savepoint, and undoes those that fail. */
async function runInSavepoints(group: Group, jobs: readonly Job[]): Promise<Outcome[]> {
  const { session } = group;
  const outcomes: Outcome[] = [];
  for (const job of jobs) {
    const saved = session.send("SAVEPOINT work");
    saved.catch(() => {});
    const outcome = await job.attempt(session);
    const { failure } = outcome;
    if (failure) {
      if (isConflict(failure.error) || isLost(failure.error)) throw failure.error;
      await session.send("ROLLBACK TO SAVEPOINT work");
      group.rolledBack();
    } else {
      await session.send("RELEASE SAVEPOINT work");
      group.released();
    }
    outcomes.push(outcome);
  }
  await commit(session);
  return outcomes;
}

/** Commits. A transaction that has failed answers a commit with a rollback, and no error. */
async function commit(session: Session): Promise<void> {
  const { command } = await session.send("COMMIT");
  if (command !== "COMMIT") throw new Error(`the database answered COMMIT with ${command}`);
}

/** Lets everything that is due happen first, so that its work can share the commit. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
