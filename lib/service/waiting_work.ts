/**
 * Work that the service still has to do, over all projects.
 *
 * @module
 */

import { gauge, type Metric } from "./http/metrics.ts";
import { behindAt } from "./ledger/catch_up.ts";
import { acrossProjects, type Tx } from "./store/mod.ts";

/** The depth of each queue, and the age of its oldest entry. */
export async function workWaiting(tx: Tx, now: number): Promise<Metric[]> {
  // All projects: the metrics are about the whole database.
  const due = await acrossProjects(tx).selectFrom("deliveries").where("ready_at", "<=", now)
    .select((row) => [
      row.fn.countAll<number>().as("count"),
      // 0 means at once: since when is not known.
      row.fn.min(row.fn<number | null>("nullif", ["ready_at", row.lit(0)])).as("since"),
    ])
    .executeTakeFirstOrThrow();
  const behind = await behindAt(tx, now);
  return [
    gauge("svc_deliveries_due", "Webhook deliveries that are due", due.count),
    gauge(
      "svc_delivery_lag_seconds",
      "Time since the oldest due repetition of a delivery should have begun",
      Math.max(0, now - (due.since ?? now)) / 1000,
    ),
    gauge("svc_projects_behind", "Projects with renewals or other steps due", behind.length),
  ];
}
