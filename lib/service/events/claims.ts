/**
 * Who is at which delivery, and what came of it. A claim is a lease: whoever holds it past its time,
 * or dies with it, loses it to the next.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { projectTime } from "../clock.ts";
import { acrossProjects, inProject, type ProjectTx, type Tx } from "../store/mod.ts";
import type { DeliveryState } from "../store/delivery_tables.ts";
import type { Row } from "../store/tables.ts";

/** The deliveries to one integration: what happens in one lane holds up no other. */
export interface Lane {
  /** The project. */
  project_id: string;
  /** The integration. */
  integration_id: string;
}

/** A delivery in somebody's hands, with all that is needed to make it. */
export interface Claim {
  /** The delivery. */
  readonly delivery: Row<"deliveries">;
  /** The event, its payload as it is sent. */
  readonly event: Row<"events">;
  /** Where it goes. */
  readonly webhook: Row<"webhook_integrations">;
  /** Whose hands. */
  readonly lease: string;
}

/** What is kept of an attempt. */
export type Attempt = Omit<
  Row<"attempts">,
  "project_id" | "delivery_id" | "number" | "next_attempt_at"
>;

/** What becomes of a delivery. */
export interface Outcome {
  /** Where it stands now. */
  state: DeliveryState;
  /** When it is tried again, while it is pending. */
  ready_at: number | null;
  /** Whether an attempt counts towards giving up. */
  counts: boolean;
  /** Whether the receiver said that it is gone. */
  disables: boolean;
}

/** The lanes in which something can be done now. */
export async function readyLanes(tx: Tx, now: number): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    select project_id, id as integration_id from webhook_integrations as webhook
    where disabled_at is null and exists (
      select 1 from deliveries
      where project_id = webhook.project_id and integration_id = webhook.id
        and ready_at <= ${now})`.execute(tx);
  return rows;
}

/** When something can be done next, after a moment; null when nothing is in line. */
export async function nextReadyAt(tx: Tx, now: number): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select min((
      select min(ready_at) from deliveries
      where project_id = webhook.project_id and integration_id = webhook.id
        and ready_at > ${now})) as at
    from webhook_integrations as webhook where disabled_at is null`.execute(tx);
  return rows[0]?.at ?? null;
}

/** Takes deliveries of a lane into one's hands, those that were tried before first. */
export async function claim(
  whole: Tx,
  lane: Lane,
  options: { now: number; until: number; most: number },
): Promise<Claim[]> {
  const { now, until, most } = options;
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
    const lease = randomBytes(8).toString("hex");
    // Whoever had it did not come back in time.
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

/** What is said of an attempt that our own end has cut off. It does not count towards giving up. */
const INTERRUPTED = "The service stopped during this attempt; the receiver may have received it";

/** Gives a delivery back that our own end has cut off. It counts towards nothing. */
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
 * Frees what a process that is gone had in its hands, and notes that it was cut off. Only one process
 * works on a database.
 */
export async function freeLeases(whole: Tx, now: number): Promise<void> {
  const held = await acrossProjects(whole).selectFrom("deliveries").selectAll()
    .where("lease", "is not", null).execute();
  for (const delivery of held) {
    const tx = inProject(whole, delivery.project_id);
    await recordInterrupted(tx, delivery, now);
    await updateDelivery(tx, delivery, { lease: null, ready_at: 0 });
  }
}

/** Notes an attempt of which nothing is known but that it began. */
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

/** Writes attempts down after those that were made before. */
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

/** Writes down what was tried and what came of it, and lets the customer's next delivery go. */
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
  // Its integration or its event may be gone, and another may have taken over.
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

/** Makes a customer's first delivery that waits ready, unless another one is. */
async function letNextGo(
  tx: ProjectTx,
  { integration_id, customer_id }: Pick<Row<"deliveries">, "integration_id" | "customer_id">,
): Promise<void> {
  const first = await tx.selectFrom("deliveries").selectAll()
    .where("integration_id", "=", integration_id).where("customer_id", "=", customer_id)
    .where("state", "=", "pending").orderBy("seq").limit(1).executeTakeFirst();
  if (first && first.ready_at === null) await updateDelivery(tx, first, { ready_at: 0 });
}

/** Switches an integration off, and gives up what waits for it. */
async function disable(
  tx: ProjectTx,
  { integration_id }: Row<"deliveries">,
  now: number,
): Promise<void> {
  const project = await tx.selectFrom("projects").select(["clock_frozen_at", "clock_offset"])
    .executeTakeFirstOrThrow();
  // It is shown beside the moment of its creation, which is the project's time.
  await tx.updateTable("webhook_integrations").set({ disabled_at: projectTime(project, now) })
    .where("id", "=", integration_id).execute();
  // What somebody has in hand is given up when it comes back.
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
