/**
 * The creation of projects.
 *
 * @module
 */

import type { Actor } from "../contract/route.ts";
import { newId } from "./ids.ts";
import { acrossProjects, inProject, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Creates a project with its owner as a collaborator, also for the seed. */
export async function insertProject(
  tx: Tx,
  name: string,
  owner: Pick<Actor, "account_id" | "email" | "name" | "has_mfa">,
  now: number,
): Promise<Row<"projects">> {
  const all = acrossProjects(tx);
  const { seq } = await all.selectFrom("projects")
    .select((eb) => eb.fn.coalesce(eb.fn.max("seq"), eb.lit(0)).as("seq"))
    .executeTakeFirstOrThrow();
  const project = await all.insertInto("projects").values({
    id: newId("project"),
    seq: seq + 1,
    name,
    icon_url: null,
    icon_url_large: null,
    created_at: now,
    last_seq: 1,
    current_offering_id: null,
    clock_frozen_at: null,
  }).returningAll().executeTakeFirstOrThrow();
  await inProject(tx, project.id).insertInto("collaborators").values({
    id: newId("collaborator"),
    seq: 1,
    account_id: owner.account_id,
    name: owner.name,
    email: owner.email,
    role: "owner",
    accepted_at: now,
    has_mfa: owner.has_mfa ? 1 : 0,
  }).execute();
  return project;
}
