/**
 * Projects.
 *
 * @module
 */

import { z } from "zod";
import type { NewProject, Project } from "../../resources/projects.ts";
import { Refusal } from "../contract/errors.ts";
import { text } from "../contract/fields.ts";
import { type AccountCall, route } from "../contract/route.ts";
import { pageOf, pageQuery } from "../contract/schemas.ts";
import { type Listing, listPage } from "../records/lists.ts";
import { insertProject } from "../records/new_project.ts";
import { projectSchema, showProject } from "../records/projects.ts";
import { acrossProjects } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

const newProject: z.ZodType<NewProject> = z.strictObject({ name: text(255) });

const READ = "project_configuration:projects:read";

const listProjects = route({
  name: "listProjects",
  summary: "Lists the projects of the credential, oldest first.",
  method: "GET",
  path: "/v2/projects",
  scope: READ,
  query: pageQuery,
  response: pageOf(projectSchema),
}, (call) => listPage(call, projectListing(call)));

const getProject = route({
  name: "getProject",
  summary: "Reads one project.",
  method: "GET",
  path: "/v2/projects/{id}",
  scope: READ,
  response: projectSchema,
}, async (call) => {
  const row = await visibleProjects(call).selectAll("projects")
    .where("projects.id", "=", call.params.id).executeTakeFirst();
  if (row) return showProject(row);
  const message = `The credential has no access to a project ${JSON.stringify(call.params.id)}`;
  throw new Refusal(404, "resource_missing", message);
});

const createProject = route({
  name: "createProject",
  summary: "Creates a project. The signed-in account becomes its owner.",
  method: "POST",
  path: "/v2/projects",
  scope: "project_configuration:projects:read_write",
  body: newProject,
  response: projectSchema,
  // The public API answers 200 here, and 201 to all other creates.
  status: 200,
  audit: "project_created",
}, async (call) => {
  const row = await insertProject(call.tx.whole, call.body().name, call.actor, call.wall());
  return showProject(row);
});

/** The routes of projects. */
export const projectRoutes = [listProjects, getProject, createProject];

/** The projects of the caller. */
function visibleProjects({ tx, actor }: AccountCall) {
  // All projects: those in which the caller has a seat.
  return acrossProjects(tx.whole).selectFrom("projects")
    .innerJoin("collaborators", "collaborators.project_id", "projects.id")
    .where("collaborators.account_id", "=", actor.account_id)
    .where("collaborators.accepted_at", "is not", null);
}

/** Lists the caller's projects, oldest first. */
function projectListing(call: AccountCall): Listing<Row<"projects">, number, Project> {
  return {
    async positionOf(id) {
      const row = await visibleProjects(call).select("projects.seq")
        .where("projects.id", "=", id).executeTakeFirst();
      return row?.seq;
    },
    rowsAfter: (after, count) =>
      visibleProjects(call).selectAll("projects").where("projects.seq", ">", after ?? -1)
        .orderBy("projects.seq").limit(count).execute(),
    idOf: (row) => row.id,
    show: showProject,
  };
}
