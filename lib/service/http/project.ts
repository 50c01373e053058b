/**
 * The project in a request's path: access to it, and its time.
 *
 * @module
 */

import { projectTime } from "../time/clock.ts";
import { Refusal } from "../contract/errors.ts";
import type { Actor } from "../contract/route.ts";
import { catchUpWithin } from "../ledger/batches.ts";
import { isBehind, type TimeOfProject } from "../ledger/catch_up.ts";
import { fixed, type Tx } from "../store/mod.ts";
import { sharedSearch } from "../records/shared_search.ts";
import { behind } from "./present.ts";
import type { Row } from "../store/tables.ts";

/** A project, with the data that shows whether it is behind. */
export type PresentProject = Row<"projects"> & TimeOfProject;

const search = sharedSearch<PresentProject>();

/**
 * The project, if the caller is a collaborator. Other callers cannot see whether it exists. It is promised
 * unless a read of the same snapshot has found it.
 *
 * @throws {Refusal} 403 without access.
 */
export function projectFor(
  tx: Tx,
  projectId: string,
  actor: Actor,
): PresentProject | Promise<PresentProject> {
  tx.enter?.(projectId);
  const key = `${actor.account_id} ${projectId}`;
  const found = search(tx, key, () => findProject(tx, projectId, actor));
  return found instanceof Promise ? found.then((one) => one ?? refuse(projectId)) : found;
}

function refuse(projectId: string): never {
  const message = `The credential has no access to the project ${JSON.stringify(projectId)}`;
  throw new Refusal(403, "authorization_error", message);
}

/** Looks for the project among those of the caller. */
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

/** The project as `projectFor` finds it, after it has caught up. */
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

/** The project's time; while a step is due, the moment before that step. */
export function presentOf(project: PresentProject, wall: number): number {
  const now = projectTime(project, wall);
  if (!isBehind(project, wall)) return now;
  return Math.min(now, (project.next_due_at ?? Infinity) - 1);
}
