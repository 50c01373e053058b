/**
 * Doing what must not be left out, also when the database cannot be used for a while.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
import { outageIn } from "../store/mod.ts";

/** The wait before the next try, at first and at most, in milliseconds. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1000;

/** How long to try. */
interface Patience {
  /** Wall time. */
  clock: Clock;
  /** Until when, in milliseconds since 1970. */
  until: number;
  /** Ends it. */
  signal: AbortSignal;
}

/** Tries to do something, again and again while the database cannot be used. */
export async function insist<T>(
  work: () => Promise<T>,
  { clock, until, signal }: Patience,
): Promise<T> {
  for (let wait = FIRST_WAIT_MS;; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!outageIn(error) || signal.aborted || clock() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
