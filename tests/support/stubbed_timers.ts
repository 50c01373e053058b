/**
 * Timers of the process whose times a test sees, and shortens.
 *
 * @module
 */

import { withReplaced } from "./replaced.ts";

/**
 * Runs something while each timer set for exactly `due` milliseconds fires at once. Returns the times of
 * all timers that were set meanwhile.
 */
export async function withTimersAt(due: number, run: () => Promise<unknown>): Promise<number[]> {
  const { setTimeout } = globalThis;
  const times: number[] = [];
  const soon = (ring: () => void, ms = 0) => {
    times.push(ms);
    return setTimeout(ring, ms === due ? 0 : ms);
  };
  Object.assign(globalThis, { setTimeout: soon });
  try {
    await run();
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
  return times;
}

/** An interval that a test lets pass. */
export interface Interval {
  /** Its length, in milliseconds. */
  readonly ms: number;
  /** Does what is done at its end. A promise when that goes on. */
  readonly run: () => unknown;
  /** Whether it was called off. */
  isOver: boolean;
}

/** No interval of the runtime has such a number. */
const FIRST_INTERVAL = 1_000_000_000;

/** Runs something with the intervals that are set meanwhile: they pass when the test says so. */
export async function withIntervals(
  run: (intervals: readonly Interval[]) => Promise<void>,
): Promise<void> {
  const { clearInterval } = globalThis;
  const intervals: Interval[] = [];
  await withReplaced(globalThis, {
    setInterval: (run: () => unknown, ms: number) =>
      FIRST_INTERVAL + intervals.push({ ms, run, isOver: false }) - 1,
    clearInterval(id?: number) {
      const own = intervals[(id ?? 0) - FIRST_INTERVAL];
      if (own) own.isOver = true;
      else clearInterval(id);
    },
  }, () => run(intervals));
}
