import { deepEqual, equal } from "node:assert/strict";
import type { HeldConnection } from "../../../lib/service/outbound/connect.ts";
import { createIdle, IDLE_LIMITS, reusable } from "../../../lib/service/outbound/idle.ts";
import { openTime } from "../../support/virtual_time.ts";

/** A connection that says nothing until it is told to. */
function openQuiet() {
  const said = Promise.withResolvers<string | null>();
  const state = { closed: false, held: undefined as AbortSignal | undefined };
  const held: HeldConnection = {
    async read(into) {
      const text = await said.promise;
      if (text === null) return null;
      return new TextEncoder().encodeInto(text, into).written;
    },
    write: (bytes) => Promise.resolve(bytes.length),
    close: () => void (state.closed = true),
    hold: (signal) => void (state.held = signal),
    letGo: () => void (state.held = undefined),
  };
  return { connection: reusable(held), say: said.resolve, state };
}

const { signal } = new AbortController();

Deno.test("no more connections wait than the limits allow", () => {
  const time = openTime();
  const idle = createIdle(time);
  const all = Array.from({ length: IDLE_LIMITS.all + 50 }, openQuiet);
  for (const { connection } of all.slice(0, 40)) idle.keep("a", connection, 1000);
  const open = () => all.filter(({ state }) => !state.closed).length;
  equal(all.slice(0, 40).filter(({ state }) => !state.closed).length, IDLE_LIMITS.each);
  all.slice(40).forEach(({ connection }, i) => idle.keep(`b${i % 20}`, connection, 1000));
  equal(open(), IDLE_LIMITS.all);
  // A place that is free again is taken again.
  idle.take("a", signal)?.close();
  const more = openQuiet();
  idle.keep("a", more.connection, 1000);
  equal(more.state.closed, false);
  idle.close();
  equal(open(), 0);
  equal(time.next(), undefined, "no timer is left");
  const late = openQuiet();
  idle.keep("a", late.connection, 1000);
  equal(late.state.closed, true, "nothing waits after the end");
});

Deno.test("32 connections wait for one user of an address, and 256 in all", () => {
  const { each, all, requests, ms } = IDLE_LIMITS;
  deepEqual([each, all, requests, ms], [32, 256, 1000, 4000]);
});

Deno.test("a connection ends after its last request, and without a timer after its first", () => {
  const idle = createIdle(openTime());
  const { connection, state } = openQuiet();
  let requests = 1;
  for (idle.keep("a", connection, 1000); idle.take("a", signal); requests++) {
    idle.keep("a", connection, 1000);
  }
  equal(requests, IDLE_LIMITS.requests);
  equal(state.closed, true);
  const other = openQuiet();
  createIdle(undefined).keep("a", other.connection, 1000);
  equal(other.state.closed, true);
});

Deno.test("the signal of the present user closes a connection, and no earlier one", () => {
  const idle = createIdle(openTime());
  const { connection, state } = openQuiet();
  idle.keep("a", connection, 1000);
  equal(state.held, undefined);
  equal(idle.take("b", signal), undefined);
  equal(idle.take("a", signal), connection);
  equal(state.held, signal);
  equal(idle.take("a", signal), undefined, "nobody else gets it meanwhile");
});

Deno.test("what was read while a connection waited is read first, in parts as large as asked for", async () => {
  const { connection, say } = openQuiet();
  connection.wait(() => {});
  say("hello");
  const into = new Uint8Array(2);
  const parts: string[] = [];
  for (let i = 0; i < 3; i++) {
    const count = await connection.read(into) ?? 0;
    parts.push(new TextDecoder().decode(into.subarray(0, count)));
  }
  deepEqual(parts, ["he", "ll", "o"]);
});

Deno.test("a connection that waits twice reads what came last, and then the rest", async () => {
  const words = ["first", "second", "third"];
  const held: HeldConnection = {
    read: (into) => {
      const word = words.shift();
      return Promise.resolve(word ? new TextEncoder().encodeInto(word, into).written : null);
    },
    write: (bytes) => Promise.resolve(bytes.length),
    close: () => {},
    hold: () => {},
    letGo: () => {},
  };
  const connection = reusable(held);
  const into = new Uint8Array(9);
  const next = async () => {
    const count = await connection.read(into);
    return count === null ? null : new TextDecoder().decode(into.subarray(0, count));
  };
  connection.wait(() => {});
  equal(await next(), "first");
  connection.wait(() => {});
  equal(await next(), "second");
  equal(await next(), "third");
  connection.wait(() => {});
  deepEqual([await next(), await next()], [null, null], "the end stays the end");
});

Deno.test("a connection that ends or speaks while it waits is closed at once", async () => {
  for (const word of [null, "hello"]) {
    const time = openTime();
    const idle = createIdle(time);
    const { connection, say, state } = openQuiet();
    idle.keep("a", connection, 1000);
    say(word);
    await new Promise((resolve) => setTimeout(resolve));
    equal(state.closed, true);
    equal(time.next(), undefined, "the last one leaves no timer");
    equal(idle.take("a", signal), undefined);
  }
});

Deno.test("each connection is closed at the end of its own wait", () => {
  const time = openTime();
  const idle = createIdle(time);
  const all = [IDLE_LIMITS.ms, 500, Infinity, 1500].map((ms, i) => {
    const one = openQuiet();
    idle.keep(`${i}`, one.connection, ms);
    return one;
  });
  const open = () => all.map(({ state }) => !state.closed);
  time.pass(499);
  deepEqual(open(), [true, true, true, true]);
  time.pass(1);
  deepEqual(open(), [true, false, true, true]);
  time.pass(1000);
  deepEqual(open(), [true, false, true, false]);
  time.pass(IDLE_LIMITS.ms - 1501);
  deepEqual(open(), [true, false, true, false]);
  time.pass(1);
  deepEqual(open(), [false, false, false, false]);
  equal(time.next(), undefined, "no timer is left");
});
