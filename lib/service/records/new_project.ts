/**
 * The creation of projects.
 *
 * @module
 */

import type { Actor } from "../contract/route.ts";
import { newId } from "./ids.ts";
import { fixed, inProject, type TextTx, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Creates a project with its owner as a collaborator, also for the seed, without building a query. */
export async function insertProject(
  tx: TextTx,
  name: string,
  owner: Pick<Actor, "account_id" | "email" | "name" | "has_mfa">,
  now: number,
): Promise<Row<"projects">> {
  // All projects: the new one comes after them.
  const { rows: [project] } = await fixed<Row<"projects">>`
    insert into projects (id, seq, name, created_at, last_seq)
    values (${newId("project")}, (select coalesce(max(seq), 0) + 1 from projects),
      ${name}, ${now}, 1)
    returning *`.execute(tx);
  if (!project) throw new TypeError("A new project was not returned");
  await writeRows(inProject(tx, project.id), "collaborators", [{
    id: newId("collaborator"),
    seq: 1,
    account_id: owner.account_id,
    name: owner.name,
    email: owner.email,
    role: "owner",
    accepted_at: now,
    has_mfa: owner.has_mfa ? 1 : 0,
  }]);
  return project;
}
