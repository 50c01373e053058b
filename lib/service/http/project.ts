/**
 * The project in a request's path: who may see it, and what time it is there.
 *
 * @module
 */

import { projectTime } from "../clock.ts";
import { Refusal } from "../contract/errors.ts";
import type { Actor } from "../contract/route.ts";
import { catchUpWithin, isBehind, type TimeOfProject } from "../ledger/catch_up.ts";
import { fixed, type Tx } from "../store/mod.ts";
import { behind } from "./present.ts";
import type { Row } from "../store/tables.ts";

/** A project, with what tells whether time has overtaken it. */
export type PresentProject = Row<"projects"> & TimeOfProject;

/** The projects that were found, with whom they were found for, in the state they were found in. */
const found = new WeakMap<object, Map<string, PresentProject>>();

/**
 * The project, if the caller has a seat in it. Whether it exists is not told to others.
 *
 * @throws {Refusal} 403 without a seat.
 */
export async function projectFor(
  tx: Tx,
  projectId: string,
  actor: Actor,
): Promise<PresentProject> {
  const known = foundIn(tx.snapshot);
  const key = `${actor.account_id} ${projectId}`;
  const project = known?.get(key) ?? await findProject(tx, projectId, actor);
  if (!project) {
    const message = `The credential has no access to the project ${JSON.stringify(projectId)}`;
    throw new Refusal(403, "authorization_error", message);
  }
  known?.set(key, project);
  return project;
}

/** What was found in a state of the database. After the next commit there is another one. */
function foundIn(snapshot: object | undefined): Map<string, PresentProject> | undefined {
  if (!snapshot) return undefined;
  const known = found.get(snapshot) ?? new Map();
  found.set(snapshot, known);
  return known;
}

/** Looks for the project among those in which the caller has a seat. */
async function findProject(
  tx: Tx,
  projectId: string,
  actor: Actor,
): Promise<PresentProject | undefined> {
  const { rows } = await fixed<PresentProject>`
    select projects.*, (
      select min(due_at) from subscriptions
      where subscriptions.project_id = projects.id and due_at is not null) as next_due_at
    from projects
    join collaborators on collaborators.project_id = projects.id
    where projects.id = ${projectId}
      and collaborators.account_id = ${actor.account_id}
      and collaborators.accepted_at is not null`.execute(tx);
  return rows[0];
}

/** The project as `projectFor` finds it, once everything that is due there has passed. */
export async function caughtUpProject(
  tx: Tx,
  projectId: string,
  actor: Actor,
  wall: number,
): Promise<PresentProject> {
  const project = await projectFor(tx, projectId, actor);
  if (!isBehind(project, wall)) return project;
  if (!await catchUpWithin(tx, projectId, wall)) throw behind();
  return await projectFor(tx, projectId, actor);
}

/** The project's time; while something is due that has not passed, the moment before that. */
export function presentOf(project: PresentProject, wall: number): number {
  const now = projectTime(project, wall);
  if (!isBehind(project, wall)) return now;
  return Math.min(now, (project.next_due_at ?? Infinity) - 1);
}
