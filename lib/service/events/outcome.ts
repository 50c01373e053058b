/**
 * What follows from an attempt.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
import type { Tried } from "./attempt.ts";
import type { Claim } from "./claims.ts";
import type { Outcome } from "./ended.ts";
import { type Schedule, waitAfter } from "./schedule.ts";

/** The parts that decide. */
interface OutcomeParts {
  /** The retry schedule. */
  schedule: Schedule;
  /** A number from 0 to 1, for jitter. */
  random(): number;
  /** Wall time. */
  clock: Clock;
}

/** The next state of a delivery that is lost on request. */
export const DROPPED: Outcome = {
  state: "dropped",
  ready_at: null,
  counts: false,
  disables: false,
};

/** The next state of a delivery after an attempt. */
export function outcomeOf(
  { schedule, random, clock }: OutcomeParts,
  one: Claim,
  { attempt, retryAfterMs }: Tried,
): Outcome {
  if (attempt.error === null) {
    return { state: "delivered", ready_at: null, counts: true, disables: false };
  }
  const gone = attempt.status === 410;
  const ends = gone || one.delivery.once === 1;
  const failures = one.delivery.tries + 1;
  const wait = ends ? undefined : waitAfter(schedule, failures, { retryAfterMs, random });
  if (wait === undefined) return { state: "dead", ready_at: null, counts: true, disables: gone };
  return { state: "pending", ready_at: clock() + wait, counts: true, disables: false };
}
