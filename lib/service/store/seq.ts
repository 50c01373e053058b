/**
 * The order of a project's objects.
 *
 * @module
 */

import type { Tx } from "./connection.ts";

/** Takes the next number in the project's order. Rejects when there is no such project. */
export async function nextSeq(tx: Tx, projectId: string): Promise<number> {
  const { last_seq } = await tx.updateTable("projects")
    .set((eb) => ({ last_seq: eb("last_seq", "+", 1) }))
    .where("id", "=", projectId)
    .returning("last_seq")
    .executeTakeFirstOrThrow();
  return last_seq;
}
