import { deepEqual, equal, match } from "node:assert/strict";
import type { Webhook } from "../../../lib/resources/webhooks.ts";
import {
  checkWait,
  MINUTE,
  openPostOffice,
  type PostOffice,
} from "../../support/delivery_fixture.ts";
import { HOST, PUBLIC } from "../../support/internet.ts";
import {
  answers,
  type Behaviour,
  hangUp,
  internetOf,
  openReceiver,
  write,
} from "../../support/receiver.ts";

const OK = "HTTP/1.1 200 OK\r\n";

/** A way to fail, and what is said about it. */
interface Failure {
  /** What the receiver does. */
  behave: Behaviour;
  /** What the attempt's error must match. */
  error: RegExp;
  /** The status that is kept, if any. */
  status?: number;
  /** Whether it fails only when its time is up. */
  late?: true;
}

const FAILURES: Record<string, Failure> = {
  "hangs": { behave: (_, conn) => hangUp(conn), error: /within 60 s$/, late: true },
  "hangs after its head": {
    behave: async (_, conn) => {
      await write(conn, `${OK}Content-Length: 10\r\n\r\nabc`);
      await hangUp(conn);
    },
    error: /within 60 s$/,
    late: true,
  },
  "hangs in its head": {
    behave: async (_, conn) => {
      await write(conn, `${OK}Content-Le`);
      await hangUp(conn);
    },
    error: /within 60 s$/,
    late: true,
  },
  "says nothing": { behave: () => {}, error: /closed the connection without a response$/ },
  "closes in its head": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: 5`),
    error: /closed the connection during its response$/,
  },
  "closes in its body": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: 5\r\n\r\nabc`),
    error: /closed the connection during its response$/,
    status: 200,
  },
  "closes in a chunk": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`),
    error: /closed the connection during its response$/,
    status: 200,
  },
  "closes between chunks": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`),
    error: /closed the connection during its response$/,
    status: 200,
  },
  "sends chunks that are none": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n`),
    error: /sent an invalid chunk size$/,
    status: 200,
  },
  "sends what nobody can unpack": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: gzip\r\n\r\nabc`),
    error: /in an unexpected encoding, gzip$/,
    status: 200,
  },
  "counts in words": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: many\r\n\r\nabc`),
    error: /sent an invalid content length$/,
    status: 200,
  },
  "speaks another language": {
    behave: (_, conn) => write(conn, "220 mail.acme.dev ESMTP\r\n"),
    error: /did not respond in HTTP\/1\.1$/,
  },
  "sends a head without end": {
    behave: (_, conn) =>
      write(conn, `${OK}${`X-Filler: ${"abcdefgh".repeat(9)}\r\n`.repeat(5000)}`),
    error: /sent headers that are too long$/,
  },
  "sends short headers without end": {
    behave: (_, conn) => write(conn, `${OK}${"X: y\r\n".repeat(20_000)}`),
    error: /sent a response of too many lines$/,
  },
  "sends chunks of one byte without end": {
    behave: (_, conn) =>
      write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(20_000)}`),
    error: /sent a response of too many lines$/,
    status: 200,
  },
  "sends a line without end": {
    behave: (_, conn) => write(conn, "a".repeat(100_000)),
    error: /sent a line that is too long$/,
  },
  "sends 1xx answers without end": {
    behave: (_, conn) => write(conn, "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n".repeat(5000)),
    error: /sent too many informational responses$/,
  },
  "sends trailers without end": {
    behave: (_, conn) =>
      write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${"X: y\r\n".repeat(200_000)}`),
    error: /sent a response of too many lines$/,
    status: 200,
  },
  "sends more of chunks' frames than of an answer": {
    behave: (_, conn) =>
      write(
        conn,
        `${OK}Transfer-Encoding: chunked\r\n\r\n${`1;${"x".repeat(999)}\r\na\r\n`.repeat(900)}`,
      ),
    error: /sent a response that is too long$/,
    status: 200,
  },
  "sends its head in the smallest pieces": {
    behave: async (_, conn) => {
      for (let i = 0; i < 9000; i++) await conn.write(new Uint8Array([97]));
    },
    error: /sent a response that is too long$|a line that is too long$|during its response$/,
  },
  "sends a bad header": {
    behave: (_, conn) => write(conn, `${OK}No colon here\r\n\r\n`),
    error: /sent an invalid header$/,
  },
  "begins with the rest of a header": {
    behave: (_, conn) => write(conn, `${OK} folded\r\n\r\n`),
    error: /sent an invalid header$/,
  },
  "tells two lengths": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`),
    error: /sent an invalid content length$/,
    status: 200,
  },
  "redirects": {
    behave: answers(302, { Location: "http://127.0.0.1:1/elsewhere" }),
    error: /answered 302; redirects are not followed$/,
    status: 302,
  },
  "redirects with the last status for that": {
    behave: answers(399),
    error: /answered 399; redirects are not followed$/,
    status: 399,
  },
  "redirects with the first status for that": {
    behave: answers(300),
    error: /answered 300; redirects are not followed$/,
    status: 300,
  },
  "answers 299": { behave: answers(299), error: /answered 299$/, status: 299 },
  "answers 400": { behave: answers(400), error: /answered 400$/, status: 400 },
  "answers 500": { behave: answers(500), error: /answered 500$/, status: 500 },
  "answers 404": { behave: answers(404), error: /answered 404$/, status: 404 },
  "answers 201": { behave: answers(201), error: /answered 201$/, status: 201 },
  "answers 204": {
    behave: (_, conn) => write(conn, "HTTP/1.1 204 No Content\r\n\r\n"),
    error: /answered 204$/,
    status: 204,
  },
  "switches protocols": {
    behave: (_, conn) => write(conn, "HTTP/1.1 101 Switching\r\nUpgrade: a\r\n\r\n"),
    error: /answered 101$/,
    status: 101,
  },
};

for (const [name, { behave, error, status, late }] of Object.entries(FAILURES)) {
  Deno.test(`a receiver that ${name} gets the same again after 5 minutes`, async () => {
    using receiver = openReceiver(behave);
    await using office = await openPostOffice();
    const webhook = await office.subscribe(receiver);
    await office.buy();
    await receiver.has(1);
    if (late) {
      // It has its whole minute, and not more.
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
    // What had arrived when time was up is chance.
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

Deno.test("a receiver that drips has a minute for all of it", async () => {
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

Deno.test("redirects lead nowhere, not even to where webhooks may go", async () => {
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

Deno.test("a receiver that asks for time gets it, up to a day", async () => {
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
    // Told twice, as some proxies do.
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

Deno.test("of a long answer 20 kB are kept, and it counts all the same", async () => {
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
  // One that never ends is left as soon as enough is known.
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

Deno.test("answers in every form that HTTP has are understood", async () => {
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

Deno.test("what counts as a success, and when it is tried again, is the schedule's to say", async () => {
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

Deno.test("a host that leads here after all gets nothing, at any attempt", async () => {
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

/** Moves time to the next attempt of a webhook's first delivery, and lets it happen. */
async function passTo(office: PostOffice, webhook: Webhook): Promise<void> {
  const [delivery] = await office.deliveries(webhook);
  const at = delivery?.next_attempt_at ?? 0;
  while (office.time.clock() < at) {
    // The worker looks up every hour.
    office.time.pass(Math.min(at - office.time.clock(), 60 * MINUTE));
    await office.idle();
  }
}

Deno.test("a receiver that is unreachable is tried again like any other", async () => {
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
