/**
 * Queues events for the integrations that subscribe to them, in the transaction that writes the
 * events. For each integration and customer, one delivery is ready and the others wait.
 *
 * @module
 */

import type { SqlBool } from "kysely";
import type { ProjectCall } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { loadedBuilder, lockFirst, rowsWith, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { markEvents, markQueued } from "./queued.ts";

/** The fields of an event that decide its receivers and its order. */
export type QueuedEvent = Pick<
  Row<"events">,
  "id" | "seq" | "type" | "customer_id" | "app_id" | "environment"
>;

type Webhook = Row<"webhook_integrations">;

/** The most values in a query. */
const CHUNK = 500;

/** Queues new events for every integration that subscribes to them. */
export async function queueDeliveries(
  place: ProjectCall,
  events: readonly QueuedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  markEvents(place.tx.whole);
  const webhooks = await listeningWebhooks(place);
  const wanted = webhooks.flatMap((webhook) =>
    events.filter((event) => wants(webhook, event)).map((event) => ({ webhook, event }))
  );
  await queueNew(place, wanted);
}

/** The enabled integrations of a project. */
export async function listeningWebhooks({ tx }: ProjectCall): Promise<Webhook[]> {
  return await rowsWith(tx, "webhook_integrations", { disabled_at: null }, ["seq"]);
}

/** Whether an integration subscribes to an event. */
export function wants(webhook: Webhook, event: QueuedEvent): boolean {
  const types: string[] | null = webhook.event_types === null
    ? null
    : JSON.parse(webhook.event_types);
  return (types?.includes(event.type.toLowerCase()) ?? true) &&
    (webhook.environment ?? event.environment) === event.environment &&
    (webhook.app_id ?? event.app_id) === event.app_id;
}

/** An event for an integration. */
interface Wanted {
  /** The integration. */
  webhook: Pick<Webhook, "id">;
  /** The event. */
  event: QueuedEvent;
}

/**
 * Queues events for integrations that never had them queued. Returns the deliveries' ids.
 *
 * @param options.once Whether each fails after one attempt.
 */
export async function queueNew(
  place: ProjectCall,
  wanted: readonly Wanted[],
  { once = false }: { once?: boolean } = {},
): Promise<string[]> {
  if (wanted.length === 0) return [];
  const { tx } = place;
  const rows = wanted.map(({ webhook, event }) => ({
    id: newId("delivery"),
    seq: event.seq,
    integration_id: webhook.id,
    event_id: event.id,
    customer_id: event.customer_id,
    ready_at: null,
    once: once ? 1 : 0,
  }));
  await lockFirst(tx, rows);
  await writeRows(tx, "deliveries", rows);
  await makeReady(place, wanted.map(({ event }) => event.id));
  return rows.map(({ id }) => id);
}

/**
 * Queues finished deliveries again at their old positions, and ends the waits of pending ones. All
 * start as if new.
 */
export async function queueAgain(
  place: Pick<ProjectCall, "tx">,
  deliveries: readonly Pick<
    Row<"deliveries">,
    "id" | "event_id" | "integration_id" | "customer_id"
  >[],
): Promise<void> {
  const { tx } = place;
  await lockFirst(tx, deliveries);
  for (let at = 0; at < deliveries.length; at += CHUNK) {
    const ids = deliveries.slice(at, at + CHUNK).map(({ id }) => id);
    const these = tx.updateTable("deliveries").where("id", "in", ids).where("lease", "is", null);
    await these.set({ ready_at: 0, tries: 0 }).where("ready_at", "is not", null).execute();
    await these.set({ state: "pending", tries: 0, finished_at: null })
      .where("state", "!=", "pending").execute();
  }
  await makeReady(place, deliveries.map(({ event_id }) => event_id));
}

/** Makes the deliveries ready that are the first of their customer. */
async function makeReady(
  { tx }: Pick<ProjectCall, "tx">,
  eventIds: readonly string[],
): Promise<void> {
  const { sql } = loadedBuilder();
  markQueued(tx.whole);
  for (let at = 0; at < eventIds.length; at += CHUNK) {
    await tx.updateTable("deliveries").set({ ready_at: 0 })
      .where("event_id", "in", eventIds.slice(at, at + CHUNK))
      .where("state", "=", "pending").where("ready_at", "is", null).where(sql<SqlBool>`not exists (
        select 1 from ${tx.rows("deliveries")} as other
        where other.integration_id = deliveries.integration_id
          and other.customer_id = deliveries.customer_id
          and other.state = 'pending'
          and (other.ready_at is not null or other.seq < deliveries.seq))`)
      .execute();
  }
}
