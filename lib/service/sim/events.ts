/**
 * The events of a project, in order, as webhooks get them. The API has no such list.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import { missing } from "../errors.ts";
import { listPage, tableListing } from "../lists.ts";
import { pageQuery } from "../schemas.ts";
import type { Row } from "../store/tables.ts";
import { simRoute } from "./route.ts";

const listEvents = simRoute({
  summary: "Lists events, oldest first.",
  method: "GET",
  path: "/events",
  query: pageQuery.extend({
    type: z.string().min(1).optional(),
    customer_id: z.string().min(1).optional(),
  }),
}, (call) => {
  const { type, customer_id } = call.query;
  const where = sql`${type === undefined ? sql`1 = 1` : sql`type = ${type.toUpperCase()}`}
    and ${customer_id === undefined ? sql`1 = 1` : sql`customer_id = ${customer_id}`}`;
  return listPage(call, tableListing(call, "events", { object: "event", where, show: showEvent }));
});

const getEvent = simRoute({
  summary: "Reads one event.",
  method: "GET",
  path: "/events/{id}",
}, async ({ tx, project, params }) => {
  const row = await tx.selectFrom("events").selectAll()
    .where("project_id", "=", project.id).where("id", "=", params.id).executeTakeFirst();
  if (row) return showEvent(row);
  throw missing("event", params.id);
});

/** The routes of events. */
export const eventRoutes = [listEvents, getEvent];

/** An event with the body that is delivered. */
function showEvent(row: Row<"events">): Record<string, unknown> {
  const { id, type, customer_id, app_id, environment, created_at, payload } = row;
  const delivery: unknown = JSON.parse(payload);
  return { object: "event", id, type, customer_id, app_id, environment, created_at, delivery };
}
