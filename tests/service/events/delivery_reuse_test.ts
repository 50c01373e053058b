/**
 * Deliveries that share a connection, and the receivers whose connections are not used again.
 *
 * @module
 */

import { deepEqual, equal, match } from "node:assert/strict";
import { openPostOffice, type PostOffice } from "../../support/delivery_fixture.ts";
import { HOST, PUBLIC } from "../../support/internet.ts";
import {
  answers,
  type Behaviour,
  internetOf,
  keeps,
  type Next,
  openReceiver,
  write,
} from "../../support/receiver.ts";
import { OK } from "../../support/receiver_failures.ts";

/** A clear answer. */
const TAKEN = `${OK}Content-Length: 2\r\n\r\nok`;

/** Buys once, and waits until the event is delivered and what the receiver sent has arrived. */
async function deliver(office: PostOffice, customer = "ada"): Promise<void> {
  await office.buy(customer);
  await office.idle();
  // What comes on a connection that waits is noticed between two requests.
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The connections that events came on. */
async function connectionsOf(behave: Behaviour, between?: (office: PostOffice) => void) {
  using receiver = openReceiver(behave);
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  await deliver(office);
  between?.(office);
  await deliver(office);
  return {
    connections: receiver.arrived.map(({ connection }) => connection),
    states: (await office.deliveries(webhook)).map(({ state }) => state),
  };
}

const REUSED: Record<string, string> = {
  "a length": TAKEN,
  "chunks and a trailer": `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n`,
  "early hints before it": `HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n${TAKEN}`,
  "a longer patience": `${OK}Content-Length: 0\r\nKeep-Alive: timeout=60\r\n\r\n`,
};

for (const [how, text] of Object.entries(REUSED)) {
  Deno.test(`after an answer with ${how} the next event comes on the same connection`, async () => {
    deepEqual(await connectionsOf(keeps(text)), {
      connections: [1, 1],
      states: ["delivered", "delivered"],
    });
  });
}

const NOT_REUSED: Record<string, string> = {
  "in HTTP/1.0": TAKEN.replace("1.1", "1.0"),
  "that announces the end": `${OK}Connection: Keep-Alive, Close\r\nContent-Length: 0\r\n\r\n`,
  "with a length and chunks":
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  "with its length twice": `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`,
  "with more bytes than it counts": `${TAKEN}more`,
  "with another answer behind it": `${TAKEN}${TAKEN}`,
  "that is long": `${OK}Content-Length: 30000\r\n\r\n${"a".repeat(30_000)}`,
  "with no patience": `${OK}Content-Length: 0\r\nKeep-Alive: timeout=1\r\n\r\n`,
};

for (const [how, text] of Object.entries(NOT_REUSED)) {
  Deno.test(`after an answer ${how} the next event comes on a new connection`, async () => {
    deepEqual(await connectionsOf(keeps(text)), {
      connections: [1, 2],
      states: ["delivered", "delivered"],
    });
  });
}

Deno.test("a connection on which the receiver speaks unasked is not used again", async () => {
  const speaks: Behaviour = async (_, conn): Promise<Next> => {
    await write(conn, TAKEN);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await write(conn, TAKEN);
    return "next";
  };
  deepEqual((await connectionsOf(speaks)).connections, [1, 2]);
});

Deno.test("a connection that the receiver closes while it waits is not used again", async () => {
  deepEqual(await connectionsOf(answers(200)), {
    connections: [1, 2],
    states: ["delivered", "delivered"],
  });
});

Deno.test("a connection waits four seconds", async () => {
  const after = (ms: number) => (office: PostOffice) => office.time.pass(ms);
  deepEqual((await connectionsOf(keeps(TAKEN), after(3999))).connections, [1, 1]);
  deepEqual((await connectionsOf(keeps(TAKEN), after(4000))).connections, [1, 2]);
  const brief = keeps(`${OK}Content-Length: 0\r\nKeep-Alive: max=9, timeout=3\r\n\r\n`);
  deepEqual((await connectionsOf(brief, after(1999))).connections, [1, 1]);
  deepEqual((await connectionsOf(brief, after(2000))).connections, [1, 2]);
});

Deno.test("a request that meets a connection's end is sent once more, in the same attempt", async () => {
  using receiver = openReceiver(keeps(TAKEN));
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  await deliver(office);
  receiver.behave = (arrived, conn) =>
    arrived.connection === 1 ? undefined : keeps(TAKEN)(arrived, conn);
  await deliver(office);
  deepEqual(receiver.arrived.map(({ connection }) => connection), [1, 1, 2]);
  equal(receiver.arrived[1]?.body, receiver.arrived[2]?.body);
  equal(receiver.arrived[1]?.headers["webhook-id"], receiver.arrived[2]?.headers["webhook-id"]);
  const [, delivery] = await office.deliveries(webhook);
  deepEqual([delivery?.state, delivery?.attempts], ["delivered", 1]);
  // Once more and not again and again: then the attempt has failed.
  receiver.behave = () => {};
  await deliver(office);
  deepEqual(receiver.arrived.slice(3).map(({ connection }) => connection), [2, 3]);
  const last = (await office.deliveries(webhook)).at(-1);
  deepEqual([last?.state, last?.attempts], ["pending", 1]);
  match(last?.last_error ?? "", /closed the connection without a response$/);
});

Deno.test("an answer that breaks off on a used connection fails the attempt", async () => {
  using receiver = openReceiver(keeps(TAKEN));
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  await deliver(office);
  receiver.behave = (_, conn) => write(conn, "HTT");
  await deliver(office);
  deepEqual(receiver.arrived.map(({ connection }) => connection), [1, 1]);
  const [, delivery] = await office.deliveries(webhook);
  deepEqual([delivery?.state, delivery?.attempts], ["pending", 1]);
});

Deno.test("webhooks do not share connections", async () => {
  using receiver = openReceiver(keeps(TAKEN));
  await using office = await openPostOffice();
  await office.subscribe(receiver);
  await office.subscribe(receiver);
  await deliver(office);
  await deliver(office);
  deepEqual(receiver.arrived.map(({ connection }) => connection).sort(), [1, 1, 2, 2]);
});

Deno.test("a connection is used again only where its host's name still leads", async () => {
  using receiver = openReceiver(keeps(TAKEN), true);
  const internet = internetOf(receiver);
  await using office = await openPostOffice({
    webhookTargets: "public",
    network: internet.network,
  });
  const webhook = await office.subscribe({ url: `https://${HOST}/hooks` });
  internet.dialled.length = 0;
  await deliver(office);
  await deliver(office);
  deepEqual(internet.dialled, [PUBLIC], "one connection, with its keys agreed on once");
  const attempts = await office.attempts((await office.deliveries(webhook))[1]);
  deepEqual(Object.keys(attempts[0]?.timing_ms ?? {}), ["resolve", "answer", "total"]);
  // The name moves: what waits at the old address is of no use.
  internet.names.set(HOST, ["8.8.4.4"]);
  internet.ports.set("8.8.4.4", receiver.port);
  await deliver(office);
  deepEqual(internet.dialled, [PUBLIC, "8.8.4.4"]);
  // And where it leads to this machine, no connection that waits makes up for that.
  internet.names.set(HOST, [PUBLIC, "127.0.0.1"]);
  await deliver(office, "bob");
  const last = (await office.deliveries(webhook)).at(-1);
  equal(last?.last_error, "The URL must not resolve to a local or reserved address");
  deepEqual(internet.dialled, [PUBLIC, "8.8.4.4"]);
  equal(receiver.arrived.length, 3);
});
