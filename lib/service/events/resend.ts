/**
 * Resends events: one of them, or all undelivered ones since a moment.
 *
 * @module
 */

import { sql } from "kysely";
import type { ProjectCall } from "../records/find.ts";
import type { Row } from "../store/tables.ts";
import { listeningWebhooks, queueAgain, type QueuedEvent, queueNew, wants } from "./queue.ts";

type Delivery = Row<"deliveries">;
type Webhook = Row<"webhook_integrations">;

/** The events to resend. */
interface RecoverQuery {
  /** The earliest event, in milliseconds since 1970, project time. */
  since: number;
  /** The latest event. Default: no limit. */
  until?: number | undefined;
  /** The only integration. Default: all. */
  webhook_id?: string | undefined;
}

/**
 * Queues one event again: for one integration, subscribed or not, or for all that had it or
 * subscribe to it. Deliveries in progress stay unchanged.
 */
export async function resendEvent(
  place: ProjectCall,
  event: QueuedEvent,
  webhook: Pick<Webhook, "id"> | undefined,
): Promise<Delivery[]> {
  const known = await deliveriesOf(place, event.id);
  const had = new Set(known.map((delivery) => delivery.integration_id));
  const listening = await listeningWebhooks(place);
  const meant = webhook
    ? [webhook]
    : listening.filter((one) => had.has(one.id) || wants(one, event));
  const ids = new Set(meant.map(({ id }) => id));
  await queueAgain(place, known.filter((delivery) => ids.has(delivery.integration_id)));
  const never = meant.filter(({ id }) => !had.has(id));
  await queueNew(place, never.map((webhook) => ({ webhook, event })));
  return (await deliveriesOf(place, event.id)).filter(({ integration_id }) =>
    ids.has(integration_id)
  );
}

/** All deliveries of an event, in the order of their integrations. */
export async function deliveriesOf({ tx }: ProjectCall, eventId: string): Promise<Delivery[]> {
  return await tx.selectFrom("deliveries").selectAll().where("event_id", "=", eventId)
    .orderBy("integration_id").execute();
}

/** Events are read in batches of this size. */
const CHUNK = 1000;

/**
 * Queues again every event that a subscribed integration has not received. Returns their number.
 */
export async function recoverEvents(place: ProjectCall, query: RecoverQuery): Promise<number> {
  const webhooks = (await listeningWebhooks(place))
    .filter(({ id }) => query.webhook_id === undefined || id === query.webhook_id);
  let recovered = 0;
  for (const webhook of webhooks) {
    for (let after = 0;;) {
      const events = await missedEvents(place, webhook, { ...query, after });
      const wanted = events.filter((event) => wants(webhook, event));
      const again = wanted.filter(({ delivery_id }) => delivery_id !== null);
      const fresh = wanted.filter(({ delivery_id }) => delivery_id === null);
      await queueAgain(
        place,
        again.map(({ id, delivery_id, customer_id }) => ({
          id: String(delivery_id),
          event_id: id,
          integration_id: webhook.id,
          customer_id,
        })),
      );
      await queueNew(place, fresh.map((event) => ({ webhook, event })));
      recovered += wanted.length;
      const last = events.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
  }
  return recovered;
}

/**
 * Events that an integration has not received and that are not queued, oldest first. A test event
 * for a single integration is left out.
 */
async function missedEvents(
  { tx }: ProjectCall,
  webhook: Webhook,
  { since, until, after }: RecoverQuery & { after: number },
): Promise<(QueuedEvent & { delivery_id: string | null })[]> {
  const { rows } = await sql<QueuedEvent & { delivery_id: string | null }>`
    select events.id, events.seq, events.type, events.customer_id, events.app_id,
      events.environment, deliveries.id as delivery_id
    from ${tx.rows("events")} as events left join ${tx.rows("deliveries")} as deliveries
      on deliveries.event_id = events.id and deliveries.integration_id = ${webhook.id}
    where events.seq > ${after} and events.type <> 'TEST'
      and events.created_at >= ${since} and events.created_at <= ${until ?? Number.MAX_SAFE_INTEGER}
      and (deliveries.state in ('dead', 'dropped') and deliveries.once = 0
        -- What has no delivery any more has arrived long ago.
        or deliveries.id is null and events.seq > ${webhook.pruned_seq})
    order by events.seq limit ${CHUNK}`.execute(tx);
  return rows;
}
