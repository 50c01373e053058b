/**
 * Audit entries. Each change writes one, in its own transaction.
 *
 * @module
 */

import { sql } from "kysely";
import { newId } from "../records/ids.ts";
import type { AccountCall, AuditEntry } from "../contract/route.ts";
import { nextSeq } from "../store/mod.ts";

/** Writes down who did what to what in a project, and with which client. */
export async function recordAudit(
  call: AccountCall,
  projectId: string,
  entry: AuditEntry,
): Promise<void> {
  const { tx, actor, now } = call;
  const { action_type, target_type, target_identifier } = entry;
  const data = JSON.stringify({
    actor: { email: actor.email, name: actor.name, has_mfa: actor.has_mfa },
    metadata: {
      api_version: "v2",
      client_id: actor.client_id,
      permissions: actor.scope.split(" "),
      user_agent: call.userAgent,
    },
  });
  // Every change writes one, so the query is written out: to build it takes longer than to run it.
  await sql`
    insert into audit_logs (
      project_id, id, seq, action_type, target_type, target_identifier,
      actor_type, actor_identifier, occurred_at, additional_data
    ) values (
      ${projectId}, ${newId("audit_log")}, ${await nextSeq(tx, projectId)},
      ${action_type}, ${target_type}, ${target_identifier},
      'user', ${actor.account_id}, ${now}, ${data}
    )`.execute(tx);
}
