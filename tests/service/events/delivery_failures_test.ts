import { deepEqual, equal, match } from "node:assert/strict";
import { ANSWER_LIMITS } from "../../../lib/service/events/http_client.ts";
import type { Webhook } from "../../../lib/resources/webhooks.ts";
import {
  checkWait,
  MINUTE,
  openPostOffice,
  type PostOffice,
} from "../../support/delivery_fixture.ts";
import { HOST, PUBLIC } from "../../support/internet.ts";
import { answers, internetOf, openReceiver, write } from "../../support/receiver.ts";
import { FAILURES, OK } from "../../support/receiver_failures.ts";

Deno.test("a response may have a line as long as the limit", async () => {
  const start = "HTTP/1.1 200 ";
  const line = start + "a".repeat(ANSWER_LIMITS.head - start.length);
  using receiver = openReceiver((_, conn) => write(conn, `${line}\r\nContent-Length: 0\r\n\r\n`));
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  await office.buy();
  await office.idle();
  const [refused] = await office.deliveries(webhook);
  equal(refused?.last_error, "The receiver sent headers that are too long");
  receiver.behave = (_, conn) => write(conn, `${line}\r\n\r\n`);
  office.time.pass(6 * MINUTE);
  await office.idle();
  deepEqual((await office.deliveries(webhook)).map(({ state }) => state), ["delivered"]);
});

for (const [name, { behave, error, status, late }] of Object.entries(FAILURES)) {
  Deno.test(`a receiver that ${name} gets the same event again after 5 minutes`, async () => {
    using receiver = openReceiver(behave);
    await using office = await openPostOffice();
    const webhook = await office.subscribe(receiver);
    await office.buy();
    await receiver.has(1);
    if (late) {
      // It has exactly a minute.
      office.time.pass(MINUTE - 1);
      equal((await office.deliveries(webhook))[0]?.state, "sending");
      office.time.pass(1);
    }
    await office.idle();
    const ended = office.time.clock();
    const [delivery] = await office.deliveries(webhook);
    deepEqual([delivery?.state, delivery?.attempts], ["pending", 1]);
    const [attempt] = await office.attempts(delivery);
    match(attempt?.error ?? "", error);
    // The part that arrived in time is random.
    if (!late) equal(attempt?.response?.status, status);
    equal(attempt?.timing_ms.total, late ? MINUTE : 0);
    checkWait(delivery, ended, 5 * MINUTE);
    receiver.behave = answers(200);
    office.time.pass(5.5 * MINUTE);
    await office.idle();
    equal((await office.deliveries(webhook))[0]?.state, "delivered");
    equal(receiver.arrived.length, 2);
    equal(receiver.arrived[0]?.body, receiver.arrived[1]?.body);
  });
}

Deno.test("a slow receiver has a minute for its whole response", async () => {
  let drop = Promise.withResolvers<void>();
  let dripped = Promise.withResolvers<void>();
  using receiver = openReceiver(async (_, conn) => {
    await write(conn, `${OK}Content-Length: 1000\r\n\r\n`);
    for (;;) {
      await write(conn, "a");
      dripped.resolve();
      await drop.promise;
    }
  });
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  await office.buy();
  for (let second = 0; second < 60; second++) {
    await dripped.promise;
    dripped = Promise.withResolvers<void>();
    equal((await office.deliveries(webhook))[0]?.state, "sending", `after ${second} s`);
    office.time.pass(1000);
    drop.resolve();
    drop = Promise.withResolvers<void>();
  }
  await office.idle();
  const [delivery] = await office.deliveries(webhook);
  match(delivery?.last_error ?? "", /did not finish its response within 60 s/);
  const [attempt] = await office.attempts(delivery);
  equal(attempt?.response?.status, 200);
  match(attempt?.response?.body ?? "", /^a{2,}$/);
  equal(attempt?.timing_ms.total, MINUTE);
  checkWait(delivery, office.time.clock(), 5 * MINUTE);
  drop.resolve();
});

Deno.test("redirects are not followed, not even to allowed targets", async () => {
  using elsewhere = openReceiver();
  using receiver = openReceiver();
  await using office = await openPostOffice();
  await office.subscribe(receiver);
  for (const status of [300, 301, 302, 303, 307, 308]) {
    receiver.behave = answers(status, { Location: elsewhere.url });
    await office.buy(`c${status}`);
    await office.idle();
  }
  equal(receiver.arrived.length, 6);
  equal(elsewhere.arrived.length, 0);
});

Deno.test("a receiver's Retry-After is honoured, up to a day", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  const date = new Date(office.time.clock() + 30 * MINUTE).toUTCString();
  const asked: [header: string, least: number][] = [
    ["3600", 60 * MINUTE],
    ["1", 5 * MINUTE],
    [date, 30 * MINUTE],
    ["999999999", 24 * 60 * MINUTE],
    ["soon", 5 * MINUTE],
    ["-1", 5 * MINUTE],
    // Some proxies repeat the header.
    ["3600\r\nRetry-After: 3600", 60 * MINUTE],
    ["1\r\nRetry-After: 1800", 30 * MINUTE],
    [`${date}\r\nretry-after: ${date}`, 30 * MINUTE],
  ];
  for (const [i, [header, least]] of asked.entries()) {
    receiver.behave = (_, conn) =>
      write(conn, `HTTP/1.1 429 Slow\r\nRetry-After: ${header}\r\n\r\n`);
    await office.buy(`c${i}`);
    await office.idle();
    checkWait((await office.deliveries(webhook)).at(-1), office.time.clock(), least);
  }
});

