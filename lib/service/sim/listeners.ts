/**
 * Fetching events instead of being sent them: a listener of any name gets what it has not
 * acknowledged, in order, as often as it asks.
 *
 * Gap: two programs under one name both get everything until one of them acknowledges it.
 *
 * @module
 */

import { z } from "zod";
import { missing } from "../errors.ts";
import { countWaiting, type Pull } from "../events/listeners.ts";
import { newSigningSecret } from "../events/signatures.ts";
import { validate } from "../body.ts";
import { pageQuery } from "../schemas.ts";
import type { Row } from "../store/tables.ts";
import { findEvent } from "./events.ts";
import { type SimCall, simRoute } from "./route.ts";

/** The longest that a request waits for an event, in milliseconds. */
const LONGEST_WAIT = 25_000;

const nameSchema = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, '.', '_' or '-'"),
});

const someTypes = z.array(z.string().min(1).toUpperCase()).min(1).max(100);
const types = someTypes.optional();

const openListener = simRoute({
  summary: "Tells a listener's secret and how many events wait for it. A new one begins now.",
  method: "POST",
  path: "/listeners/{name}",
  body: z.strictObject({ types }),
}, async (call) => {
  const { tx, project, params } = call;
  const { name } = validate(nameSchema, { name: params.name });
  const { types } = call.body();
  const latest = await tx.selectFrom("events").select("seq").where("project_id", "=", project.id)
    .orderBy("seq", "desc").limit(1).executeTakeFirst();
  await tx.insertInto("listeners").values({
    project_id: project.id,
    name,
    acknowledged: latest?.seq ?? 0,
    secret: newSigningSecret(),
    created_at: call.wall(),
  }).onConflict((conflict) => conflict.doNothing()).execute();
  return await showListener(call, await findListener(call, name), types);
});

const pullEvents = simRoute({
  summary: "Fetches the next events that a listener has not acknowledged, and may wait for them.",
  method: "GET",
  path: "/listeners/{name}/events",
  query: z.object({
    limit: pageQuery.shape.limit,
    wait_ms: z.string().regex(/^\d{1,5}$/, "must be a number of milliseconds")
      .transform((digits) => Math.min(Number(digits), LONGEST_WAIT)).default(0),
    types: z.string().transform((list) => list.split(",")).pipe(someTypes).optional(),
  }),
  async outside(wanted: Pull, { listeners }) {
    const events = await listeners.pull(wanted);
    return { object: "list", items: events.map(showPulled) };
  },
}, async (call) => {
  const { name } = await findListener(call, call.params.name);
  const { limit, wait_ms, types } = call.query;
  return { project_id: call.project.id, name, limit, wait_ms, types };
});

const acknowledge = simRoute({
  summary: "Tells that a listener has dealt with an event and all before it.",
  method: "POST",
  path: "/listeners/{name}/ack",
  body: z.strictObject({ event_id: z.string().min(1), types }),
}, async (call) => {
  const { tx, project } = call;
  const listener = await findListener(call, call.params.name);
  const { event_id, types } = call.body();
  const { seq } = await findEvent(call, event_id);
  // Telling it again, or late, takes nothing back.
  const acknowledged = Math.max(listener.acknowledged, seq);
  await tx.updateTable("listeners").set({ acknowledged })
    .where("project_id", "=", project.id).where("name", "=", listener.name).execute();
  return await showListener(call, { ...listener, acknowledged }, types);
});

/** The routes of listeners. */
export const listenerRoutes = [openListener, pullEvents, acknowledge];

async function findListener({ tx, project }: SimCall, name: string): Promise<Row<"listeners">> {
  const row = await tx.selectFrom("listeners").selectAll()
    .where("project_id", "=", project.id).where("name", "=", name).executeTakeFirst();
  if (row) return row;
  throw missing("listener", name);
}

/** A listener as it is shown. */
async function showListener(
  { tx }: SimCall,
  listener: Row<"listeners">,
  types: readonly string[] | undefined,
) {
  const { name, secret, created_at } = listener;
  return {
    object: "listener",
    name,
    signing_secret: secret,
    created_at,
    waiting: await countWaiting(tx, listener, types),
  };
}

/** An event as listeners get it: the body that is sent, as text, so that not a byte of it changes. */
function showPulled({ id, type, customer_id, created_at, payload }: Row<"events">) {
  return { object: "event", id, type, customer_id, created_at, payload };
}
