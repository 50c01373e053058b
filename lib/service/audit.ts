/**
 * Audit entries. Each change writes one, in its own transaction.
 *
 * @module
 */

import { newId } from "./ids.ts";
import type { AccountCall, AuditEntry } from "./route.ts";
import { nextSeq } from "./store/mod.ts";

/** Writes down who did what to what in a project, and with which client. */
export async function recordAudit(
  call: AccountCall,
  projectId: string,
  entry: AuditEntry,
): Promise<void> {
  const { tx, actor } = call;
  await tx.insertInto("audit_logs").values({
    project_id: projectId,
    id: newId("audit_log"),
    seq: await nextSeq(tx, projectId),
    ...entry,
    actor_type: "user",
    actor_identifier: actor.account_id,
    occurred_at: call.now,
    additional_data: JSON.stringify({
      actor: { email: actor.email, name: actor.name, has_mfa: actor.has_mfa },
      metadata: {
        api_version: "v2",
        client_id: actor.client_id,
        permissions: actor.scope.split(" "),
        user_agent: call.userAgent,
      },
    }),
  }).execute();
}
