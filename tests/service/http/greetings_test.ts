import { deepEqual, equal } from "node:assert/strict";
import { createGreetings } from "../../../lib/service/http/greetings.ts";

/** A connection whose handshake ends when the test says so. */
function openGreeting() {
  const { promise, resolve, reject } = Promise.withResolvers<Deno.TlsHandshakeInfo>();
  const state = { closed: 0, begun: 0 };
  return {
    state,
    conn: { handshake: () => promise, close: () => void state.closed++ },
    then: () => void state.begun++,
    async succeed() {
      resolve({ alpnProtocol: null });
      await promise;
    },
    async fail() {
      reject(new Error("not TLS"));
      await promise.catch(() => {});
      await Promise.resolve();
    },
  };
}

/** Connections that begin their handshakes one second after another. */
function openSome(count: number) {
  const greetings = createGreetings();
  const all = Array.from({ length: count }, openGreeting);
  all.forEach(({ conn, then }, second) => greetings.take(conn, second, then));
  const closed = () => all.map(({ state }) => state.closed);
  return { greetings, all, closed };
}

Deno.test("the handshakes that began first are ended first, as many as are asked for", () => {
  const { greetings, closed } = openSome(4);
  equal(greetings.size(), 4);
  deepEqual([greetings.end(0), closed()], [0, [0, 0, 0, 0]]);
  deepEqual([greetings.end(2), closed()], [2, [1, 1, 0, 0]]);
  equal(greetings.size(), 2);
  deepEqual([greetings.end(Infinity), closed()], [2, [1, 1, 1, 1]]);
  deepEqual([greetings.end(1), greetings.size()], [0, 0]);
});

Deno.test("handshakes that began up to a second are ended, and no later ones", () => {
  const { greetings, closed } = openSome(3);
  deepEqual([greetings.endBefore(-1), closed()], [0, [0, 0, 0]]);
  deepEqual([greetings.endBefore(1), closed()], [2, [1, 1, 0]]);
  deepEqual([greetings.endBefore(1), greetings.size()], [0, 1]);
});

Deno.test("a connection begins after its handshake, and is no longer ended with the others", async () => {
  const { greetings, all: [first, second], closed } = openSome(2);
  equal(first?.state.begun, 0);
  await first?.succeed();
  deepEqual([first?.state.begun, greetings.size()], [1, 1]);
  deepEqual([greetings.end(9), closed()], [1, [0, 1]]);
  await second?.succeed();
  deepEqual(second?.state, { closed: 1, begun: 0 }, "an ended one does not begin");
});

Deno.test("a failed handshake ends its connection", async () => {
  const { greetings, all: [only] } = openSome(1);
  await only?.fail();
  deepEqual([only?.state, greetings.size()], [{ closed: 1, begun: 0 }, 0]);
});
