import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { takeUnbounded } from "../../../lib/service/http/unbounded.ts";

/** Takes a port of this machine, and keeps what is reported. */
function take(port = 0) {
  const reports: unknown[] = [];
  const report = (error: unknown) => void reports.push(error);
  return { ...takeUnbounded({ hostname: "127.0.0.1", port, report }), reports };
}

/** A port that nobody has. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

Deno.test("where connections have no limits, the service says so and answers all the same", async () => {
  const number = freePort();
  const { answer, reports } = take(number);
  equal(reports.length, 1);
  match(String(reports[0]), /cannot limit connections: one client can use all of them$/);
  const early = fetch(`http://127.0.0.1:${number}/`);
  const listener = answer((_, sender) => Promise.resolve(new Response(sender)));
  equal(await (await early).text(), "127.0.0.1", "a request waits for the handler");
  equal(listener.port, number);
  listener.drain();
  deepEqual(listener.closed, { head: 0, body: 0, idle: 0, room: 0, refused: 0 });
  await listener.stop(1000);
  await rejects(fetch(`http://127.0.0.1:${number}/`), TypeError);
  equal(reports.length, 1);
});

Deno.test("where connections have no limits, a stop waits for requests, but not for late ones", async () => {
  for (const isLate of [false, true]) {
    const begun = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<Response>();
    const { answer, reports } = take();
    const listener = answer(() => {
      begun.resolve();
      return answered.promise;
    });
    const text = fetch(`http://127.0.0.1:${listener.port}/`).then((response) => response.text());
    await begun.promise;
    let stopped = false;
    const stop = listener.stop(isLate ? 5 : 60_000).then(() => stopped = true);
    if (isLate) await stop;
    equal(stopped, isLate);
    answered.resolve(new Response("done"));
    equal(await text, "done");
    await stop;
    equal(reports.length, 1);
  }
});

Deno.test("a port without a handler is given back, and one that answers is not", async () => {
  const number = freePort();
  take(number).close();
  await new Promise((resolve) => setTimeout(resolve));
  const { answer, close } = take(number);
  const listener = answer(() => Promise.resolve(new Response("here")));
  close();
  equal(await (await fetch(`http://127.0.0.1:${number}/`)).text(), "here");
  await listener.stop(1000);
});
