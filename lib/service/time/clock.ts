/**
 * The service's two clocks. Tokens, signatures, rate limits and retries use wall time. The data of
 * a project uses project time, which the simulator can stop or advance.
 *
 * @module
 */

import type { Row } from "../store/tables.ts";

/** Returns wall time, in milliseconds since 1970. */
export type Clock = () => number;

/** The machine's clock. */
export function systemClock(): number {
  return Date.now();
}

/** The machine's monotonic clock, in milliseconds. Only differences have a meaning. */
export function systemStopwatch(): number {
  return performance.now();
}

/**
 * A clock that never goes back. If its source goes back, it stands until the source has caught up.
 * It starts at `floor` or later.
 */
export function steadyClock(clock: Clock, floor: number): Clock {
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

/** Runs something after so many milliseconds. The returned function cancels it. */
export type Later = (ms: number, run: () => void) => () => void;

/** The machine's timer. It does not keep the process alive. */
export function systemLater(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  Deno.unrefTimer(timer);
  return () => clearTimeout(timer);
}
