/**
 * The deliveries of events to webhooks, and resending them.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { invalid, missing, unprocessable } from "../../contract/errors.ts";
import { deliveriesOf, recoverEvents, resendEvent } from "../../events/resend.ts";
import { findWebhook, type ProjectCall } from "../../records/find.ts";
import { listPage, tableListing, wholeList } from "../../records/lists.ts";
import { pageOf, pageQuery } from "../../contract/schemas.ts";
import type { Row } from "../../store/tables.ts";
import { findEvent } from "./events.ts";
import { moment } from "../fields.ts";
import type { Delivery, DeliveryAttempt, DeliveryState } from "../../../simulator/deliveries.ts";
import type { RecoveredEvents } from "../../../simulator/events.ts";
import { delivery, DELIVERY_STATES, deliveryAttempt, recoveredEvents } from "../answers.ts";
import { simRoute } from "../route.ts";

/** The condition for a state. */
const IN_STATE: Record<DeliveryState, RawBuilder<unknown>> = {
  waiting: sql`state = 'pending' and ready_at is null`,
  pending: sql`state = 'pending' and ready_at is not null and lease is null`,
  sending: sql`lease is not null`,
  delivered: sql`state = 'delivered'`,
  dead: sql`state = 'dead'`,
  dropped: sql`state = 'dropped'`,
};

const webhookId = z.string().min(1);

const listWebhookDeliveries = simRoute({
  name: "listWebhookDeliveries",
  summary: "Lists the deliveries to a webhook integration, newest first.",
  method: "GET",
  path: "/webhooks/{id}/deliveries",
  query: pageQuery.extend({ state: z.enum(DELIVERY_STATES).optional() }),
  response: pageOf(delivery),
}, async (call) => {
  const { id } = await findWebhook(call, call.params.id);
  const { state } = call.query;
  const inState = state === undefined ? sql`1 = 1` : IN_STATE[state];
  return await listPage(
    call,
    tableListing(call, "deliveries", {
      object: "delivery",
      where: sql`integration_id = ${id} and ${inState}`,
      newestFirst: true,
      show: (row) => showDelivery(call, row),
    }),
  );
});

const listEventDeliveries = simRoute({
  name: "listEventDeliveries",
  summary: "Lists the deliveries of an event.",
  method: "GET",
  path: "/events/{id}/deliveries",
  response: pageOf(delivery),
}, async (call) => {
  const { id } = await findEvent(call, call.params.id);
  return wholeList(call.url, await showDeliveries(call, await deliveriesOf(call, id)));
});

const getDelivery = simRoute({
  name: "getDelivery",
  summary: "Reads one delivery.",
  method: "GET",
  path: "/deliveries/{id}",
  response: delivery,
}, async (call) => showDelivery(call, await findDelivery(call, call.params.id)));

const listAttempts = simRoute({
  name: "listDeliveryAttempts",
  summary: "Lists the attempts of a delivery, oldest first.",
  method: "GET",
  path: "/deliveries/{id}/attempts",
  response: pageOf(deliveryAttempt),
}, async (call) => {
  const { tx } = call;
  const row = await findDelivery(call, call.params.id);
  const { payload } = await findEvent(call, row.event_id);
  const rows = await tx.selectFrom("attempts").selectAll().where("delivery_id", "=", row.id)
    .orderBy("number").execute();
  return wholeList(call.url, rows.map((attempt) => showAttempt(attempt, row.payload ?? payload)));
});

const resend = simRoute({
  name: "resendEvent",
  summary: "Resends an event to one integration or to all matching integrations.",
  method: "POST",
  path: "/events/{id}/resend",
  body: z.strictObject({ webhook_id: webhookId.optional() }),
  response: pageOf(delivery),
}, async (call) => {
  const event = await findEvent(call, call.params.id);
  const { webhook_id } = call.body();
  const webhook = webhook_id === undefined
    ? undefined
    : await findWebhook(call, webhook_id, "webhook_id");
  if (webhook) refuseDisabled(webhook);
  const deliveries = await resendEvent(call, event, webhook);
  return wholeList(call.url, await showDeliveries(call, deliveries));
});

