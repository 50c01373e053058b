/**
 * Waits until a project has caught up with its time. A request waits briefly, then gets a retryable
 * error with the progress.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { type CatchUp, isBehind, type TimeOfProject } from "../ledger/catch_up.ts";
import type { Progress } from "../ledger/progress.ts";
import { withinTime } from "./port.ts";

/** The time that a request waits for its project to catch up, in milliseconds. */
export const PRESENT_WAIT_MS = 2000;

/** The time before a caller's next try, in milliseconds. */
const BACKOFF_MS = 1000;

/**
 * Lets a project catch up for a request.
 *
 * @throws {Refusal} a retryable 503 when that takes too long.
 */
export async function bringToPresent(
  catchUp: CatchUp,
  projectId: string,
  waitMs = PRESENT_WAIT_MS,
): Promise<void> {
  let arrived = false;
  await withinTime(catchUp.project(projectId).then(() => arrived = true), waitMs);
  if (arrived) return;
  const [progress] = await catchUp.progress(projectId);
  throw progress ? behind(progress) : busy();
}

/**
 * Refuses to show a project that is advancing, or any project while the service stops.
 *
 * @throws {Refusal} a retryable 503.
 */
export function refuseMoving(project: TimeOfProject, catchUp: CatchUp, wall: number): void {
  const stuck = catchUp.isStopped() && isBehind(project, wall);
  if (project.clock_advancing_to !== null || stuck) throw behind();
}

/** The number of restarts of a request when an advance of the clock starts meanwhile. */
const MOST_TRIES = 5;

/** The refusals after which a request may start again once the project has caught up. */
const movingRefusals = new WeakSet<Error>();

/**
 * Runs work when a project has caught up. If an advance of the clock starts before the work, the
 * work waits for it.
 *
 * @throws {Refusal} a retryable 503 when that takes too long.
 */
export function atPresent<T>(
  catchUp: CatchUp,
  projectId: string | undefined,
  work: () => Promise<T>,
  tries = 1,
): Promise<T> {
  return work().catch(async (error) => {
    const again = error instanceof Error && movingRefusals.has(error) && tries < MOST_TRIES;
    if (!again || projectId === undefined) throw error;
    await bringToPresent(catchUp, projectId);
    return await atPresent(catchUp, projectId, work, tries + 1);
  });
}

/** The refusal of a request to a project that has not caught up yet. */
export function behind(progress?: Progress): Refusal {
  const where = progress
    ? ` It has reached ${iso(progress.now)} on the way to ${iso(progress.to)}.`
    : "";
  return later(`The project is catching up with its clock; try again.${where}`);
}

/** The refusal of a request that did not get its turn: another one, or a process, holds the project. */
function busy(): Refusal {
  return later("The project is busy with other changes; try again");
}

/** A refusal after which the same request may succeed. */
function later(message: string): Refusal {
  const headers = { "Retry-After": String(BACKOFF_MS / 1000) };
  const refusal = new Refusal(503, "server_error", message, { backoff_ms: BACKOFF_MS, headers });
  movingRefusals.add(refusal);
  return refusal;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
