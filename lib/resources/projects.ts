/**
 * Projects, which contain everything else. They cannot be changed or deleted here.
 *
 * @example List the projects of the credential
 * ```ts ignore
 * import { connect, each, listProjects } from "../../mod.ts";
 *
 * const client = await connect();
 * for await (const project of each(client, listProjects(client))) console.log(project.name);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";

/** A project. */
export interface Project {
  /** Always `project`. */
  object: "project";
  /** Generated id, `proj…`. */
  id: string;
  /** Its name, 1 to 255 characters. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** Address of a small icon, or null. */
  icon_url: string | null;
  /** Address of a large icon, or null. */
  icon_url_large: string | null;
}

/** The fields of a new project. */
export interface NewProject {
  /** Its name, 1 to 255 characters. */
  name: string;
}

/** Lists the projects of the credential, oldest first. `GET /projects` */
export function listProjects(client: Client, query?: PageQuery): Promise<Page<Project>> {
  return client.get(path`/v2/projects`, { query });
}

/** Reads one project. `GET /projects/{id}` */
export function getProject(client: Client, id: string): Promise<Project> {
  return client.get(path`/v2/projects/${id}`);
}

/** Creates a project. The signed-in account becomes its owner. `POST /projects` */
export function createProject(client: Client, project: NewProject): Promise<Project> {
  return client.post(path`/v2/projects`, project);
}
