/**
 * Time that stands still until a test advances it.
 *
 * @module
 */

import type { Later } from "../../lib/service/time/clock.ts";

/** A clock and its timers. */
export interface VirtualTime {
  /** Returns the time. */
  clock(): number;
  /** Sets a timer. */
  readonly later: Later;
  /** Advances time, and runs the timers due on the way in order. */
  pass(ms: number): void;
  /** The time until the next timer, in milliseconds; undefined without one. */
  next(): number | undefined;
}

/** Makes a time that begins at a moment. */
export function openTime(start = Date.UTC(2026, 5, 1)): VirtualTime {
  let now = start;
  const timers = new Set<{ at: number; run: () => void }>();
  const first = () => [...timers].sort((a, b) => a.at - b.at)[0];
  return {
    clock: () => now,
    later: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass(ms) {
      const end = now + ms;
      for (let timer = first(); timer && timer.at <= end; timer = first()) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.run();
      }
      now = end;
    },
    next() {
      const timer = first();
      return timer && timer.at - now;
    },
  };
}
