/**
 * Projects in the API.
 *
 * @module
 */

import { z } from "zod";
import type { Project } from "../../resources/projects.ts";
import { component, millis } from "../contract/schemas.ts";
import type { Row } from "../store/tables.ts";

/** A project in an answer. */
export const projectSchema: z.ZodType<Project> = component(
  "Project",
  z.object({
    object: z.literal("project"),
    id: z.string(),
    name: z.string(),
    created_at: millis,
    icon_url: z.string().nullable(),
    icon_url_large: z.string().nullable(),
  }),
);

/** A project in the API. */
export function showProject(row: Row<"projects">): Project {
  return {
    object: "project",
    id: row.id,
    name: row.name,
    created_at: row.created_at,
    icon_url: row.icon_url,
    icon_url_large: row.icon_url_large,
  };
}
