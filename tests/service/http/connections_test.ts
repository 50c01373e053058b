import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { readBytes } from "../../../lib/service/http/bytes.ts";
import { CONNECTION_LIMITS, takePort } from "../../../lib/service/http/connections.ts";
import { type Listener, withinTime } from "../../../lib/service/http/port.ts";
import { startServer } from "../../support/server.ts";

/** Short limits: a second of them takes 50 ms. */
const LIMITS = { most: 8, head_s: 4, body_s: 8, idle_s: 12 };

/** Opens a port whose handler reads bodies, and lets a request to `/slow` wait for its end. */
function open(limits = LIMITS): Listener & { letGo(): void; errors: unknown[] } {
  const errors: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const options = { hostname: "127.0.0.1", port: 0, limits, secondMs: 50 };
  const report = (error: unknown) => void errors.push(error);
  const listener = takePort({ ...options, report }).answer(async (request) => {
    if (new URL(request.url).pathname === "/slow") await promise;
    const body = await readBytes(request, 4_194_304).catch((error) => String(error));
    return new Response(`got ${body.length}`);
  });
  return { ...listener, letGo: resolve, errors };
}

/** A client that sends a fixed text, and then nothing. */
async function dial(port: number, text = ""): Promise<Deno.TcpConn> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  if (text !== "") await conn.write(new TextEncoder().encode(text));
  return conn;
}

/** The data of a connection until its end, and the duration in milliseconds. */
async function rest(conn: Deno.TcpConn): Promise<{ text: string; ms: number }> {
  const started = performance.now();
  const text = await new Response(conn.readable).text().catch((error) => String(error));
  return { text, ms: performance.now() - started };
}

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const SLOW = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";
const HALF = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc";

Deno.test("a client that keeps the service waiting loses its connection at the limit of each kind", async () => {
  const port = open();
  const silent = rest(await dial(port.port));
  const halfHead = rest(await dial(port.port, "GET / HTTP/1.1\r\nHo"));
  const halfBody = rest(await dial(port.port, HALF));
  const kept = rest(await dial(port.port, GET));
  const slow = rest(await dial(port.port, SLOW));
  let before = 0;
  for (const [ended, limit] of [[silent, 4], [halfBody, 8], [kept, 12]] as const) {
    const { ms } = await ended;
    ok(ms >= (limit - 1.5) * 50, `${ms} ms is too soon for ${limit} × 50 ms`);
    ok(ms > before, "heads go first, then bodies, then idle ones");
    before = ms;
  }
  await halfHead;
  match((await kept).text, /^HTTP\/1\.1 200 OK[^]*got 0$/);
  deepEqual(port.closed, { head: 2, body: 1, idle: 1, room: 0, refused: 0 });
  port.letGo();
  match((await slow).text, /got 0$/, "who waits for the service has time");
  await port.stop(1000);
  deepEqual(port.errors, []);
});

Deno.test("a new connection takes the place of the one that has waited longest", async () => {
  const port = open({ most: 4, head_s: 999, body_s: 999, idle_s: 999 });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 120));
  const next = async (text: string) => {
    await turn();
    return await dial(port.port, text);
  };
  const slow = [await next(SLOW)];
  const half = await next(HALF);
  const waiting = [await next(GET), await next("")];
  // Connections without a request are closed first, the longest wait before others.
  for (let i = 0; i < 2; i++) {
    waiting.push(await next(GET));
    const first = waiting.shift();
    if (first) await rest(first);
  }
  for (const last of waiting) {
    slow.push(await next(SLOW));
    match((await rest(last)).text, /got 0$/);
  }
  slow.push(await next(SLOW));
  await rest(half);
  const late = await next(GET);
  equal((await rest(late)).text, "", "only requests under way are left, so there is no room");
  deepEqual(port.closed, { head: 0, body: 0, idle: 0, room: 5, refused: 1 });
  port.letGo();
  const stopped = port.stop(1000);
  for (const conn of slow) match((await rest(conn)).text, /got 0$/);
  await stopped;
});

