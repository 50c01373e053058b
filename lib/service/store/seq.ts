/**
 * The order of a project's objects.
 *
 * @module
 */

import { fixed } from "./fixed.ts";
import type { ProjectTx } from "./in_project.ts";
import { misuse } from "./work.ts";

/** Takes the next number in the project's order. Rejects when there is no such project. */
export async function nextSeq(tx: ProjectTx): Promise<number> {
  const { rows } = await fixed<{ last_seq: number }>`
    update projects set last_seq = last_seq + 1 where id = ${tx.projectId}
    returning last_seq`.execute(tx);
  return numberIn(tx, rows);
}

/** The last number that was taken. Rejects when there is no such project. */
export async function lastSeq(tx: ProjectTx): Promise<number> {
  const { rows } = await fixed<{ last_seq: number }>`
    select last_seq from projects where id = ${tx.projectId}`.execute(tx);
  return numberIn(tx, rows);
}

/** Takes all numbers up to this one. */
export async function takeSeqs(tx: ProjectTx, last: number): Promise<void> {
  await fixed`update projects set last_seq = ${last} where id = ${tx.projectId}`.execute(tx);
}

function numberIn({ projectId }: ProjectTx, [row]: readonly { last_seq: number }[]): number {
  if (row) return row.last_seq;
  throw misuse(
    `Cannot number a row in the project ${JSON.stringify(projectId)}: there is no such project`,
  );
}
