/**
 * Which of the processes on a database are dead, so that others may take over their deliveries.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";

/**
 * How long a process must have looked dead, in milliseconds. One that has lost its connection, as all
 * have after a restart of the server, looks so until it has made another.
 */
const DEAD_MS = 5000;

/** Longer than that between two looks, nobody was looking. */
const BLIND_MS = 4000;

/** Tells the dead from those that only lost their connection. */
export interface DeadHolders {
  /** Of those that look dead now, the ones that have looked so for long enough. */
  among(looksDead: Iterable<string>): ReadonlySet<string>;
}

/** Starts to watch. */
export function createDeadHolders(clock: Clock): DeadHolders {
  let since = new Map<string, number>();
  let looked = -Infinity;
  return {
    among(looksDead) {
      const now = clock();
      const known = now - looked <= BLIND_MS && now >= looked ? since : new Map<string, number>();
      looked = now;
      since = new Map([...looksDead].map((one) => [one, known.get(one) ?? now]));
      return new Set([...since].filter(([, at]) => now - at >= DEAD_MS).map(([one]) => one));
    },
  };
}
