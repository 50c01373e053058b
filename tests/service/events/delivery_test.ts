import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { listApps } from "../../../lib/resources/apps.ts";
import { updateWebhook } from "../../../lib/resources/webhooks.ts";
import { verifyWebhook } from "../../../lib/webhook.ts";
import { MINUTE, openPostOffice } from "../../support/delivery_fixture.ts";
import { HOST } from "../../support/internet.ts";
import { answers, hangUp, internetOf, openReceiver } from "../../support/receiver.ts";

Deno.test("an event arrives signed, and byte for byte as it was stored", async () => {
  using receiver = openReceiver(answers(200), true);
  const { network } = internetOf(receiver);
  await using office = await openPostOffice({ webhookTargets: "public", network });
  const { desk, time } = office;
  const secret = "Bearer let me in, please";
  const webhook = await office.subscribe(
    { url: `https://${HOST}/a%20b/c?d=e%2Ff&g#h` },
    { authorization_header: secret },
  );
  const id = await office.buy("Zoë 🌷");
  await office.idle();
  equal(receiver.arrived.length, 1);
  const [arrived] = receiver.arrived;
  equal(arrived?.line, "POST /a%20b/c?d=e%2Ff&g HTTP/1.1");
  const [event] = await office.sim.rows("events");
  equal(arrived?.body, event?.payload);
  equal(arrived?.event.id, id);
  const { "X-Webhook-Signature": signature, "User-Agent": agent, ...headers } = arrived?.headers ??
    {};
  const seconds = Math.floor(time.clock() / 1000);
  const hex = createHmac("sha256", webhook.signing_secret ?? "")
    .update(`${seconds}.${arrived?.body}`).digest("hex");
  equal(signature, `t=${seconds},v1=${hex}`);
  match(agent ?? "", /^svc-webhooks\/\d/);
  deepEqual(headers, {
    "Host": HOST,
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": headers["webhook-signature"],
    "Authorization": secret,
    "Content-Length": String(new TextEncoder().encode(arrived?.body).length),
  });
  const [delivery] = await office.deliveries(webhook);
  deepEqual([delivery?.state, delivery?.attempts, delivery?.last_status], ["delivered", 1, 200]);
  const [attempt] = await office.attempts(delivery);
  equal(attempt?.address, "93.184.216.34");
  equal(attempt?.request.headers.Authorization, "(hidden)");
  equal(attempt?.request.headers["Content-Type"], "application/json");
  equal(attempt?.request.body, arrived?.body);
  deepEqual(attempt?.response, {
    status: 200,
    headers: { "content-length": "6" },
    body: "thanks",
    cut: false,
  });
  deepEqual(Object.keys(attempt?.timing_ms ?? {}), [
    ...["resolve", "connect", "secure", "answer", "total"],
  ]);
  ok(!JSON.stringify(await office.get(`/webhooks/${webhook.id}/deliveries`)).includes("let me in"));
  equal(desk.service.deliverer !== undefined, true);
});

Deno.test("each webhook gets the events that it subscribes to, and no others", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const { items: apps } = await listApps(office.desk.client);
  const appOf = (type: string) => apps.find((app) => app.type === type)?.id ?? null;
  const at = (name: string) => ({ url: `${receiver.url}&to=${name}` });
  await office.subscribe(at("all"));
  await office.subscribe(at("once"), { event_types: ["non_renewing_purchase", "expiration"] });
  await office.subscribe(at("renewals"), { event_types: ["renewal"] });
  await office.subscribe(at("sandbox"), { environment: "sandbox" });
  await office.subscribe(at("production"), { environment: "production" });
  await office.subscribe(at("apple"), { app_id: appOf("app_store") });
  await office.subscribe(at("google"), { app_id: appOf("play_store") });
  await office.buy("ada", { environment: "sandbox" });
  await office.buy("bob", { product_id: "notes_lifetime", environment: "production" });
  await office.idle();
  const got = receiver.arrived.map(({ line, event }) =>
    `${/to=(\w+)/.exec(line)?.[1]} ${event.app_user_id}`
  );
  deepEqual(got.sort(), [
    ...["all ada", "all bob", "apple ada", "google bob", "once ada", "once bob"],
    ...["production bob", "sandbox ada"],
  ]);
});

