/**
 * The progress of projects that are catching up.
 *
 * @module
 */

import { countDue } from "../ledger/due.ts";
import type { Progress } from "../ledger/progress.ts";
import { inProject, type ProjectTx } from "../store/mod.ts";
import type { Left } from "../../simulator/clock.ts";
import type { ProjectProgress } from "../../simulator/service.ts";
import { itemsOf, projectProgress } from "./answers.ts";
import { adminRoute } from "./route.ts";

/** The steps left in a project until a time, with an estimate of their duration. */
export async function leftUntil(
  tx: ProjectTx,
  to: number,
  progress: Progress | undefined,
): Promise<Left> {
  const left = await countDue(tx, to);
  const known = progress !== undefined && progress.done > 0;
  return { left, left_ms: known ? Math.round(progress.took_ms * left / progress.done) : null };
}

const listProgress = adminRoute({
  name: "listProgress",
  summary: "Lists the projects that are catching up with their clock.",
  method: "GET",
  path: "/_sim/progress",
  response: itemsOf(projectProgress),
}, async ({ store, catchUp }) =>
  await store.read(async (tx) => {
    const items: ProjectProgress[] = [];
    for (const one of await catchUp.progress(undefined, tx)) {
      items.push({ ...one, ...await leftUntil(inProject(tx, one.project_id), one.to, one) });
    }
    return { items };
  }));

/** The routes of progress. */
export const progressRoutes = [listProgress];