Deno.test("a stop finishes requests in progress, and cuts those that do not end", async () => {
  const port = open();
  const kept = await dial(port.port, GET);
  const half = await dial(port.port, HALF);
  const slow = await dial(port.port, SLOW);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const started = performance.now();
  const stopped = port.stop(300);
  ok((await rest(kept)).ms < 250, "an idle connection ends at once");
  ok((await rest(half)).ms < 250, "and so does one whose body has not come");
  await stopped;
  const ms = performance.now() - started;
  ok(ms >= 290 && ms < 2000, `${ms} ms`);
  equal((await rest(slow)).text.includes("got"), false);
});

Deno.test("the last response of a connection says that it ends, so no request follows", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const options = { hostname: "127.0.0.1", port: 0, report: () => {} };
  const listener = takePort(options).answer(async () => {
    await released;
    return new Response("done");
  });
  const client = await dial(listener.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stopped = listener.stop(4000);
  release();
  match((await rest(client)).text, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*connection: close\r\n/i);
  await stopped;
});

Deno.test("a stop does not wait for the rest of a body that was refused unread", async () => {
  for (const length of ["Content-Length: 9", "Transfer-Encoding: chunked"]) {
    const options = { hostname: "127.0.0.1", port: 0, report: () => {} };
    const listener = takePort(options).answer(() =>
      Promise.resolve(new Response("no", { status: 401 }))
    );
    const client = await dial(listener.port, `POST / HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n`);
    const answer = new Uint8Array(1000);
    await client.read(answer);
    match(new TextDecoder().decode(answer), /^HTTP\/1\.1 401/);
    const started = performance.now();
    await listener.stop(4000);
    ok(performance.now() - started < 2000, `the stop took ${performance.now() - started} ms`);
    client.close();
  }
});

Deno.test("other requests of an HTTP/2 connection give a body no more time", async () => {
  const port = open();
  const client = connectHttp2(`http://127.0.0.1:${port.port}`);
  const ended = new Promise((resolve) => client.once("close", resolve));
  const send = (headers: Record<string, string>) => {
    const stream = client.request(headers);
    stream.on("error", () => {});
    stream.on("data", () => {});
    return stream;
  };
  client.on("error", () => {});
  send({ ":path": "/", ":method": "POST", "content-length": "9" }).write("abc");
  const others = setInterval(() => {
    if (!client.destroyed && !client.closed) send({ ":path": "/", ":method": "GET" }).end();
  }, 50);
  await withinTime(ended, 3000);
  clearInterval(others);
  equal(port.closed.body, 1);
  client.destroy();
  await port.stop(100);
});

Deno.test("a stop that does not end is cut off, and a failed one is reported", async () => {
  const { promise } = Promise.withResolvers<void>();
  const started = performance.now();
  await withinTime(promise, 20);
  ok(performance.now() - started >= 19);
  await rejects(withinTime(Promise.reject(new Error("disk")), 10_000), /disk/);
});

Deno.test("a thousand idle connections stop neither the service nor other requests", async () => {
  await using server = await startServer();
  const { hostname, port } = new URL(server.baseUrl);
  const idle: Deno.TcpConn[] = [];
  try {
    for (let i = 0; i < 1000; i++) {
      idle.push(await Deno.connect({ hostname, port: Number(port) }));
    }
    const answer = await fetch(`${server.baseUrl}/health`);
    equal(answer.status, 200);
    await answer.body?.cancel();
    ok(server.closed.room >= 1000 - CONNECTION_LIMITS.most, `${server.closed.room} made room`);
    equal(server.closed.refused, 0);
  } finally {
    for (const conn of idle) conn.close();
  }
});

Deno.test("an announced body takes no memory before it arrives", async () => {
  const port = open({ most: 200, head_s: 99, body_s: 99, idle_s: 99 });
  const before = Deno.memoryUsage().rss;
  const head = HALF.replace("Content-Length: 9", "Content-Length: 4000000");
  const conns = await Promise.all(Array.from({ length: 150 }, () => dial(port.port, head)));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const grown = (Deno.memoryUsage().rss - before) / 1_048_576;
  ok(grown < 100, `150 promises of 4 MB take ${grown} MiB`);
  for (const conn of conns) conn.close();
  await port.stop(1000);
});

