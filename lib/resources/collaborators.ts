/**
 * Collaborators: the people with access to the project. They are invited and removed elsewhere.
 *
 * @example Who has not accepted yet?
 * ```ts ignore
 * import { connect, each, listCollaborators } from "../../mod.ts";
 *
 * const client = await connect();
 * for await (const person of each(client, listCollaborators(client))) {
 *   if (person.accepted_at === null) console.log(person.email);
 * }
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";

/** A person with access to the project. */
export interface Collaborator {
  /** Always `collaborator`. */
  object: "collaborator";
  /** Generated id, `collab…`. */
  id: string;
  /** The person's name, or null if unknown. */
  name: string | null;
  /** The person's e-mail address. */
  email: string;
  /** The role, such as `owner`, `admin`, `developer` or `read_only`. */
  role: string;
  /** When the invitation was accepted, in milliseconds since 1970; null while it is pending. */
  accepted_at: number | null;
  /** Whether the person signs in with a second factor. */
  has_mfa: boolean;
}

/** Lists the collaborators of the project. `GET /projects/{id}/collaborators` */
export function listCollaborators(client: Client, query?: PageQuery): Promise<Page<Collaborator>> {
  return client.get(path`/collaborators`, { query });
}
