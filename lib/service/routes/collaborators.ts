/**
 * Collaborators: read-only.
 *
 * @module
 */

import { z } from "zod";
import type { Collaborator } from "../../resources/collaborators.ts";
import { listPage, tableListing } from "../records/lists.ts";
import { route } from "../contract/route.ts";
import { component, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import type { Row } from "../store/tables.ts";

const collaboratorSchema: z.ZodType<Collaborator> = component(
  "Collaborator",
  z.object({
    object: z.literal("collaborator"),
    id: z.string(),
    name: z.string().nullable(),
    email: z.string(),
    role: z.string(),
    accepted_at: millis.nullable(),
    has_mfa: z.boolean(),
  }),
);

const listCollaborators = route({
  name: "listCollaborators",
  summary: "Lists the collaborators of the project.",
  method: "GET",
  path: "/collaborators",
  scope: "project_configuration:collaborators:read",
  query: pageQuery,
  response: pageOf(collaboratorSchema),
}, (call) =>
  listPage(
    call,
    tableListing(call, "collaborators", { object: "collaborator", show: showCollaborator }),
  ));

/** The routes of collaborators. */
export const collaboratorRoutes = [listCollaborators];

/** A collaborator in the API. */
function showCollaborator(row: Row<"collaborators">): Collaborator {
  return {
    object: "collaborator",
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    accepted_at: row.accepted_at,
    has_mfa: row.has_mfa === 1,
  };
}
