/**
 * The service's two clocks. Wall time is for tokens, signatures, rate limits and retries; project
 * time is for everything a project holds, and the simulator can stop it or move it ahead.
 *
 * @module
 */

import type { Row } from "./store/tables.ts";

/** Tells wall time, in milliseconds since 1970. */
export type Clock = () => number;

/** The machine's clock. */
export function systemClock(): number {
  return Date.now();
}

/** The machine's stopwatch, in milliseconds since some moment: only differences mean something. */
export function systemStopwatch(): number {
  return performance.now();
}

/**
 * A clock that never goes back, whatever becomes of the one that it follows: it stands until that one
 * has caught up. It starts no earlier than `floor`.
 */
export function steadyClock(clock: Clock, floor = 0): Clock {
  let latest = floor;
  return () => latest = Math.max(latest, clock());
}

/** A project's own time, in milliseconds since 1970. */
export function projectTime(
  project: Pick<Row<"projects">, "clock_frozen_at" | "clock_offset">,
  wall: number,
): number {
  return project.clock_frozen_at ?? wall + project.clock_offset;
}

/** Runs something after so many milliseconds, unless the returned function calls it off before. */
export type Later = (ms: number, run: () => void) => () => void;

/** The machine's timer. It does not keep the program from ending. */
export function systemLater(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  Deno.unrefTimer(timer);
  return () => clearTimeout(timer);
}
