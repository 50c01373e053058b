/**
 * Removes a customer's personal attributes from its events.
 *
 * @module
 */

import { delivery } from "../domain/events.ts";
import type { ProjectCall } from "../records/find.ts";
import { nextRowsWith, rowsWith, updateRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Events are changed in batches of this size. */
const CHUNK = 500;

/**
 * Clears `subscriber_attributes` in all events of a customer, recorded with any of its ids.
 * Deliveries already on their way keep their payload, since all attempts of a delivery are equal.
 */
export async function forgetAttributes(
  place: ProjectCall,
  customerId: string,
): Promise<void> {
  const { tx } = place;
  const aliases = await rowsWith(tx, "customer_aliases", { customer_id: customerId });
  const ids = aliases.map(({ alias }) => alias);
  for (let after = 0;;) {
    const next = { after, count: CHUNK };
    const events = await nextRowsWith(tx, "events", { customer_id: ids }, next);
    const changed = events.flatMap(withoutAttributes);
    for (const { id } of changed) await keepOnItsWay(place, id);
    await updateRows(tx, "events", changed, ["payload"]);
    const last = events.at(-1);
    if (last === undefined || events.length < CHUNK) return;
    after = last.seq;
  }
}

/** The event without attributes; undefined if it has none. */
function withoutAttributes(row: Row<"events">): Row<"events">[] {
  const { event } = JSON.parse(row.payload);
  if (Object.keys(event.subscriber_attributes ?? {}).length === 0) return [];
  return [{ ...row, payload: delivery({ ...event, subscriber_attributes: {} }) }];
}

/** Keeps the current payload for the pending deliveries of an event. */
async function keepOnItsWay({ tx }: ProjectCall, eventId: string): Promise<void> {
  const payload = tx.selectFrom("events").select("payload").where("id", "=", eventId);
  await tx.updateTable("deliveries").set({ payload }).where("event_id", "=", eventId)
    .where("state", "=", "pending").where("payload", "is", null).execute();
}
