/**
 * Waiting until a project is at its present. A request waits for a moment; when it takes longer, it is
 * told to come again, and how far the project is.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { isBehind, type Progress, type Settler, type TimeOfProject } from "../ledger/settle.ts";

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
  settler: Settler,
  projectId: string,
  waitMs = PRESENT_WAIT_MS,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs);
  });
  try {
    const arrived = await Promise.race([settler.settle(projectId).then(() => true), late]);
    if (!arrived) throw behind(settler.progress(projectId)[0]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Refuses to show a project that is on its way: an advance has begun since, or the service ends.
 *
 * @throws {Refusal} 503, to be tried again.
 */
export function refuseMoving(project: TimeOfProject, settler: Settler, wall: number): void {
  const stuck = settler.isStopped() && isBehind(project, wall);
  if (project.clock_advancing_to !== null || stuck) throw behind();
}

/** The refusal of a request to a project that is not at its present yet. */
export function behind(progress?: Progress): Refusal {
  const where = progress
    ? ` It has reached ${iso(progress.now)} on the way to ${iso(progress.to)}.`
    : "";
  return new Refusal(
    503,
    "server_error",
    `The project is catching up with its clock; try again.${where}`,
    { backoff_ms: BACKOFF_MS, headers: { "Retry-After": String(BACKOFF_MS / 1000) } },
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
