/**
 * Audit logs: read-only, newest first.
 *
 * @module
 */

import { DAY_MS } from "../domain/calendar.ts";
import { sql } from "kysely";
import { z } from "zod";
import type { AuditLog } from "../../resources/audit_logs.ts";
import { invalid } from "../contract/errors.ts";
import { listPage, tableListing } from "../records/lists.ts";
import { route } from "../contract/route.ts";
import { component, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import type { Row } from "../store/tables.ts";

const auditLogSchema: z.ZodType<AuditLog> = component(
  "AuditLog",
  z.object({
    object: z.literal("audit_log"),
    id: z.string(),
    project_id: z.string(),
    action_type: z.string(),
    target_type: z.string(),
    target_identifier: z.string(),
    actor_type: z.enum(["user", "system", "api_key"]),
    actor_identifier: z.string(),
    occurred_at: millis,
    additional_data: z.record(z.string(), z.unknown()),
  }),
);

const date = z.iso.date("must be a date such as 2026-11-23");

const listAuditLogs = route({
  name: "listAuditLogs",
  summary: "Lists the changes to the project, newest first.",
  description: "`end_date` must not be before `start_date`.",
  method: "GET",
  path: "/audit_logs",
  scope: "project_configuration:audit_logs:read",
  query: pageQuery.extend({
    start_date: date.optional(),
    end_date: date.optional(),
  }),
  response: pageOf(auditLogSchema),
}, (call) => {
  const { start_date, end_date } = call.query;
  const from = start_date === undefined ? 0 : Date.parse(start_date);
  const until = end_date === undefined ? undefined : Date.parse(end_date) + DAY_MS;
  if (until !== undefined && until <= from) {
    throw invalid("end_date", "'end_date' must not be before 'start_date'");
  }
  const before = until === undefined ? sql`1 = 1` : sql`occurred_at < ${until}`;
  return listPage(
    call,
    tableListing(call, "audit_logs", {
      object: "audit_log",
      newestFirst: true,
      where: sql`occurred_at >= ${from} and ${before}`,
      show: showAuditLog,
    }),
  );
});

/** The routes of audit logs. */
export const auditLogRoutes = [listAuditLogs];

/** An entry in the API. */
function showAuditLog(row: Row<"audit_logs">): AuditLog {
  return {
    object: "audit_log",
    id: row.id,
    project_id: row.project_id,
    action_type: row.action_type,
    target_type: row.target_type,
    target_identifier: row.target_identifier,
    actor_type: row.actor_type,
    actor_identifier: row.actor_identifier,
    occurred_at: row.occurred_at,
    additional_data: JSON.parse(row.additional_data),
  };
}
