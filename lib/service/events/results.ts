/**
 * The results of attempts.
 *
 * @module
 */

import { projectTime } from "../time/clock.ts";
import { fixed, inProject, type Locks, type ProjectTx, type Tx, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { type Attempt, INTERRUPTED, numbered, recordAttempts } from "./attempts.ts";
import type { Claim } from "./claims.ts";
import type { Ended } from "./ended.ts";
import { recordOwn } from "./shared_results.ts";

/** Releases a delivery that the service itself interrupted. The attempt does not count. */
export async function release(
  whole: Tx,
  { delivery: { project_id, id, ready_at, attempts }, lease }: Claim,
  attempt: Attempt,
): Promise<void> {
  const tx = inProject(whole, project_id);
  const { numUpdatedRows } = await tx.updateTable("deliveries")
    .set({ lease: null, ready_at, attempts: attempts + 1 })
    .where("id", "=", id).where("lease", "=", lease).executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await recordAttempts(tx, { id, attempts }, [{ ...attempt, error: INTERRUPTED }], ready_at);
}

/**
 * Stores attempts of a project and their results, and makes the customers' next deliveries ready.
 *
 * @param options.locks What the transaction keeps others away by.
 * @returns those that are not stored, since somebody else holds them. None with the project's lock.
 */
export async function recordEnded(
  whole: Tx,
  projectId: string,
  ended: readonly Ended[],
  { now, locks }: { now: number; locks: Locks },
): Promise<Ended[]> {
  const tx = inProject(whole, projectId);
  if (locks === "rows" && whole.hasRowLocks) return await recordOwn(tx, ended, now);
  const rows: Omit<Row<"attempts">, "project_id">[] = [];
  for (const { claim, attempts, outcome } of ended) {
    const { delivery } = claim;
    const isPending = outcome.state === "pending" && !await isDisabled(tx, delivery);
    const state = outcome.state === "pending" && !isPending ? "dead" : outcome.state;
    const ready_at = isPending ? outcome.ready_at : null;
    const isOwn = await writeNextState(tx, claim, {
      state,
      ready_at,
      attempts: delivery.attempts + attempts.length,
      tries: delivery.tries + (outcome.counts ? 1 : 0),
      finished_at: isPending ? null : now,
    });
    // The integration or the event may be deleted, and another worker may hold the claim.
    if (!isOwn) continue;
    if (outcome.disables) await disable(tx, delivery, now);
    rows.push(...numbered(delivery.id, delivery.attempts, attempts, ready_at));
    if (!isPending) await letNextGo(tx, delivery);
  }
  await writeRows(tx, "attempts", rows);
  return [];
}

/** Writes the next state of a delivery. Returns whether the claim still held it. */
async function writeNextState(
  tx: ProjectTx,
  { delivery: { id }, lease }: Claim,
  next: Pick<Row<"deliveries">, "state" | "ready_at" | "attempts" | "tries" | "finished_at">,
): Promise<boolean> {
  const { state, ready_at, attempts, tries, finished_at } = next;
  const changed = await fixed`
    update deliveries set state = ${state}, ready_at = ${ready_at}, lease = null,
      attempts = ${attempts}, tries = ${tries}, finished_at = ${finished_at},
      payload = case when ${finished_at === null ? 1 : 0} = 1 then payload end
    where project_id = ${tx.projectId} and id = ${id} and lease = ${lease}`.change(tx);
  return changed > 0;
}

/** Whether the integration of a delivery is disabled. */
async function isDisabled(
  tx: ProjectTx,
  { integration_id }: Row<"deliveries">,
): Promise<boolean> {
  const { rows } = await fixed`select 1 from webhook_integrations
    where project_id = ${tx.projectId} and id = ${integration_id}
      and disabled_at is not null`.execute(tx);
  return rows.length > 0;
}

/** Makes the first waiting delivery of a customer ready, unless one is ready already. */
async function letNextGo(
  tx: ProjectTx,
  { integration_id, customer_id }: Pick<Row<"deliveries">, "integration_id" | "customer_id">,
): Promise<void> {
  // SQLite uses the index of what is pending only if the state is written out.
  await fixed`
    update deliveries set ready_at = 0
    where project_id = ${tx.projectId} and ready_at is null and state = 'pending' and id = (
      select id from deliveries
      where project_id = ${tx.projectId} and integration_id = ${integration_id}
        and customer_id = ${customer_id} and state = 'pending'
      order by seq limit 1)`.execute(tx);
}

/** Disables an integration, and fails its waiting deliveries. */
async function disable(
  tx: ProjectTx,
  { integration_id }: Row<"deliveries">,
  now: number,
): Promise<void> {
  const project = await tx.selectFrom("projects").select(["clock_frozen_at", "clock_offset"])
    .executeTakeFirstOrThrow();
  // It is shown beside the creation time, which is project time.
  await tx.updateTable("webhook_integrations").set({ disabled_at: projectTime(project, now) })
    .where("id", "=", integration_id).execute();
  // Claimed deliveries fail when their attempt ends.
  const dead = { state: "dead", ready_at: null, finished_at: now, payload: null } as const;
  await tx.updateTable("deliveries").set(dead)
    .where("integration_id", "=", integration_id).where("state", "=", "pending").where(
      "lease",
      "is",
      null,
    ).execute();
}
