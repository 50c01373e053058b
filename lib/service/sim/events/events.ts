/**
 * The events of a project, in order, as sent to webhooks. The API has no such list.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import { missing } from "../../contract/errors.ts";
import type { ProjectCall } from "../../records/find.ts";
import { listPage, tableListing } from "../../records/lists.ts";
import { pageOf, pageQuery } from "../../contract/schemas.ts";
import type { Row } from "../../store/tables.ts";
import type { LoggedEvent } from "../../../simulator/events.ts";
import { event } from "../answers.ts";
import { simRoute } from "../route.ts";

const listEvents = simRoute({
  name: "listEvents",
  summary: "Lists events, oldest first unless the order is desc.",
  method: "GET",
  path: "/events",
  query: pageQuery.extend({
    // Several are separated by commas.
    type: z.string().min(1).transform((list) => list.toUpperCase().split(",")).optional(),
    customer_id: z.string().min(1).optional(),
    order: z.enum(["asc", "desc"]).default("asc"),
  }),
  response: pageOf(event),
}, (call) => {
  const { type, customer_id, order } = call.query;
  const where = sql`${type === undefined ? sql`1 = 1` : sql`type in (${sql.join(type)})`}
    and ${customer_id === undefined ? sql`1 = 1` : sql`customer_id = ${customer_id}`}`;
  const newestFirst = order === "desc";
  const options = { object: "event", where, newestFirst, show: showEvent };
  return listPage(call, tableListing(call, "events", options));
});

const getEvent = simRoute({
  name: "getEvent",
  summary: "Reads one event.",
  method: "GET",
  path: "/events/{id}",
  response: event,
}, async (call) => showEvent(await findEvent(call, call.params.id)));

/** The routes of events. */
export const eventRoutes = [listEvents, getEvent];

/** Finds an event by its id. */
export async function findEvent({ tx }: ProjectCall, id: string): Promise<Row<"events">> {
  const row = await tx.selectFrom("events").selectAll().where("id", "=", id).executeTakeFirst();
  if (row) return row;
  throw missing("event", id);
}

/** An event with the body for webhooks. */
export function showEvent(row: Row<"events">): LoggedEvent {
  const { id, type, customer_id, app_id, environment, created_at, payload } = row;
  const delivery: unknown = JSON.parse(payload);
  return { object: "event", id, type, customer_id, app_id, environment, created_at, delivery };
}
