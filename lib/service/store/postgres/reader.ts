/**
 * Reads, each from a snapshot that holds every commit so far. Reads that wait at the same moment share
 * one snapshot and one connection.
 *
 * @module
 */

import { StoreError } from "../failure.ts";
import { runWork, type Work } from "../work.ts";
import type { Pool, Wire } from "./driver.ts";
import { isConflict, isLost, isUnanswered, type KeyColumns, toStoreError } from "./errors.ts";
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
  /** Runs the work, and settles the caller's promise unless the database refused something. */
  attempt(session: Session, snapshot: object): Promise<StoreError | undefined>;
  /** Settles the caller's promise for want of any outcome. */
  fail(error: unknown): void;
}

/** So many reads share a snapshot at most: each waits for the slow ones among them. */
const LARGEST_GROUP = 32;

/** How long a read waits for the group before it, in milliseconds. Then it gets another connection. */
const PATIENCE_MS = 5;

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** Makes a reader that uses so many connections at most. */
export function createReader(pool: Pool, keys: () => KeyColumns, most: number): Reader {
  const queue: Job[] = [];
  const running = new Set<Promise<void>>();
  let [scheduled, waiting] = [false, false];

  function start(): void {
    const run = readTogether(pool, keys(), queue.splice(0, LARGEST_GROUP)).then((silence) => {
      // The server is silent: what waits for it has waited long enough.
      if (silence) queue.splice(0).forEach((job) => job.fail(silence));
    }).finally(() => {
      running.delete(run);
      pump();
    });
    running.add(run);
  }

  /** Starts what can be started. A few full groups cost less than many small ones. */
  function pump(): void {
    if (queue.length > 0 && running.size === 0) start();
    while (queue.length >= LARGEST_GROUP && running.size < most) start();
    if (queue.length === 0 || waiting || running.size >= most) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (queue.length > 0 && running.size < most) start();
      pump();
    }, PATIENCE_MS);
  }

  return {
    run: <T>(work: Work<T>) =>
      new Promise<T>((resolve, fail) => {
        queue.push({ fail, attempt: (...on) => attempt(work, on, resolve, fail) });
        if (scheduled) return;
        scheduled = true;
        setImmediate(() => {
          scheduled = false;
          pump();
        });
      }),
    async idle() {
      while (queue.length > 0 || running.size > 0) {
        if (running.size === 0) await new Promise((resolve) => setImmediate(resolve));
        await Promise.allSettled(running);
      }
    },
  };
}

/** Runs a read. Returns what the database refused, if it did, without settling the promise. */
async function attempt<T>(
  work: Work<T>,
  [session, snapshot]: [Session, object],
  resolve: (value: T) => void,
  fail: (error: unknown) => void,
): Promise<StoreError | undefined> {
  try {
    resolve(await runWork(session, work, "read", snapshot));
  } catch (error) {
    if (error instanceof StoreError) return error;
    fail(error);
  }
  return undefined;
}

/** How often a read runs that others are in the way of. */
const MOST_TRIES = 8;

/**
 * Runs reads on one snapshot. Those that fail for want of the database run again by themselves, and
 * those that others were in the way of once more after that. Returns the error when the server did not
 * answer in time.
 */
async function readTogether(
  pool: Pool,
  keys: KeyColumns,
  jobs: readonly Job[],
  tries = 1,
): Promise<unknown> {
  let wire: Wire;
  try {
    wire = await pool.take();
  } catch (thrown) {
    const error = toStoreError(thrown);
    jobs.forEach((job) => job.fail(error));
    return isUnanswered(error) ? error : undefined;
  }
  const refused = await onSnapshot(wire, keys, jobs);
  let silence: unknown;
  for (const { job, error } of refused) {
    const isFinal = isConflict(error) ? tries === MOST_TRIES : jobs.length === 1;
    if (isUnanswered(error)) silence = error;
    if (isFinal || isLost(error)) job.fail(error);
    else silence = await readTogether(pool, keys, [job], tries + 1) ?? silence;
  }
  return silence;
}

/** A read that the database refused something of. Nothing else on the same snapshot works after that. */
interface Refused {
  /** The read. */
  job: Job;
  /** What it was told. */
  error: unknown;
}

/** Runs reads on one snapshot. Returns those that have no outcome. Releases the connection. */
async function onSnapshot(wire: Wire, keys: KeyColumns, jobs: readonly Job[]): Promise<Refused[]> {
  let broken = true;
  try {
    const session = createSession(wire, keys);
    const begun = session.send(BEGIN);
    // Whoever asks next is told why; nobody waits for this one.
    begun.catch(() => {});
    const snapshot = {};
    const refused: Refused[] = [];
    await Promise.all(jobs.map(async (job) => {
      const error = await job.attempt(session, snapshot);
      if (error) refused.push({ job, error });
    }));
    broken = refused.some(({ error }) => isLost(error)) ||
      await session.send("ROLLBACK").then(() => false, () => true);
    return refused;
  } finally {
    wire.release(broken);
  }
}