Deno.test("a body of single bytes takes no more memory than its bytes", async () => {
  let sent = 0;
  const body = new ReadableStream({
    // Each byte has a buffer of its own, like bytes from a socket.
    pull: (stream) =>
      ++sent > 8000 ? stream.close() : stream.enqueue(new Uint8Array(65_536).subarray(0, 1)),
  });
  const before = Deno.memoryUsage().external;
  const request = new Request("http://127.0.0.1/", { method: "POST", body });
  equal((await readBytes(request, 4_194_304)).byteLength, 8000);
  const grown = (Deno.memoryUsage().external - before) / 1_048_576;
  // Without copying, 500 MiB would stay. The runtime decides when it collects the rest.
  ok(grown < 400, `8000 bytes in 8000 pieces take ${grown} MiB`);
});

/** Bodies in chunks that no server can read. */
const BROKEN_CHUNKS: Record<string, string> = {
  "a size that is no number": "zz\r\n{}\r\n0\r\n\r\n",
  "a negative size": "-2\r\n{}\r\n0\r\n\r\n",
  "a size past all numbers": "ffffffffffffffffff\r\n{}\r\n",
  "no size": "\r\n{}\r\n0\r\n\r\n",
  "no line end after the data": "2\r\n{}0\r\n\r\n",
  "an extension of 20,000 characters": `2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  "a trailer without a colon": "2\r\n{}\r\n0\r\nfoo\r\n\r\n",
  "a broken chunk after a good one": "2\r\n{}\r\nzz\r\n",
};

Deno.test("broken chunks are refused, or the runtime closes the connection", async () => {
  const errors: unknown[] = [];
  const options = { hostname: "127.0.0.1", port: 0, secondMs: 50, limits: LIMITS };
  const port = takePort({ ...options, report: (error) => errors.push(error) }).answer(
    async (request) => {
      const body = await readBytes(request, 1000).catch((error) => error);
      return new Response(String(body), { status: body instanceof Error ? 400 : 200 });
    },
  );
  const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const [name, chunks] of Object.entries(BROKEN_CHUNKS)) {
    const later = await dial(port.port, head);
    await new Promise((resolve) => setTimeout(resolve, 20));
    // It is read at once, since the system drops unread data after surplus data.
    const answer = rest(later);
    await later.write(new TextEncoder().encode(chunks)).catch(() => {});
    match((await answer).text, /^HTTP\/1\.1 400 [^]*is incomplete, or its chunks/, name);
    const together = (await rest(await dial(port.port, head + chunks))).text;
    match(together, /^$|^HTTP\/1\.1 400 /, `${name}, with the head`);
  }
  match(
    (await rest(await dial(port.port, `${head}2\r\n{}\r\n0\r\n\r\n`))).text,
    /^HTTP\/1\.1 200 /,
  );
  await port.stop(1000);
  deepEqual(errors, []);
});

Deno.test("a request waits for the handler of a port, and a port without one can be given back", async () => {
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port: number } = free.addr;
  free.close();
  const port = takePort({ hostname: "127.0.0.1", port: number, report: () => {} });
  const ask = async () =>
    (await rest(await dial(number, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))).text;
  const early = ask();
  const listener = port.answer(() => Promise.resolve(new Response("here")));
  match(await early, /here/);
  port.close();
  match(await ask(), /here/);
  await listener.stop(1000);
  takePort({ hostname: "127.0.0.1", port: number, report: () => {} }).close();
  takePort({ hostname: "127.0.0.1", port: number, report: () => {} }).close();
});

Deno.test("a connection that was used again keeps its place longer than one that was not", async () => {
  // A second of the limits takes a millisecond.
  const limits = { most: 3, head_s: 99_999, body_s: 99_999, idle_s: 99_999 };
  const listener = takePort({
    ...{ hostname: "127.0.0.1", port: 0, limits, secondMs: 1, report() {} },
  }).answer(async (request) => {
    await readBytes(request, 9).catch(() => {});
    return new Response("got");
  });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
  const say = async (conn: Deno.TcpConn) => {
    await conn.write(new TextEncoder().encode(GET));
    const count = await conn.read(new Uint8Array(1000));
    await turn();
    return count;
  };
  await turn();
  const first = await dial(listener.port);
  const second = await dial(listener.port);
  await say(first);
  await say(second);
  // The first one waits since its second request.
  await say(first);
  const half = await dial(listener.port, HALF);
  await turn();
  const late = await dial(listener.port);
  await turn();
  equal(listener.closed.room, 1);
  ok(await say(first), "it is still open");
  for (const conn of [first, second, half, late]) conn.close();
  await listener.stop(100);
});
