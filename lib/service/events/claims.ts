/**
 * Claims on deliveries, and their results. A claim is a lease: a worker that holds it too long, or
 * dies, loses it to another one.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { projectTime } from "../clock.ts";
import { acrossProjects, inProject, type Others, type ProjectTx, type Tx } from "../store/mod.ts";
import type { DeliveryState } from "../store/delivery_tables.ts";
import type { Row } from "../store/tables.ts";

/** The deliveries to one integration. Lanes do not delay each other. */
export interface Lane {
  /** The project. */
  project_id: string;
  /** The integration. */
  integration_id: string;
}

/** A claimed delivery, with all data that the attempt needs. */
export interface Claim {
  /** The delivery. */
  readonly delivery: Row<"deliveries">;
  /** The event, with the payload to send. */
  readonly event: Row<"events">;
  /** The receiver. */
  readonly webhook: Row<"webhook_integrations">;
  /** The owner of the claim. */
  readonly lease: string;
}

/** The stored part of an attempt. */
export type Attempt = Omit<
  Row<"attempts">,
  "project_id" | "delivery_id" | "number" | "next_attempt_at"
>;

/** The next state of a delivery. */
export interface Outcome {
  /** Its state. */
  state: DeliveryState;
  /** The time of the next attempt, while it is pending. */
  ready_at: number | null;
  /** Whether the attempt counts towards the limit of attempts. */
  counts: boolean;
  /** Whether the receiver answered that it is gone. */
  disables: boolean;
}

/** The lanes with ready deliveries. */
export async function readyLanes(tx: Tx, now: number): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    select project_id, id as integration_id from webhook_integrations as webhook
    where disabled_at is null and exists (
      select 1 from deliveries
      where project_id = webhook.project_id and integration_id = webhook.id
        and ready_at <= ${now})`.execute(tx);
  return rows;
}

/** The next time at which a delivery is ready, after a moment; null when none is queued. */
export async function nextReadyAt(tx: Tx, now: number): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select min((
      select min(ready_at) from deliveries
      where project_id = webhook.project_id and integration_id = webhook.id
        and ready_at > ${now})) as at
    from webhook_integrations as webhook where disabled_at is null`.execute(tx);
  return rows[0]?.at ?? null;
}

