/**
 * Audit entries. Each change writes one, in its own transaction.
 *
 * @module
 */

import { newId } from "../records/ids.ts";
import type { AccountCall, AuditEntry } from "../contract/route.ts";
import { inProject, nextSeq, writeRows } from "../store/mod.ts";

/** Records the actor, action, object and client of a change in a project. */
export async function recordAudit(
  call: AccountCall,
  projectId: string,
  entry: AuditEntry,
): Promise<void> {
  const { actor, now } = call;
  const tx = inProject(call.tx.whole, projectId);
  const data = JSON.stringify({
    actor: { email: actor.email, name: actor.name, has_mfa: actor.has_mfa },
    metadata: {
      api_version: "v2",
      client_id: actor.client_id,
      permissions: actor.scope.split(" "),
      user_agent: call.userAgent,
    },
  });
  // Every change writes an entry, and building a typed query takes longer than running it.
  await writeRows(tx, "audit_logs", [{
    id: newId("audit_log"),
    seq: await nextSeq(tx),
    ...entry,
    actor_type: "user",
    actor_identifier: actor.account_id,
    occurred_at: now,
    additional_data: data,
  }]);
}
