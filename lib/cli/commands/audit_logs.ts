/**
 * `cli audit-logs …`
 *
 * @module
 */

import { onList } from "../words/plain.ts";
import { type AuditLog, listAuditLogs } from "../../resources/audit_logs.ts";
import { group } from "../words/command.ts";
import type { Column } from "../screen/output.ts";

const columns: Column<AuditLog>[] = [
  { header: "when", value: (entry) => entry.occurred_at, kind: "time" },
  { header: "action", value: (entry) => entry.action_type, kind: "word" },
  { header: "actor", value: actorName },
  { header: "target", value: (entry) => entry.target_identifier, kind: "id" },
];

/** The actor: the e-mail address if the entry has one. */
function actorName(entry: AuditLog): string {
  const actor = entry.additional_data?.["actor"];
  const email = typeof actor === "object" && actor !== null && "email" in actor
    ? actor.email
    : undefined;
  return typeof email === "string" ? email : entry.actor_identifier;
}

/** Audit logs: read-only, newest first. */
export const auditLogs = group("Audit logs: who changed what", ["audit"], {
  list: onList("List the latest changes to the project", listAuditLogs, columns, {
    onePage: true,
  }),
});
