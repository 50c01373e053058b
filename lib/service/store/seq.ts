/**
 * The order of a project's objects. Only this file reads and writes `last_seq`: the row of a project
 * may be behind until the commit.
 *
 * @module
 */

import { fixed } from "./fixed.ts";
import type { ProjectTx } from "./in_project.ts";
import { misuse } from "./work.ts";

/** Takes the next number in the project's order. Rejects when there is no such project. */
export function nextSeq(tx: ProjectTx): Promise<number> {
  return nextSeqs(tx, 1);
}

/** Takes so many numbers in the project's order, and returns the last one. Rejects as `nextSeq` does. */
export async function nextSeqs(tx: ProjectTx, count: number): Promise<number> {
  const { projectId, whole: { numbers } } = tx;
  if (numbers) {
    const last = await lastSeq(tx) + count;
    numbers.set(projectId, last);
    return last;
  }
  const { rows } = await fixed<{ last_seq: number }>`
    update projects set last_seq = last_seq + ${count} where id = ${projectId}
    returning last_seq`.execute(tx);
  return numberIn(tx, rows);
}

/** The last number that was taken. Rejects when there is no such project. */
export async function lastSeq(tx: ProjectTx): Promise<number> {
  const { projectId, whole: { numbers } } = tx;
  const kept = numbers?.get(projectId);
  if (kept !== undefined) return kept;
  const { rows } = await fixed<{ last_seq: number }>`
    select last_seq from projects where id = ${projectId}`.execute(tx);
  return numberIn(tx, rows);
}

/** Takes all numbers up to this one. */
export async function takeSeqs(tx: ProjectTx, last: number): Promise<void> {
  const { projectId, whole: { numbers } } = tx;
  if (numbers) return numbers.set(projectId, last);
  await fixed`update projects set last_seq = ${last} where id = ${projectId}`.execute(tx);
}

function numberIn({ projectId }: ProjectTx, [row]: readonly { last_seq: number }[]): number {
  if (row) return row.last_seq;
  throw misuse(
    `Cannot number a row in the project ${JSON.stringify(projectId)}: there is no such project`,
  );
}
