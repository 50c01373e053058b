/**
 * Listeners, which pull events: a listener of any name gets its unacknowledged events in order, as
 * often as it asks.
 *
 * Gap: if two programs use one name, the newer one gets everything and the older one an error. A
 * request without a session gets no error, and all events.
 *
 * @module
 */

import { z } from "zod";
import { missing } from "../../contract/errors.ts";
import type { Pull } from "../../events/listeners.ts";
import { checkSession, countWaiting } from "../../events/pull.ts";
import { newSigningSecret } from "../../events/signatures.ts";
import { validate } from "../../http/body.ts";
import { wholeList } from "../../records/lists.ts";
import { pageOf, pageQuery } from "../../contract/schemas.ts";
import type { Row } from "../../store/tables.ts";
import { findEvent } from "./events.ts";
import type {
  DeletedListener,
  Listener,
  ListenerSecret,
  OpenedListener,
  PulledEvent,
} from "../../../simulator/listeners.ts";
import {
  deletedListener,
  listener,
  listenerSecret,
  openedListener,
  pulledEvents,
} from "../answers.ts";
import { type SimCall, simRoute } from "../route.ts";

/** The longest that a request waits for an event, in milliseconds. */
const LONGEST_WAIT = 25_000;

const nameSchema = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, '.', '_' or '-'"),
});

const someTypes = z.array(z.string().min(1).toUpperCase()).min(1).max(100);
const types = someTypes.optional();

const openListener = simRoute({
  name: "openListener",
  summary:
    "Starts to listen, and replaces a program with the same name. A new listener starts with new events.",
  method: "POST",
  path: "/listeners/{name}",
  body: z.strictObject({ types }),
  response: openedListener,
  async outside(opened: OpenedListener, { listeners }) {
    // Wakes the requests that wait under this name.
    listeners.wake();
    return opened;
  },
}, async (call) => {
  const { tx, params } = call;
  const { name } = validate(nameSchema, { name: params.name });
  const { types } = call.body();
  const latest = await tx.selectFrom("events").select("seq")
    .orderBy("seq", "desc").limit(1).executeTakeFirst();
  const { numInsertedOrUpdatedRows: added } = await tx.insertInto("listeners").values({
    name,
    acknowledged: latest?.seq ?? 0,
    secret: newSigningSecret(),
    created_at: call.wall(),
  }).onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow();
  const session = crypto.randomUUID();
  const opened = await changeListener(call, name, { session });
  return {
    ...await showListener(call, opened, types),
    signing_secret: opened.secret,
    session,
    is_new: added === 1n,
  };
});

const listListeners = simRoute({
  name: "listListeners",
  summary: "Lists the listeners, by name.",
  method: "GET",
  path: "/listeners",
  response: pageOf(listener),
}, async (call) => {
  const rows = await call.tx.selectFrom("listeners").selectAll().orderBy("name").execute();
  const items = [];
  for (const row of rows) items.push(await showListener(call, row, undefined));
  return wholeList(call.url, items);
});

const getSecret = simRoute({
  name: "getListenerSecret",
  summary: "Reads the signing secret of a listener.",
  method: "GET",
  path: "/listeners/{name}/secret",
  response: listenerSecret,
}, async (call) => showSecret(await findListener(call, call.params.name)));

const rotateSecret = simRoute({
  name: "rotateListenerSecret",
  summary: "Creates a new signing secret for a listener. The current session keeps the old one.",
  method: "POST",
  path: "/listeners/{name}/rotate_secret",
  response: listenerSecret,
}, async (call) => {
  const secret = newSigningSecret();
  return showSecret(await changeListener(call, call.params.name, { secret }));
});

const deleteListener = simRoute({
  name: "deleteListener",
  summary: "Deletes a listener and its position. Its current session ends.",
  method: "DELETE",
  path: "/listeners/{name}",
  response: deletedListener,
  async outside(deleted: DeletedListener, { listeners }) {
    // Wakes the requests that wait under this name.
    listeners.wake();
    return deleted;
  },
}, async (call): Promise<DeletedListener> => {
  const { name } = await findListener(call, call.params.name);
  await call.tx.deleteFrom("listeners").where("name", "=", name).execute();
  return { object: "listener", name, deleted_at: call.wall() };
});

const session = z.string().min(1).optional();

const pullEvents = simRoute({
  name: "pullEvents",
  summary: "Reads a listener's next unacknowledged events, and can wait for them.",
  method: "GET",
  path: "/listeners/{name}/events",
  query: z.object({
    limit: pageQuery.shape.limit,
    wait_ms: z.string().regex(/^\d{1,5}$/, "must be a number of milliseconds")
      .transform((digits) => Math.min(Number(digits), LONGEST_WAIT)).default(0),
    types: z.string().transform((list) => list.split(",")).pipe(someTypes).optional(),
    session,
  }),
  response: pulledEvents,
  async outside(wanted: Pull, { listeners }) {
    const events = await listeners.pull(wanted);
    return { object: "list", items: events.map(showPulled) };
  },
}, async (call) => {
  const { name } = await findListener(call, call.params.name);
  return { project_id: call.project.id, name, ...call.query };
});

const acknowledge = simRoute({
  name: "acknowledgeEvent",
  summary: "Acknowledges an event of a listener and all events before it.",
  method: "POST",
  path: "/listeners/{name}/ack",
  body: z.strictObject({ event_id: z.string().min(1), types, session }),
  response: listener,
}, async (call) => {
  const { tx } = call;
  const { name, acknowledged } = await findListener(call, call.params.name);
  const { event_id, types, session } = call.body();
  await checkSession(tx, { name, session });
  const { seq } = await findEvent(call, event_id);
  // A repeated or late acknowledgement moves nothing back.
  const changed = await changeListener(call, name, { acknowledged: Math.max(acknowledged, seq) });
  return await showListener(call, changed, types);
});

/** The routes of listeners. */
export const listenerRoutes = [
  openListener,
  listListeners,
  deleteListener,
  getSecret,
  rotateSecret,
  pullEvents,
  acknowledge,
];

async function findListener({ tx }: SimCall, name: string): Promise<Row<"listeners">> {
  const row = await tx.selectFrom("listeners").selectAll()
    .where("name", "=", name).executeTakeFirst();
  if (row) return row;
  throw missing("listener", name);
}

/** Changes a listener, and returns it. */
async function changeListener(
  call: SimCall,
  name: string,
  change: Partial<Pick<Row<"listeners">, "acknowledged" | "secret" | "session">>,
): Promise<Row<"listeners">> {
  await call.tx.updateTable("listeners").set(change).where("name", "=", name).execute();
  return await findListener(call, name);
}

/** A listener in an answer, without its secret. */
async function showListener(
  { tx }: SimCall,
  listener: Row<"listeners">,
  types: readonly string[] | undefined,
): Promise<Listener> {
  const { name, created_at } = listener;
  const waiting = await countWaiting(tx, listener, types);
  return { object: "listener", name, created_at, waiting };
}

function showSecret({ name, secret }: Row<"listeners">): ListenerSecret {
  return { object: "listener_secret", name, signing_secret: secret };
}

/** An event for a listener. Its body is text, so that every byte stays unchanged. */
function showPulled(row: Row<"events">): PulledEvent {
  const { id, type, customer_id, created_at, payload } = row;
  return { object: "event", id, type, customer_id, created_at, payload };
}
