/**
 * Whether something that was stopped explains that an event was sent again.
 *
 * A worker that is killed leaves its deliveries to the others, if their results are not stored. So does
 * one that has lost its connection to the server for too long. In both cases the others wait until it
 * has looked dead for five seconds. Nothing else may send an accepted event again.
 *
 * @module
 */

import type { Role } from "./fleet.ts";
import type { Arrival } from "./receiver.ts";

/** Something that was stopped. */
export interface Stop {
  /** What it was. */
  what: Role | "server";
  /** When it was stopped, in milliseconds since 1970. */
  from: number;
  /** When it could work again: for a server, as soon as it answered. Else the same as `from`. */
  to: number;
}

/** How long a process looks dead before others take over its deliveries, in milliseconds. */
const DEAD_MS = 5000;

/** How far times may be off: those of the senders are rounded down to seconds, in milliseconds. */
const ROUNDED_MS = 1000;

/**
 * Whether one of the stops is the reason why an event was sent again.
 *
 * @param first Its first acceptance.
 * @param again The next one.
 * @param storedMs How long it takes at most to store a result, in milliseconds.
 */
export function isExplained(
  first: Arrival,
  again: Arrival,
  stops: readonly Stop[],
  storedMs: number,
): boolean {
  return stops.some(({ what, from, to }) =>
    // A process that only answers requests sends nothing.
    what !== "api" &&
    // It was being sent, or its result was not stored yet.
    to >= first.sent && from <= first.at + storedMs &&
    // Those who sent it again had waited.
    from + DEAD_MS <= again.sent + ROUNDED_MS
  );
}