Deno.test("a failed delivery is retried after 5, 10, 20, 40 and 80 minutes, then fails", async () => {
  using receiver = openReceiver(answers(500));
  await using office = await openPostOffice();
  const { time } = office;
  const webhook = await office.subscribe(receiver);
  await office.buy("ada");
  const started: number[] = [time.clock()];
  await office.idle();
  for (const minutes of [5, 10, 20, 40, 80]) {
    // Nothing is early, and a random part of up to a tenth is added.
    time.pass(minutes * MINUTE - 1);
    await office.idle();
    equal(receiver.arrived.length, started.length);
    time.pass(minutes * MINUTE / 10 + 2);
    await office.idle();
    started.push(time.clock());
    equal(receiver.arrived.length, started.length);
  }
  time.pass(100_000 * MINUTE);
  await office.idle();
  equal(receiver.arrived.length, 6);
  const [delivery] = await office.deliveries(webhook);
  deepEqual([delivery?.state, delivery?.attempts, delivery?.last_status], ["dead", 6, 500]);
  equal(delivery?.last_error, "The receiver answered 500");
  const attempts = await office.attempts(delivery);
  deepEqual(attempts.map(({ number }) => number), [1, 2, 3, 4, 5, 6]);
  equal(attempts.at(-1)?.next_attempt_at, null);
  const [first, ...others] = receiver.arrived;
  for (const other of others) {
    equal(other.body, first?.body);
    equal(other.headers["webhook-id"], first?.headers["webhook-id"]);
    notEqual(other.headers["X-Webhook-Signature"], first?.headers["X-Webhook-Signature"]);
  }
});

Deno.test("a customer's events arrive in order; a failed one does not block the next", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const { time } = office;
  const ids: string[] = [];
  const webhook = await office.subscribe(receiver);
  receiver.behave = async (arrived, conn) =>
    await answers(arrived.event.id === ids[0] ? 500 : 200)(arrived, conn);
  receiver.behave = answers(500);
  for (let i = 0; i < 3; i++) ids.push(await office.buy("ada"));
  receiver.behave = async (arrived, conn) =>
    await answers(arrived.event.id === ids[0] ? 500 : 200)(arrived, conn);
  ids.push(await office.buy("bob"));
  await office.idle();
  // Bob does not wait for Ada.
  deepEqual(receiver.arrived.map(({ event }) => event.id), [ids[0], ids[3]]);
  deepEqual((await office.deliveries(webhook)).map(({ state }) => state), [
    ...["pending", "waiting", "waiting", "delivered"],
  ]);
  for (let i = 0; i < 8; i++) {
    time.pass(90 * MINUTE);
    await office.idle();
  }
  deepEqual(receiver.arrived.map(({ event }) => event.id), [
    ...[ids[0], ids[3], ids[0], ids[0], ids[0], ids[0], ids[0], ids[1], ids[2]],
  ]);
});

Deno.test("a hanging receiver delays no other", async () => {
  using slow = openReceiver(async (_arrived, conn) => await hangUp(conn));
  using fast = openReceiver();
  await using office = await openPostOffice();
  await office.subscribe(slow);
  await office.subscribe(fast);
  for (let i = 0; i < 50; i++) await office.buy(`c${i}`);
  await fast.has(50);
  await slow.has(32);
  equal(slow.arrived.length, 32);
  office.time.pass(MINUTE);
  await slow.has(50);
  office.time.pass(MINUTE);
  await office.idle();
  equal(fast.arrived.length, 50);
});

Deno.test("a receiver that is gone is disabled, and a new URL enables it again", async () => {
  using receiver = openReceiver(answers(410));
  await using office = await openPostOffice();
  const { client } = office.desk;
  const webhook = await office.subscribe(receiver);
  const other = await office.subscribe({ url: `${receiver.url}&other` }, {
    event_types: ["renewal"],
  });
  await office.sim.post("/clock/advance", { by: "P1Y" });
  const ahead = 365 * 24 * 60 * MINUTE;
  const gone = await office.buy("ada");
  await office.idle();
  await office.buy("ada");
  await office.idle();
  equal(receiver.arrived.length, 1);
  const path = `/v2/projects/${client.projectId}/integrations/webhooks`;
  const { items } = await (await office.desk.send("GET", path)).json();
  equal(items[0].disabled_at, office.time.clock() + ahead);
  equal(items[1].disabled_at, null);
  deepEqual((await office.deliveries(webhook)).map(({ state }) => state), ["dead"]);
  const refused = await office.sim.send("POST", `/events/${gone}/resend`, {
    webhook_id: webhook.id,
  });
  equal(refused.status, 422);
  receiver.behave = answers(200);
  equal((await updateWebhook(client, webhook.id, { name: "Back" })).disabled_at !== null, true);
  equal((await updateWebhook(client, webhook.id, { url: receiver.url })).disabled_at, null);
  const since = office.time.clock();
  deepEqual(await office.sim.post("/events/recover", { since }), {
    object: "recovery",
    deliveries: 2,
  });
  await office.idle();
  equal(receiver.arrived.length, 3);
  deepEqual(await office.deliveries(other), []);
});

