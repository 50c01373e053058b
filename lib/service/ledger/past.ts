/**
 * Projects whose past is played: their clock is on its way from a time in the past to where it was. Until
 * it arrives it must not be stopped, or it would have gone back.
 *
 * @module
 */

import { createDeadHolders } from "../events/dead_holders.ts";
import type { Clock } from "../time/clock.ts";
import type { Others, ProjectTx } from "../store/mod.ts";

/** The name of the setting that marks a project. */
function markOf({ projectId }: ProjectTx): string {
  return `past/${projectId}`;
}

/** Marks a project whose past a process plays, by the process's name. */
export async function beginPast(tx: ProjectTx, player: string): Promise<void> {
  await tx.whole.insertInto("settings").values({ name: markOf(tx), value: player }).execute();
}

/** Lets whoever comes first bring the project to its present. */
export async function leavePast(tx: ProjectTx): Promise<void> {
  await tx.whole.updateTable("settings").set({ value: "" }).where("name", "=", markOf(tx))
    .execute();
}

/** Takes the mark away, if there is one. */
export async function endPast(tx: ProjectTx): Promise<void> {
  await tx.whole.deleteFrom("settings").where("name", "=", markOf(tx)).execute();
}

/** Whether a project's past is played, or was and is on its way to the present. */
export async function isPast(tx: ProjectTx): Promise<boolean> {
  return await playerOf(tx) !== undefined;
}

/** The process that plays a project's past; empty when it has left. Undefined: its past is over. */
export async function playerOf(tx: ProjectTx): Promise<string | undefined> {
  const mark = await tx.whole.selectFrom("settings").select("value").where("name", "=", markOf(tx))
    .executeTakeFirst();
  return mark?.value;
}

/**
 * Makes what tells whether another process plays a project's past. Meanwhile only that one lets its time
 * pass. A process that has looked dead for some seconds plays no more.
 */
export function watchPast(
  others: Others | undefined,
  clock: Clock,
): (tx: ProjectTx) => Promise<boolean> {
  const dead = createDeadHolders(clock);
  return async (tx) => {
    if (!others) return false;
    const player = await playerOf(tx);
    if (!player || player === others.holder) return false;
    const isAlive = (await others.alive(tx.whole, [player])).has(player);
    return !dead.among(isAlive ? [] : [player]).has(player);
  };
}
