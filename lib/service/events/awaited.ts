/**
 * Waiting for the next attempt of a delivery.
 *
 * @module
 */

import type { Clock, Later } from "../time/clock.ts";
import type { Store } from "../store/mod.ts";
import { wasAttempted } from "./claims.ts";
import type { Schedule } from "./schedule.ts";

/** The time that a caller waits for an attempt, beyond its time limit, in milliseconds. */
const PATIENCE_MS = 10_000;

/** How often the database is asked whether another process has made an attempt, in milliseconds. */
const ASK_MS = 50;

/** What the worker has that attempts are waited for with. */
interface Awaiting {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** The timer. */
  later: Later;
  /** The time limit of an attempt. */
  schedule: Schedule;
  /** The callers that wait for an attempt, by delivery. */
  waiting: Map<string, (() => void)[]>;
  /** Aborts everything. */
  stop: AbortController;
}

/** Waits for an attempt of this process, up to a limit. */
export function attempted(
  { waiting, later, schedule, stop }: Pick<Awaiting, "waiting" | "later" | "stop"> & {
    schedule: Pick<Schedule, "timeoutMs">;
  },
  key: string,
): Promise<void> {
  if (stop.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const arrive = () => {
      callOff();
      resolve();
    };
    const callOff = later(schedule.timeoutMs + PATIENCE_MS, () => {
      forget(waiting, key, arrive);
      resolve();
    });
    waiting.set(key, [...waiting.get(key) ?? [], arrive]);
  });
}

/** Removes a caller that waits no longer. */
function forget(waiting: Awaiting["waiting"], key: string, arrive: () => void): void {
  const others = (waiting.get(key) ?? []).filter((one) => one !== arrive);
  if (others.length === 0) waiting.delete(key);
  else waiting.set(key, others);
}

/**
 * Waits for an attempt that any process may make, up to a limit. When this process stops, its own
 * attempts end, and `idle` resolves when their results are stored.
 */
export async function attemptedAnywhere(
  { store, schedule, stop, clock }: Awaiting,
  idle: () => Promise<void>,
  delivery: { projectId: string; id: string },
): Promise<void> {
  const isMade = () => store.read((tx) => wasAttempted(tx, { ...delivery, now: clock() }));
  for (let left = schedule.timeoutMs + PATIENCE_MS; left > 0; left -= ASK_MS) {
    if (stop.signal.aborted) return await idle();
    if (await isMade()) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
}
