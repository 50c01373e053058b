/**
 * `cli projects …`
 *
 * @module
 */

import { onList, showOne } from "../words/plain.ts";
import { UsageError } from "../../errors.ts";
import { createProject, getProject, listProjects, type Project } from "../../resources/projects.ts";
import { command, group, optionalArgument, requiredText } from "../words/command.ts";
import type { Column } from "../screen/output.ts";

const columns: Column<Project>[] = [
  { header: "id", value: (project) => project.id, kind: "id" },
  { header: "name", value: (project) => project.name },
  { header: "created", value: (project) => project.created_at, kind: "date", spare: true },
];

const view = command({
  brief: "Show a project",
  args: { id: optionalArgument("The project's id (default: the project of this folder)") },
  async run(context, { id }) {
    const client = await context.client();
    const wanted = id ?? client.projectId;
    if (wanted === undefined) {
      throw new UsageError("Cannot show a project: no project is given or set", {
        hint: "See your projects with: cli projects list",
      });
    }
    showOne(context, await getProject(client, wanted));
  },
});

/** Projects. */
export const projects = group("Projects, which contain everything else", ["proj"], {
  list: onList("List your projects", listProjects, columns),
  view,
  create: command({
    brief: "Create a project",
    flags: { name: requiredText("The display name") },
    async run(context, { name }) {
      showOne(context, await createProject(await context.client(), { name }));
    },
  }),
});
