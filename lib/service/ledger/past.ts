/**
 * Projects whose past is played: their clock is on its way from a time in the past to where it was. Until
 * it arrives it must not be stopped, or it would have gone back.
 *
 * @module
 */

import type { ProjectTx } from "../store/mod.ts";

/** The name of the setting that marks a project. */
function markOf({ projectId }: ProjectTx): string {
  return `past/${projectId}`;
}

/** Marks a project whose past is played. */
export async function beginPast(tx: ProjectTx): Promise<void> {
  await tx.whole.insertInto("settings").values({ name: markOf(tx), value: "1" }).execute();
}

/** Takes the mark away, if there is one. */
export async function endPast(tx: ProjectTx): Promise<void> {
  await tx.whole.deleteFrom("settings").where("name", "=", markOf(tx)).execute();
}

/** Whether a project's past is played. */
export async function isPast(tx: ProjectTx): Promise<boolean> {
  const mark = await tx.whole.selectFrom("settings").select("name").where("name", "=", markOf(tx))
    .executeTakeFirst();
  return mark !== undefined;
}