/** Claims deliveries of a lane, retries first. */
export async function claim(
  whole: Tx,
  lane: Lane,
  options: { now: number; until: number; most: number; holder: string | undefined },
): Promise<Claim[]> {
  const { now, until, most, holder } = options;
  const tx = inProject(whole, lane.project_id);
  const webhook = await tx.selectFrom("webhook_integrations").selectAll()
    .where("id", "=", lane.integration_id).where("disabled_at", "is", null).executeTakeFirst();
  if (!webhook) return [];
  const ready = tx.selectFrom("deliveries").selectAll()
    .where("integration_id", "=", lane.integration_id).orderBy("ready_at").orderBy("seq");
  const again = await ready.where("ready_at", ">", 0).where("ready_at", "<=", now)
    .limit(most).execute();
  const fresh = await ready.where("ready_at", "=", 0).limit(most - again.length).execute();
  const claims: Claim[] = [];
  for (const delivery of [...again, ...fresh]) {
    const lease = leaseOf(holder);
    // The earlier claim expired.
    if (delivery.lease !== null) await recordInterrupted(tx, delivery, now);
    await updateDelivery(tx, delivery, { lease, leased_at: now, ready_at: until });
    const event = await tx.selectFrom("events").selectAll()
      .where("id", "=", delivery.event_id).executeTakeFirstOrThrow();
    const attempts = delivery.attempts + (delivery.lease === null ? 0 : 1);
    const payload = delivery.payload ?? event.payload;
    claims.push({
      delivery: { ...delivery, attempts },
      event: { ...event, payload },
      webhook,
      lease,
    });
  }
  return claims;
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
 * The message for an attempt that the service itself interrupted. It does not count towards the
 * limit.
 */
const INTERRUPTED = "The service stopped during this attempt; the receiver may have received it";

/** Releases a delivery that the service itself interrupted. The attempt does not count. */
export async function release(
  whole: Tx,
  { delivery: { project_id, id, ready_at }, lease }: Claim,
  attempt: Attempt,
): Promise<void> {
  const tx = inProject(whole, project_id);
  const delivery = await tx.selectFrom("deliveries").selectAll()
    .where("id", "=", id).executeTakeFirst();
  if (delivery?.lease !== lease) return;
  await recordAttempts(tx, delivery, [{ ...attempt, error: INTERRUPTED }], ready_at);
  const attempts = delivery.attempts + 1;
  await updateDelivery(tx, delivery, { lease: null, ready_at, attempts });
}

/**
 * The claims of dead processes. Without others, this process is the only one on the database and has
 * just started, so all claims are.
 */
export async function deadClaims(
  tx: Tx,
  others: Others | undefined,
): Promise<Row<"deliveries">[]> {
  const held = await acrossProjects(tx).selectFrom("deliveries").selectAll()
    .where("lease", "is not", null).orderBy("project_id").orderBy("seq").execute();
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
    const delivery = await tx.selectFrom("deliveries").selectAll().where("id", "=", id)
      .where("lease", "=", lease).executeTakeFirst();
    if (!delivery) continue;
    await recordInterrupted(tx, delivery, now);
    await updateDelivery(tx, delivery, { lease: null, ready_at: 0 });
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
  const held = await acrossProjects(whole).selectFrom("deliveries").selectAll()
    .where("lease", "like", `${holder}.%`).orderBy("project_id").orderBy("seq").execute();
  for (const delivery of held) {
    if (known.has(delivery.lease ?? "")) continue;
    const tx = inProject(whole, delivery.project_id);
    await updateDelivery(tx, delivery, { lease: null, ready_at: 0 });
  }
}

/** Records an attempt that began and has no known end. */
async function recordInterrupted(
  tx: ProjectTx,
  delivery: Row<"deliveries">,
  now: number,
): Promise<void> {
  const { integration_id, attempts, leased_at } = delivery;
  const { url } = await tx.selectFrom("webhook_integrations").select("url")
    .where("id", "=", integration_id).executeTakeFirstOrThrow();
  const unknown = {
    address: null,
    request_headers: "{}",
    status: null,
    response_headers: null,
    response_body: null,
    response_cut: 0,
    timing: "{}",
  };
  const started_at = leased_at ?? now;
  const attempt = { ...unknown, started_at, url, error: INTERRUPTED };
  await recordAttempts(tx, delivery, [attempt], now);
  await updateDelivery(tx, delivery, { attempts: attempts + 1 });
}

/** Stores attempts after the earlier ones. */
async function recordAttempts(
  tx: ProjectTx,
  { id, attempts: before }: Row<"deliveries">,
  attempts: readonly Attempt[],
  next_attempt_at: number | null,
): Promise<void> {
  for (const [i, attempt] of attempts.entries()) {
    const number = before + i + 1;
    const row = { delivery_id: id, number, ...attempt, next_attempt_at };
    await tx.insertInto("attempts").values(row).execute();
  }
}

/** Stores an attempt and its result, and makes the customer's next delivery ready. */
export async function finish(
  whole: Tx,
  { delivery: { project_id, id }, lease }: Claim,
  attempts: readonly Attempt[],
  outcome: Outcome,
  now: number,
): Promise<void> {
  const tx = inProject(whole, project_id);
  const delivery = await tx.selectFrom("deliveries").selectAll()
    .where("id", "=", id).executeTakeFirst();
  // The integration or the event may be deleted, and another worker may hold the claim.
  if (delivery?.lease !== lease) return;
  if (outcome.disables) await disable(tx, delivery, now);
  const webhook = await tx.selectFrom("webhook_integrations").select("disabled_at")
    .where("id", "=", delivery.integration_id).executeTakeFirst();
  const ends = outcome.state === "pending" && typeof webhook?.disabled_at === "number";
  const state = ends ? "dead" : outcome.state;
  const ready_at = state === "pending" ? outcome.ready_at : null;
  await recordAttempts(tx, delivery, attempts, ready_at);
  await updateDelivery(tx, delivery, {
    state,
    ready_at,
    lease: null,
    attempts: delivery.attempts + attempts.length,
    tries: delivery.tries + (outcome.counts ? 1 : 0),
    finished_at: state === "pending" ? null : now,
    payload: state === "pending" ? delivery.payload : null,
  });
  if (state !== "pending") await letNextGo(tx, delivery);
}

/** Makes the first waiting delivery of a customer ready, unless one is ready already. */
async function letNextGo(
  tx: ProjectTx,
  { integration_id, customer_id }: Pick<Row<"deliveries">, "integration_id" | "customer_id">,
): Promise<void> {
  const first = await tx.selectFrom("deliveries").selectAll()
    .where("integration_id", "=", integration_id).where("customer_id", "=", customer_id)
    .where("state", "=", "pending").orderBy("seq").limit(1).executeTakeFirst();
  if (first && first.ready_at === null) await updateDelivery(tx, first, { ready_at: 0 });
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

async function updateDelivery(
  tx: ProjectTx,
  { id }: Pick<Row<"deliveries">, "id">,
  change: Partial<Omit<Row<"deliveries">, "project_id">>,
): Promise<void> {
  await tx.updateTable("deliveries").set(change).where("id", "=", id).execute();
}
