/**
 * Projects that start at a given time, for scenarios.
 *
 * @module
 */

import { z } from "zod";
import { unprocessable } from "../contract/errors.ts";
import { text } from "../contract/fields.ts";
import { listAccounts } from "../oauth/mod.ts";
import { insertProject } from "../records/new_project.ts";
import { projectSchema, showProject } from "../records/projects.ts";
import { inProject } from "../store/mod.ts";
import { moment } from "./fields.ts";
import { adminRoute } from "./route.ts";

const createProject = adminRoute({
  name: "beginProject",
  summary: "Creates a project of the first account. Its clock stands at the given time.",
  method: "POST",
  path: "/_sim/projects",
  body: z.strictObject({ name: text(255), now: moment }),
  response: projectSchema,
  status: 201,
}, async ({ store, body }) => {
  const { name, now } = body();
  return await store.write(async (tx) => {
    const [owner] = await listAccounts(tx);
    if (!owner) throw unprocessable("The service has no account");
    const actor = { ...owner, account_id: owner.id, has_mfa: owner.has_mfa === 1 };
    const project = await insertProject(tx, name, actor, now);
    await inProject(tx, project.id).updateTable("projects").set({ clock_frozen_at: now }).execute();
    return showProject(project);
  });
});

/** The routes of projects. */
export const simProjectRoutes = [createProject];
