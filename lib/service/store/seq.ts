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
  if (rows[0]) return rows[0].last_seq;
  throw misuse(
    `Cannot number a row in the project ${JSON.stringify(tx.projectId)}: there is no such project`,
  );
}