Deno.test("recovery does not resend pings", async () => {
  using receiver = openReceiver(answers(500));
  using other = openReceiver();
  await using office = await openPostOffice();
  const tried = await office.subscribe(receiver);
  const beside = await office.subscribe(other);
  await office.sim.post(`/webhooks/${tried.id}/ping`);
  await office.sim.post("/trigger", { type: "TEST" });
  await office.idle();
  const states = async () => (await office.deliveries(tried)).map(({ state }) => state);
  const before = await states();
  equal(before[0], "dead");
  const arrived = other.arrived.length;
  receiver.behave = answers(200);
  const recovery = await office.sim.post("/events/recover", { since: 0 });
  deepEqual(recovery, { object: "recovery", deliveries: 0 });
  await office.idle();
  deepEqual(await states(), before);
  equal(other.arrived.length, arrived);
  equal((await office.deliveries(beside)).length, 1, "the TEST event that was for all");
});

Deno.test("recovery refuses an end before its start", async () => {
  await using office = await openPostOffice();
  const turned = { since: 2000, until: 1000 };
  const refused = await office.sim.send("POST", "/events/recover", turned);
  equal(refused.status, 400);
  match((await refused.json()).message, /^'until' must not be before 'since'$/);
  const moment = await office.sim.post("/events/recover", { since: 2000, until: 2000 });
  deepEqual(moment, { object: "recovery", deliveries: 0 });
});

Deno.test("an event can be resent, to one webhook or to all", async () => {
  using one = openReceiver();
  using two = openReceiver(answers(500));
  await using office = await openPostOffice();
  const first = await office.subscribe(one);
  const second = await office.subscribe(two);
  const id = await office.buy();
  await office.idle();
  const again = await office.sim.post<{ items: unknown[] }>(`/events/${id}/resend`);
  equal(again.items.length, 2);
  await office.idle();
  deepEqual([one.arrived.length, two.arrived.length], [2, 2]);
  await office.sim.post(`/events/${id}/resend`, { webhook_id: second.id });
  await office.idle();
  deepEqual([one.arrived.length, two.arrived.length], [2, 3]);
  equal(one.arrived[0]?.body, one.arrived[1]?.body);
  const [delivered] = await office.deliveries(first);
  deepEqual([delivered?.state, delivered?.attempts], ["delivered", 2]);
  // It starts again, with five more attempts.
  const [failing] = await office.deliveries(second);
  const wait = (failing?.next_attempt_at ?? 0) - office.time.clock();
  ok(wait >= 5 * MINUTE && wait <= 5.5 * MINUTE, String(wait));
  // It is newer than the event, so it gets the event only if it is named.
  const late = await office.subscribe({ url: `${one.url}&late` }, { event_types: ["renewal"] });
  await office.sim.post(`/events/${id}/resend`);
  await office.sim.post(`/events/${id}/resend`, { webhook_id: late.id });
  await office.idle();
  equal(one.arrived.filter(({ line }) => line.includes("late")).length, 1);
  equal((await office.sim.send("POST", "/events/nope/resend", {})).status, 404);
});

Deno.test("a resent event is signed when it is sent, with the secret of that time", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const { sim, time } = office;
  const webhook = await office.subscribe(receiver);
  const id = await office.buy();
  await office.idle();
  const rotated = await sim.post<{ signing_secret: string }>(
    `/webhooks/${webhook.id}/rotate_secret`,
  );
  // The first secret signs for a day more.
  time.pass(25 * 60 * MINUTE);
  await sim.post(`/events/${id}/resend`);
  await office.idle();
  const [first, again] = receiver.arrived;
  deepEqual([again?.body, again?.headers["webhook-id"]], [first?.body, id]);
  for (const form of ["x-webhook-signature", "webhook-signature"]) {
    const headers = new Headers(again?.headers);
    headers.delete(form);
    const received = () =>
      new Request(receiver.url, { method: "POST", headers, body: again?.body ?? "" });
    const now = time.clock();
    equal((await verifyWebhook(received(), rotated.signing_secret, { now })).id, id);
    await rejects(verifyWebhook(received(), webhook.signing_secret ?? "", { now }));
  }
});
