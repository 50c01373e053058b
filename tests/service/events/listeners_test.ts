import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { openService } from "../../support/engine.ts";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";
import { simulate } from "../../support/simulation.ts";
import { openTime } from "../../support/virtual_time.ts";

/** An event as a listener gets it. */
interface Pulled {
  id: string;
  type: string;
  payload: string;
}

/** Sends a request to the listener of a desk. */
async function listener<T>(desk: Desk, method: string, path = "", body?: unknown): Promise<T> {
  const response = await simulate(desk).send(method, `/listeners/default${path}`, body);
  const text = await response.text();
  equal(response.status, 200, text);
  return JSON.parse(text);
}

/** The events that wait for the listener. */
async function pull(desk: Desk, query = ""): Promise<Pulled[]> {
  const { items } = await listener<{ items: Pulled[] }>(desk, "GET", `/events${query}`);
  return items;
}

Deno.test("of two programs with one name the newer gets all events, and the older an error", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  const open = () => listener<{ session: string }>(desk, "POST", "", {});
  const older = await open();
  const waiting = sim.send(
    "GET",
    `/listeners/default/events?wait_ms=25000&session=${older.session}`,
  );
  // Its request may be before or after the newer one.
  await new Promise(setImmediate);
  const newer = await open();
  const refused = await waiting;
  equal(refused.status, 409);
  match((await refused.json()).message, /^Cannot listen as "default" any more: another program/);
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  const [event] = await pull(desk, `?session=${newer.session}`);
  const ack = (session?: string) =>
    sim.send("POST", "/listeners/default/ack", { event_id: event?.id, session });
  equal((await ack(older.session)).status, 409);
  equal((await pull(desk, `?session=${newer.session}`)).length, 1);
  equal((await ack(newer.session)).status, 200);
  deepEqual(await pull(desk), []);
});

Deno.test("a listener can be deleted, and its waiting program gets an error", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  const { session } = await listener<{ session: string }>(desk, "POST", "", {});
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  const [event] = await pull(desk);
  await listener(desk, "POST", "/ack", { event_id: event?.id });
  const waits = [`&session=${session}`, ""].map((more) =>
    sim.send("GET", `/listeners/default/events?wait_ms=25000${more}`)
  );
  await new Promise(setImmediate);
  const deleted = await listener<Record<string, unknown>>(desk, "DELETE");
  deepEqual([deleted.object, deleted.name], ["listener", "default"]);
  for (const refused of await Promise.all(waits)) {
    equal(refused.status, 404);
    match((await refused.json()).message, /no listener "default"/);
  }
  const { items } = await (await sim.send("GET", "/listeners")).json();
  deepEqual(items, []);
  equal((await sim.send("DELETE", "/listeners/default")).status, 404);
  // Its position is deleted: a new listener of that name starts now.
  await sim.subscribe({ product_id: "notes.pro.annual" });
  equal((await listener<{ is_new: boolean }>(desk, "POST", "", {})).is_new, true);
  deepEqual(await pull(desk), []);
});

Deno.test("a listener starts now, and keeps its position and its secret", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  const first = await listener<Record<string, unknown>>(desk, "POST", "", {});
  deepEqual([first.waiting, first.is_new], [0, true]);
  match(String(first.signing_secret), /^whsec_/);
  await sim.subscribe({ customer_id: "bob", product_id: "notes.pro.monthly" });
  const again = await listener<Record<string, unknown>>(desk, "POST", "", {});
  notEqual(again.session, first.session);
  const { session } = again;
  deepEqual(again, { ...first, is_new: false, waiting: 1, session });
  deepEqual(await listener(desk, "GET", "/secret"), {
    object: "listener_secret",
    name: "default",
    signing_secret: first.signing_secret,
  });
  const rotated = await listener<Record<string, unknown>>(desk, "POST", "/rotate_secret", {});
  notEqual(rotated.signing_secret, first.signing_secret);
  equal(
    (await listener<typeof first>(desk, "POST", "", {})).signing_secret,
    rotated.signing_secret,
  );
});

Deno.test("a listener gets the frozen bytes in order, until it acknowledges them", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  await listener(desk, "POST", "", {});
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "renew");
  await sim.act(id, "cancel");
  const rows = await sim.rows("events");
  const events = await pull(desk);
  deepEqual(events.map(({ payload }) => payload), rows.map(({ payload }) => payload));
  deepEqual(await pull(desk), events);
  deepEqual(await pull(desk, "?limit=1"), events.slice(0, 1));
  deepEqual(
    (await pull(desk, "?types=renewal,CANCELLATION")).map(({ type }) => type),
    ["RENEWAL", "CANCELLATION"],
  );
  const [, second, third] = events;
  const after = await listener<{ waiting: number }>(desk, "POST", "/ack", { event_id: second?.id });
  equal(after.waiting, 1);
  // A late acknowledgement moves nothing back.
  await listener(desk, "POST", "/ack", { event_id: events[0]?.id });
  deepEqual(await pull(desk), [third]);
});

Deno.test("a waiting listener gets an event as soon as it is stored", async () => {
  // Time stands still, so a longer wait would be endless.
  await using desk = await openDesk(openTime());
  await listener(desk, "POST", "", {});
  const waiting = pull(desk, "?wait_ms=25000");
  for (let i = 0; i < 10; i++) await new Promise(setImmediate);
  await simulate(desk).subscribe({ product_id: "notes.pro.monthly" });
  deepEqual((await waiting).map(({ type }) => type), ["INITIAL_PURCHASE"]);
});

Deno.test("a waiting listener gets an answer when the service stops", async () => {
  await using service = await openService({ adminSecret: "adm_x" });
  const send = (method: string, path: string) =>
    service.fetch(
      new Request(`${BASE_URL}/_sim/projects/${service.projectId}/listeners${path}`, {
        method,
        headers: { Authorization: "Bearer adm_x" },
      }),
    );
  equal((await send("POST", "/default")).status, 200);
  const waiting = send("GET", "/default/events?wait_ms=25000");
  service.stopWaiting();
  deepEqual(await (await waiting).json(), { object: "list", items: [] });
});

Deno.test("a listener that was not opened, or has an invalid name, is refused", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  equal((await sim.send("GET", "/listeners/nobody/events")).status, 404);
  equal((await sim.send("POST", "/listeners/two%20words", {})).status, 400);
  await listener(desk, "POST", "", {});
  equal((await sim.send("GET", "/listeners/default/events?wait_ms=soon")).status, 400);
  equal((await sim.send("POST", "/listeners/default/ack", { event_id: "nope" })).status, 404);
});
