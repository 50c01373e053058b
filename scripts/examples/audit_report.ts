/**
 * Writes the changes of the last days as CSV, one line for each person and type of change. The
 * number of days is the argument; the default is 7.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/audit_report.ts 30 > changes.csv
 * ```
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`.
 *
 * @module
 */

import { type AuditLog, connect, each, listAuditLogs } from "../../mod.ts";

const days = Number(Deno.args[0] ?? 7);
if (!Number.isInteger(days) || days < 1 || days > 10_000) {
  throw new RangeError(`Cannot report ${JSON.stringify(Deno.args[0])} days: pass 1 to 10000`);
}
// Days are UTC, and today is one of them.
const start_date = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);

const client = await connect();
// Newest first.
const entries = each(client, listAuditLogs(client, { start_date, limit: 100 }));
const groups = Map.groupBy(
  await Array.fromAsync(entries),
  (entry) => `${cell(personOf(entry))},${cell(entry.action_type)}`,
);

console.log("person,action,changes,last_change");
for (const [personAndAction, changes] of [...groups].sort(([a], [b]) => a < b ? -1 : 1)) {
  const newest = new Date(changes[0]?.occurred_at ?? 0);
  console.log(`${personAndAction},${changes.length},${newest.toISOString()}`);
}

/** The e-mail address of a change's actor, or else the id. */
function personOf({ additional_data: { actor }, actor_identifier }: AuditLog): string {
  const hasEmail = typeof actor === "object" && actor !== null && "email" in actor;
  return hasEmail ? String(actor.email) : actor_identifier;
}

/** A text for CSV, in quotation marks if needed. */
function cell(text: string): string {
  // A spreadsheet would take such a text for a formula, and run it.
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