const recover = simRoute({
  name: "recoverEvents",
  summary: "Resends the undelivered events of an integration since a time.",
  method: "POST",
  path: "/events/recover",
  body: z.strictObject({
    since: moment,
    until: moment.optional(),
    webhook_id: webhookId.optional(),
  }),
  response: recoveredEvents,
}, async (call): Promise<RecoveredEvents> => {
  const query = call.body();
  if (query.until !== undefined && query.until < query.since) {
    throw invalid("until", "'until' must not be before 'since'");
  }
  if (query.webhook_id !== undefined) {
    refuseDisabled(await findWebhook(call, query.webhook_id, "webhook_id"));
  }
  return { object: "recovery", deliveries: await recoverEvents(call, query) };
});

/** The routes of deliveries. */
export const deliveryRoutes = [
  listWebhookDeliveries,
  listEventDeliveries,
  getDelivery,
  listAttempts,
  resend,
  recover,
];

/** Finds a delivery by its id. */
export async function findDelivery({ tx }: ProjectCall, id: string): Promise<Row<"deliveries">> {
  const row = await tx.selectFrom("deliveries").selectAll().where("id", "=", id).executeTakeFirst();
  if (row) return row;
  throw missing("delivery", id);
}

/**
 * Refuses to send to a disabled integration.
 *
 * @throws {Refusal} 422 when it is disabled.
 */
export function refuseDisabled({ disabled_at }: Row<"webhook_integrations">): void {
  if (disabled_at === null) return;
  const message = "The webhook integration is disabled: its receiver answered 410 Gone; " +
    "update its URL to enable it";
  throw unprocessable(message);
}

/** Deliveries in an answer. */
async function showDeliveries(call: ProjectCall, rows: readonly Row<"deliveries">[]) {
  const shown = [];
  for (const row of rows) shown.push(await showDelivery(call, row));
  return shown;
}

/** A delivery in an answer, with its last result. */
export async function showDelivery(
  { tx }: ProjectCall,
  row: Row<"deliveries">,
): Promise<Delivery> {
  const { type } = await tx.selectFrom("events").select("type")
    .where("id", "=", row.event_id).executeTakeFirstOrThrow();
  const last = await tx.selectFrom("attempts").selectAll().where("delivery_id", "=", row.id)
    .orderBy("number", "desc").limit(1).executeTakeFirst();
  const state = stateOf(row);
  return {
    object: "delivery",
    id: row.id,
    webhook_id: row.integration_id,
    event_id: row.event_id,
    event_type: type,
    customer_id: row.customer_id,
    state,
    attempts: row.attempts,
    last_attempt_at: last?.started_at ?? null,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    next_attempt_at: state === "pending" ? row.ready_at || null : null,
    finished_at: row.finished_at,
  };
}

/** The state of a delivery, in more detail than stored. */
function stateOf({ state, ready_at, lease }: Row<"deliveries">): DeliveryState {
  if (state !== "pending") return state;
  if (lease !== null) return "sending";
  return ready_at === null ? "waiting" : "pending";
}

/** An attempt in an answer: request, response and timing. */
function showAttempt(row: Row<"attempts">, body: string): DeliveryAttempt {
  const { delivery_id, number, started_at, url, address, error, next_attempt_at } = row;
  return {
    object: "delivery_attempt",
    delivery_id,
    number,
    started_at,
    url,
    address,
    request: { headers: JSON.parse(row.request_headers), body },
    response: row.response_headers === null ? null : {
      status: row.status,
      headers: JSON.parse(row.response_headers),
      body: row.response_body,
      cut: row.response_cut === 1,
    },
    error,
    timing_ms: JSON.parse(row.timing),
    next_attempt_at,
  };
}
