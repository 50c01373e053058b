/**
 * `cli collaborators …`
 *
 * @module
 */

import { onList } from "../words/plain.ts";
import { type Collaborator, listCollaborators } from "../../resources/collaborators.ts";
import { group } from "../words/command.ts";
import { date } from "../screen/display.ts";
import type { Column } from "../screen/output.ts";

const columns: Column<Collaborator>[] = [
  { header: "id", value: (person) => person.id, kind: "id" },
  { header: "name", value: (person) => person.name },
  { header: "email", value: (person) => person.email, kind: "id" },
  { header: "role", value: (person) => person.role, kind: "word" },
  {
    header: "accepted",
    value: ({ accepted_at }) => accepted_at === null ? "pending" : accepted_at && date(accepted_at),
  },
  { header: "mfa", value: (person) => person.has_mfa, spare: true },
];

/** Collaborators: read-only. */
export const collaborators = group("Collaborators: who has access to the project", ["members"], {
  list: onList("List the collaborators", listCollaborators, columns),
});
