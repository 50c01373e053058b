/**
 * Shortens the waits that an earlier start of the service set, if the current schedule has shorter
 * ones.
 *
 * @module
 */

import { fixed, inProject, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { readRetryAfter, type Schedule, waitAfter } from "./schedule.ts";

/** A delivery that waits for its next attempt, with its last attempt. */
type Waiting =
  & Pick<Row<"deliveries">, "project_id" | "id" | "tries" | "attempts">
  & Pick<Row<"attempts">, "started_at" | "timing" | "response_headers">
  & { ready_at: number };

/** Ends each wait no later than the schedule does. A `Retry-After` still counts. */
export async function shortenWaits(
  whole: Tx,
  { now, schedule }: { now: number; schedule: Schedule },
): Promise<void> {
  // All projects: the schedule is the same for each of them.
  const { rows } = await fixed<Waiting>`
    select deliveries.project_id, deliveries.id, tries, attempts, ready_at, started_at, timing,
      response_headers
    from webhook_integrations as webhook
    join deliveries on deliveries.project_id = webhook.project_id
      and deliveries.integration_id = webhook.id
    join attempts on attempts.project_id = deliveries.project_id
      and attempts.delivery_id = deliveries.id and attempts.number = deliveries.attempts
    where ready_at > ${now} and lease is null and tries > 0`.execute(whole);
  for (const row of rows) {
    const ready_at = latestEnd(row, schedule);
    if (ready_at >= row.ready_at) continue;
    const { id, attempts } = row;
    const tx = inProject(whole, row.project_id);
    // It may have been claimed meanwhile.
    const { numUpdatedRows } = await tx.updateTable("deliveries").set({ ready_at })
      .where("id", "=", id).where("lease", "is", null).where("ready_at", "=", row.ready_at)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) continue;
    await tx.updateTable("attempts").set({ next_attempt_at: ready_at })
      .where("delivery_id", "=", id).where("number", "=", attempts).execute();
  }
}

/** The latest end of a wait. */
function latestEnd({ started_at, timing, response_headers, tries }: Waiting, schedule: Schedule) {
  const { total = 0 }: { total?: number } = JSON.parse(timing);
  const ended = started_at + total;
  const headers: Record<string, string> = JSON.parse(response_headers ?? "{}");
  const retryAfterMs = readRetryAfter(headers["retry-after"], ended);
  // The earlier schedule may have had more attempts.
  const failures = Math.min(tries, schedule.waitsMs.length);
  return ended + (waitAfter(schedule, failures, { retryAfterMs, random: () => 1 }) ?? 0);
}
