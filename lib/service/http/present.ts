/**
 * Waiting until a project is at its present. A request waits for a moment; when it takes longer, it is
 * told to come again, and how far the project is.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { type CatchUp, isBehind, type Progress, type TimeOfProject } from "../ledger/catch_up.ts";

/** How long a request waits until its project is at its present, in milliseconds. */
export const PRESENT_WAIT_MS = 2000;

/** How long a caller is asked to wait before it tries again, in milliseconds. */
const BACKOFF_MS = 1000;

/**
 * Brings a project to its present for a request.
 *
 * @throws {Refusal} 503, to be tried again, when that takes long.
 */
export async function bringToPresent(
  catchUp: CatchUp,
  projectId: string,
  waitMs = PRESENT_WAIT_MS,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs);
  });
  try {
    const arrived = await Promise.race([catchUp.project(projectId).then(() => true), late]);
    if (!arrived) throw behind(catchUp.progress(projectId)[0]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Refuses to show a project that is on its way: an advance has begun since, or the service ends.
 *
 * @throws {Refusal} 503, to be tried again.
 */
export function refuseMoving(project: TimeOfProject, catchUp: CatchUp, wall: number): void {
  const stuck = catchUp.isStopped() && isBehind(project, wall);
  if (project.clock_advancing_to !== null || stuck) throw behind();
}

/** How often a request starts again because an advance of the clock has begun meanwhile. */
const MOST_TRIES = 5;

/** The refusals of requests that may start again once the project has arrived. */
const movingRefusals = new WeakSet<Error>();

/**
 * Runs work at a project's present. When an advance of the clock begins before the work does, it
 * waits for that advance and runs the work then.
 *
 * @throws {Refusal} 503, to be tried again, when that takes long.
 */
export async function atPresent<T>(
  catchUp: CatchUp,
  projectId: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await work();
    } catch (error) {
      const again = error instanceof Error && movingRefusals.has(error) && tries < MOST_TRIES;
      if (!again || projectId === undefined) throw error;
      await bringToPresent(catchUp, projectId);
    }
  }
}

/** The refusal of a request to a project that is not at its present yet. */
export function behind(progress?: Progress): Refusal {
  const where = progress
    ? ` It has reached ${iso(progress.now)} on the way to ${iso(progress.to)}.`
    : "";
  const refusal = new Refusal(
    503,
    "server_error",
    `The project is catching up with its clock; try again.${where}`,
    { backoff_ms: BACKOFF_MS, headers: { "Retry-After": String(BACKOFF_MS / 1000) } },
  );
  movingRefusals.add(refusal);
  return refusal;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
