/**
 * Claims on deliveries. A claim is a lease: a worker that holds it too long, or
 * dies, loses it to another one.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import {
  acrossProjects,
  fixed,
  inProject,
  type Others,
  type ProjectTx,
  skipHeld,
  type Tx,
  updateRows,
} from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { recordInterrupted } from "./attempts.ts";

/** The deliveries to one integration. Lanes do not delay each other. */
export interface Lane {
  /** The project. */
  project_id: string;
  /** The integration. */
  integration_id: string;
}

/** The key of a lane in a map. */
export function keyOf({ project_id, integration_id }: Lane): string {
  return `${project_id} ${integration_id}`;
}

/** A claimed delivery, with all data that the attempt needs. */
export interface Claim {
  /** The delivery. */
  readonly delivery: Row<"deliveries">;
  /** The body to send. */
  readonly payload: string;
  /** The receiver. */
  readonly webhook: Row<"webhook_integrations">;
  /** The owner of the claim. */
  readonly lease: string;
}

/** The lanes with ready deliveries. */
export async function readyLanes(tx: Tx, now: number): Promise<Lane[]> {
  // All projects: the worker looks for work in each of them.
  const { rows } = await fixed<Lane>`
    select project_id, id as integration_id from webhook_integrations as webhook
    where disabled_at is null and exists (
      select 1 from deliveries
      where project_id = webhook.project_id and integration_id = webhook.id
        and ready_at <= ${now})`.execute(tx);
  return rows;
}

/** The next time at which a delivery is ready, after a moment; null when none is queued. */
export async function nextReadyAt(tx: Tx, now: number): Promise<number | null> {
  // All projects: the worker waits for the first of them.
  const { rows } = await fixed<{ at: number | null }>`
    select min((
      select min(ready_at) from deliveries
      where project_id = webhook.project_id and integration_id = webhook.id
        and ready_at > ${now})) as at
    from webhook_integrations as webhook where disabled_at is null`.execute(tx);
  return rows[0]?.at ?? null;
}

/** A delivery with the payload of its event. */
type Ready = Row<"deliveries"> & { event_payload: string };

/** Claims deliveries of a lane, retries first. Those that others hold are left out. */
export async function claim(
  whole: Tx,
  lane: Lane,
  options: { now: number; until: number; most: number; holder: string | undefined },
): Promise<Claim[]> {
  const { now, until, most, holder } = options;
  const tx = inProject(whole, lane.project_id);
  const { rows: [webhook] } = await fixed<Row<"webhook_integrations">>`
    select * from webhook_integrations
    where project_id = ${lane.project_id} and id = ${lane.integration_id}
      and disabled_at is null`.execute(tx);
  if (!webhook) return [];
  const ready = await readyIn(tx, lane, now, most);
  // The earlier claim expired.
  const lost = ready.filter(({ lease }) => lease !== null);
  for (const delivery of lost) await recordInterrupted(tx, delivery, now);
  const claims = ready.map(({ event_payload, ...delivery }): Claim => ({
    delivery: { ...delivery, attempts: delivery.attempts + (delivery.lease === null ? 0 : 1) },
    payload: delivery.payload ?? event_payload,
    webhook,
    lease: leaseOf(holder),
  }));
  const rows = claims.map(({ delivery: { id }, lease }) => ({
    id,
    lease,
    leased_at: now,
    ready_at: until,
  }));
  await updateRows(tx, "deliveries", rows, ["lease", "leased_at", "ready_at"]);
  return claims;
}

/** The deliveries of a lane that are due, retries first. */
async function readyIn(
  tx: ProjectTx,
  { project_id, integration_id }: Lane,
  now: number,
  most: number,
): Promise<Ready[]> {
  const { rows: again } = await fixed<Ready>`
    select deliveries.*, events.payload as event_payload
    from deliveries join events
      on events.project_id = deliveries.project_id and events.id = deliveries.event_id
    where deliveries.project_id = ${project_id} and integration_id = ${integration_id}
      and ready_at > 0 and ready_at <= ${now}
    order by ready_at, deliveries.seq limit ${most}`.execute(tx, skipHeld(tx));
  if (again.length === most) return again;
  const { rows: fresh } = await fixed<Ready>`
    select deliveries.*, events.payload as event_payload
    from deliveries join events
      on events.project_id = deliveries.project_id and events.id = deliveries.event_id
    where deliveries.project_id = ${project_id} and integration_id = ${integration_id}
      and ready_at = 0
    order by deliveries.seq limit ${most - again.length}`.execute(tx, skipHeld(tx));
  return [...again, ...fresh];
}

/** Whether a delivery that was due is over, or waits for another attempt. */
export async function wasAttempted(
  whole: Tx,
  { projectId, id, now }: { projectId: string; id: string; now: number },
): Promise<boolean> {
  const row = await inProject(whole, projectId).selectFrom("deliveries")
    .select(["state", "lease", "ready_at"]).where("id", "=", id).executeTakeFirst();
  if (row?.state !== "pending") return true;
  return row.lease === null && (row.ready_at ?? 0) > now;
}

/** A new lease. Where several processes use the database, it names its holder. */
function leaseOf(holder: string | undefined): string {
  const own = randomBytes(8).toString("hex");
  return holder === undefined ? own : `${holder}.${own}`;
}

/** The holder of a lease. */
export function holderOf(lease: string | null): string {
  return lease?.split(".", 1)[0] ?? "";
}

/**
 * The claims of dead processes. Without others, this process is the only one on the database and has
 * just started, so all claims are.
 */
export async function deadClaims(
  tx: Tx,
  others: Others | undefined,
): Promise<Row<"deliveries">[]> {
  // All projects: a dead process may have had claims in each of them.
  const { rows: held } = await fixed<Row<"deliveries">>`
    select * from deliveries where lease is not null order by project_id, seq`.execute(tx);
  const alive = await others?.alive(tx, held.map(({ lease }) => holderOf(lease)));
  return held.filter(({ lease }) => !alive?.has(holderOf(lease)));
}

/** Releases claims of dead processes, and records their attempts as interrupted. */
export async function freeLeases(
  whole: Tx,
  now: number,
  claims: readonly Row<"deliveries">[],
): Promise<void> {
  for (const { project_id, id, lease } of claims) {
    const tx = inProject(whole, project_id);
    // Its holder may have ended it meanwhile, or another process may have released it.
    const delivery = await free(tx, { id, lease });
    if (delivery) await recordInterrupted(tx, delivery, now);
  }
}

/**
 * Releases claims of a process that it does not have. The database made them, but was lost before it
 * said so.
 */
export async function freeUnknown(
  whole: Tx,
  holder: string,
  known: ReadonlySet<string>,
): Promise<void> {
  // All projects: the lost claims may be in each of them.
  const held = await acrossProjects(whole).selectFrom("deliveries").selectAll()
    .where("lease", "like", `${holder}.%`).orderBy("project_id").orderBy("seq").execute();
  for (const delivery of held) {
    if (known.has(delivery.lease ?? "")) continue;
    await free(inProject(whole, delivery.project_id), delivery);
  }
}

/** Makes a claimed delivery ready again. Undefined when the claim is no longer there. */
async function free(
  tx: ProjectTx,
  { id, lease }: Pick<Row<"deliveries">, "id" | "lease">,
): Promise<Row<"deliveries"> | undefined> {
  return await tx.updateTable("deliveries").set({ lease: null, ready_at: 0 }).where("id", "=", id)
    .where("lease", "=", lease).returningAll().executeTakeFirst();
}
