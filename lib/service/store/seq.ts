/**
 * The order of a project's objects.
 *
 * @module
 */

import { sql } from "kysely";
import type { ProjectTx } from "./in_project.ts";
import { misuse } from "./work.ts";

/** Takes the next number in the project's order. Rejects when there is no such project. */
export async function nextSeq(tx: ProjectTx): Promise<number> {
  // Every change asks this twice, so the query is written out: to build it takes as long as to run it.
  const { rows } = await sql<{ last_seq: number }>`
    update projects set last_seq = last_seq + 1 where id = ${tx.projectId}
    returning last_seq`.execute(tx);
  if (rows[0]) return rows[0].last_seq;
  throw misuse(
    `Cannot number anything in the project ${JSON.stringify(tx.projectId)}: there is none`,
  );
}
