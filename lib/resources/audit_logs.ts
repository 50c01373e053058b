/**
 * Audit logs: who changed what, and when. Newest first.
 *
 * @example What changed since Monday?
 * ```ts ignore
 * import { connect, each, listAuditLogs } from "../../mod.ts";
 *
 * const client = await connect();
 * const since = listAuditLogs(client, { start_date: "2026-11-23" });
 * for await (const entry of each(client, since)) console.log(entry.action_type);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";

/** One change to the project. */
export interface AuditLog {
  /** Always `audit_log`. */
  object: "audit_log";
  /** Generated id, `log…`. */
  id: string;
  /** The project that was changed. */
  project_id: string;
  /** The action, such as `offering_created`. */
  action_type: string;
  /** The kind of the changed object, such as `offering`. */
  target_type: string;
  /** The id of the changed object. */
  target_identifier: string;
  /** The kind of actor: `user`, `system` or `api_key`. */
  actor_type: "user" | "system" | "api_key" | (string & Record<never, never>);
  /** The id of the actor. */
  actor_identifier: string;
  /** The time of the change, in milliseconds since 1970. */
  occurred_at: number;
  /** More about the actor, the target and the request. */
  additional_data: Record<string, unknown>;
}

/** The query of the audit log. */
export interface AuditLogsQuery extends PageQuery {
  /** The first day, `YYYY-MM-DD`, UTC. */
  start_date?: string;
  /** The last day, `YYYY-MM-DD`, UTC, included. */
  end_date?: string;
}

/** Lists the changes to the project, newest first. `GET /audit_logs` */
export function listAuditLogs(client: Client, query?: AuditLogsQuery): Promise<Page<AuditLog>> {
  return client.get(path`/audit_logs`, { query });
}