Deno.test("a long response counts, and 20 kB of it are stored", async () => {
  const bodies = ["a".repeat(20_000), "a".repeat(20_001), "ü".repeat(60_000)];
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  for (const [i, body] of bodies.entries()) {
    receiver.behave = async (_, conn) => {
      const bytes = new TextEncoder().encode(body).length;
      await write(conn, `${OK}Content-Length: ${bytes}\r\n\r\n${body}`);
    };
    await office.buy(`c${i}`);
    await office.idle();
  }
  // An endless response is abandoned as soon as enough is known.
  receiver.behave = async (_, conn) => {
    await write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n`);
    for (;;) await write(conn, `1000\r\n${"b".repeat(4096)}\r\n`);
  };
  await office.buy("endless");
  await office.idle();
  const kept = [];
  for (const delivery of await office.deliveries(webhook)) {
    equal(delivery.state, "delivered");
    const [attempt] = await office.attempts(delivery);
    kept.push([attempt?.response?.body.length, attempt?.response?.cut]);
  }
  deepEqual(kept, [[20_000, false], [20_000, true], [10_000, true], [20_000, true]]);
});

Deno.test("responses in every form of HTTP are read", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  const forms: [text: string, body: string][] = [
    [`${OK}\r\n`, ""],
    [`${OK}\r\nuntil the end`, "until the end"],
    ["HTTP/1.0 200\r\n\r\nold", "old"],
    [`${OK}content-length:3\r\n\r\nabcdef`, "abc"],
    [
      `${OK}Transfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n0A\r\n0123456789\r\n0\r\nT: 1\r\n\r\n`,
      "",
    ],
    [`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\n${OK}\r\nlate`, "late"],
    ["HTTP/1.1 200 OK\nX: y\n\nbare lines", "bare lines"],
    [`${OK}X-Long: a\r\n b\r\n\tc\r\nContent-Length:\r\n 3\r\n\r\nabcdef`, "abc"],
    [`${OK}Content-Length: 3\r\ncontent-length: 3\r\n\r\nabcdef`, "abc"],
    [`${OK}Content-Length: 3 , 3\r\n\r\nabcdef`, "abc"],
  ];
  for (const [i, [text]] of forms.entries()) {
    receiver.behave = (_, conn) => write(conn, text);
    await office.buy(`c${i}`);
    await office.idle();
  }
  for (const [i, delivery] of (await office.deliveries(webhook)).entries()) {
    equal(delivery.last_error, null, forms[i]?.[0]);
    const [attempt] = await office.attempts(delivery);
    equal(attempt?.response?.body, forms[i]?.[1] || (i === 4 ? "abc0123456789" : ""));
  }
});

Deno.test("the schedule decides about successful statuses and retries", async () => {
  using receiver = openReceiver((_, conn) => write(conn, "HTTP/1.1 202 Accepted\r\n\r\n"));
  for (
    const [webhookSchedule, state, wait] of [
      ["public", "pending", 5 * MINUTE],
      ["standard", "delivered", undefined],
      ["dev", "pending", 200],
    ] as const
  ) {
    await using office = await openPostOffice({ webhookSchedule });
    const webhook = await office.subscribe(receiver);
    await office.buy();
    await office.idle();
    const [delivery] = await office.deliveries(webhook);
    equal(delivery?.state, state);
    if (wait) checkWait(delivery, office.time.clock(), wait);
  }
});

Deno.test("a host that resolves to this machine gets nothing, at any attempt", async () => {
  using receiver = openReceiver(answers(500), true);
  using here = openReceiver();
  const internet = internetOf(receiver);
  await using office = await openPostOffice({
    webhookTargets: "public",
    network: internet.network,
  });
  const webhook = await office.subscribe({ url: `https://${HOST}:${here.port}/` });
  await office.buy();
  await office.idle();
  equal(receiver.arrived.length, 1);
  for (const addresses of [["127.0.0.1"], [PUBLIC, "127.0.0.1"], ["::ffff:127.0.0.1"]]) {
    internet.names.set(HOST, addresses);
    internet.dialled.length = 0;
    await passTo(office, webhook);
    deepEqual(internet.dialled, []);
    const [delivery] = await office.deliveries(webhook);
    equal(delivery?.last_error, "The URL must not resolve to a local or reserved address");
  }
  equal(here.arrived.length, 0);
  internet.names.set(HOST, [PUBLIC]);
  receiver.behave = answers(200);
  await passTo(office, webhook);
  equal((await office.deliveries(webhook))[0]?.state, "delivered");
});

/** Advances time to the next attempt of a webhook's first delivery, and waits for it. */
async function passTo(office: PostOffice, webhook: Webhook): Promise<void> {
  const [delivery] = await office.deliveries(webhook);
  const at = delivery?.next_attempt_at ?? 0;
  while (office.time.clock() < at) {
    // The worker checks every hour.
    office.time.pass(Math.min(at - office.time.clock(), 60 * MINUTE));
    await office.idle();
  }
}

Deno.test("an unreachable receiver is retried like any other", async () => {
  const receiver = openReceiver();
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  receiver[Symbol.dispose]();
  await office.buy();
  await office.idle();
  const [delivery] = await office.deliveries(webhook);
  match(delivery?.last_error ?? "", /^The URL cannot be reached: .*refused/);
  checkWait(delivery, office.time.clock(), 5 * MINUTE);
});
