import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { type Client, createClient, type Exchange } from "../lib/client.ts";
import { ApiError, Cancelled, NetworkError, UsageError } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { LONGEST_TOLD_MS, pause, unreachable, waitBeforeRetry, waitTold } from "../lib/retry.ts";
import {
  answer,
  type Move,
  networkFailure,
  NOWHERE,
  openWire,
  type Posted,
  refused,
} from "./support/wire.ts";

const DONE = answer(200, { id: "x" });

/** One request by each method. */
const METHODS: Record<string, (client: Client) => Promise<unknown>> = {
  GET: (client) => client.get(path`/offerings`),
  POST: (client) => client.post(path`/offerings`, { lookup_key: "a" }),
  PUT: (client) => client.put(path`/offerings/a/paywall`, { lookup_key: "a" }),
  DELETE: (client) => client.delete(path`/offerings/a`),
};

/** The event on the wire, and whether it is retried if the client chose the key. */
const MOVES: [name: string, move: Move, again: boolean][] = [
  ["no connection", networkFailure(), true],
  ["a broken connection", new TypeError("error reading a body from connection"), true],
  ["no time left", new DOMException("The operation timed out", "TimeoutError"), true],
  ["a missing permission", named("NotCapable", "Requires net access"), false],
  ["502", new Response("<html>Bad gateway", { status: 502 }), true],
  ["503", refused(503), true],
  ["504", new Response(null, { status: 504 }), true],
  ["500", refused(500), false],
  ["400", refused(400, { retryable: false }), false],
  ["401", refused(401, { retryable: false }), false],
  ["403", refused(403, { retryable: false }), false],
  ["404", refused(404, { retryable: false }), false],
  ["409", refused(409, { retryable: false }), false],
  ["422", refused(422, { retryable: false }), false],
  ["422 of a store", refused(422, { retryable: true }), false],
  ["423", refused(423), true],
  ["423 for good", refused(423, { retryable: false }), false],
  ["429", refused(429), true],
  ["429 without a body", new Response(null, { status: 429 }), true],
  ["429 for good", refused(429, { retryable: false }), false],
];

Deno.test("a failed request is retried if that is safe, with the same key and body", async () => {
  for (const [method, send] of Object.entries(METHODS)) {
    for (const [name, move, again] of MOVES) {
      const { client, posted, waits } = openWire([move, DONE]);
      const outcome = await send(client).then(() => "done", (error) => error);
      equal(outcome === "done", again, `${method} after ${name}: ${outcome}`);
      equal(posted.length, again ? 2 : 1, `${method} after ${name}`);
      equal(waits.length, posted.length - 1);
      for (const one of posted) {
        equal(keyOf(one) === null, method === "GET", `${method} has a key`);
        equal(keyOf(one), keyOf(posted[0]), `${method} after ${name}: key`);
        equal(one.body, posted[0]?.body, `${method} after ${name}: body`);
        equal(one.body, method === "GET" || method === "DELETE" ? "" : '{"lookup_key":"a"}');
      }
    }
  }
});

Deno.test("a request without a key that may have taken effect is not retried", () => {
  for (const [name, move] of MOVES) {
    const outcome = {
      response: move instanceof Response ? move : undefined,
      text: "",
      error: move instanceof Response ? undefined : move,
      address: "https://service.example/",
      repeatable: false,
    };
    const again = waitBeforeRetry(outcome, 1) !== undefined;
    // The service answered 423 and 429 before it did anything.
    equal(again, /^4(23|29)/.test(name), name);
  }
});

Deno.test("two requests never share a key, and a caller's own key is sent unchanged", async () => {
  const { client, posted } = openWire([networkFailure(), DONE]);
  await client.post(path`/offerings`, {});
  await client.post(path`/offerings`, {});
  await client.post(path`/offerings`, {}, { idempotencyKey: "order 7" });
  await client.delete(path`/offerings/a`, { idempotencyKey: "order 8" });
  const [first, again, second, own, gone] = posted.map(keyOf);
  equal(first, again);
  ok(first !== second && /^[\da-f-]{36}$/.test(first ?? ""));
  deepEqual([own, gone], ["order 7", "order 8"]);
  for (const idempotencyKey of ["", "a\nb", "é", "x".repeat(256)]) {
    await rejects(
      client.post(path`/offerings`, {}, { idempotencyKey }),
      /^UsageError: Cannot use ".*" as an idempotency key/s,
    );
  }
});

Deno.test("a request is retried four times, with growing delays", async () => {
  const { client, posted, waits } = openWire([refused(503)]);
  await rejects(client.get(path`/offerings`), (error) => error instanceof ApiError);
  equal(posted.length, 5);
  equal(waits.length, 4);
  for (const [i, ms] of waits.entries()) ok(ms >= 100 * 3 ** i && ms <= 200 * 3 ** i, String(ms));
  const patient = openWire([refused(503)], { retries: 20 });
  await rejects(patient.client.get(path`/offerings`));
  equal(patient.posted.length, 21);
  ok(patient.waits.every((ms) => ms <= 10_000));
  const once = openWire([refused(503)], { retries: 0 });
  await rejects(once.client.get(path`/offerings`));
  equal(once.posted.length, 1);
});

Deno.test("a server with the certificate of a CA is told from one with an unknown CA", () => {
  const why = "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))";
  const wrong = unreachable(networkFailure(why), "https://subs.example.com/x");
  match(wrong.message, /: its certificate is one of a CA, not of a server$/);
  match(wrong.hint ?? "", /-addext basicConstraints=CA:FALSE/);
  const unknown = networkFailure("invalid peer certificate: UnknownIssuer");
  match(unreachable(unknown, "https://subs.example.com/x").hint ?? "", /DENO_CERT/);
});

Deno.test("an unreachable local service fails at once, a remote one is retried", async () => {
  const gone = networkFailure();
  const local = openWire([gone], { baseUrl: "http://127.0.0.1:4010" });
  await rejects(local.client.get(path`/offerings`), NetworkError);
  equal(local.posted.length, 5);
  ok(local.waits.every((ms) => ms <= 200), String(local.waits));
  const remote = openWire([gone]);
  await rejects(remote.client.get(path`/offerings`), NetworkError);
  ok((remote.waits.at(-1) ?? 0) >= 2_700, String(remote.waits));
});

/** A date so many milliseconds from now, as a header has it. */
const fromNow = (ms: number) => () => new Date(Date.now() + ms).toUTCString();

/** The wait in an answer, and the resulting wait without jitter. */
const WAITS: [
  header: string | undefined | (() => string),
  backoff: unknown,
  from: number,
  to: number,
][] = [
  ["3", undefined, 3_000, 3_000],
  ["0", undefined, 0, 0],
  ["65", undefined, 65_000, 65_000],
  ["66", undefined, NaN, NaN],
  ["99999999999999999999", undefined, NaN, NaN],
  [fromNow(20_000), undefined, 15_000, 20_000],
  [fromNow(-20_000), undefined, 0, 0],
  ["2", 9_000, 2_000, 2_000],
  [undefined, 1_500, 1_500, 1_500],
  [undefined, 0, 0, 0],
  [undefined, 65_001, NaN, NaN],
  [undefined, -1, 100, 200],
  [undefined, "soon", 100, 200],
  [undefined, null, 100, 200],
  ["-5", undefined, 100, 200],
  ["1.5", undefined, 100, 200],
  ["soon", 700, 700, 700],
];

Deno.test("a delay follows the service's Retry-After, and too long a delay ends the request", async () => {
  for (const [wanted, backoff_ms, from, to] of WAITS) {
    const header = typeof wanted === "function" ? wanted() : wanted;
    const label = `Retry-After ${header}, backoff_ms ${backoff_ms}`;
    const headers: Record<string, string> = header === undefined ? {} : { "Retry-After": header };
    const { client, waits } = openWire([refused(429, { backoff_ms }, headers), DONE]);
    const outcome = await client.get(path`/offerings`).then(() => "done", (error) => error);
    if (Number.isNaN(from)) {
      ok(outcome instanceof ApiError && (outcome.retryAfterMs ?? 0) > 65_000, label);
      deepEqual(waits, [], label);
      continue;
    }
    equal(outcome, "done", label);
    const [wait = NaN] = waits;
    ok(wait >= from && wait <= to + 100, `${label}: ${wait}`);
  }
});

Deno.test("delays vary, so that clients do not return all at once", async () => {
  for (const move of [refused(503), refused(429, {}, { "Retry-After": "1" })]) {
    const seen = new Set<number>();
    for (let i = 0; i < 10; i++) {
      const { client, waits } = openWire([move, DONE]);
      await client.get(path`/offerings`);
      seen.add(waits[0] ?? 0);
    }
    ok(seen.size > 5, String([...seen]));
  }
});

Deno.test("the longest delay can be set", async () => {
  const impatient = { longestWaitMs: 500 };
  const { client, waits } = openWire([refused(429, {}, { "Retry-After": "1" }), DONE], impatient);
  await rejects(client.get(path`/offerings`), { retryAfterMs: 1_000, status: 429 });
  deepEqual(waits, []);
});

Deno.test("an abort ends a delay at once, and nothing is sent after it", async () => {
  const abort = new AbortController();
  const reason = new Error("enough");
  const { client, posted } = openWire([() => {
    // Fires while the client waits, which would be for a minute.
    setTimeout(() => abort.abort(reason), 0);
    return refused(429, {}, { "Retry-After": "60" });
  }], { signal: abort.signal, pause });
  const started = performance.now();
  const request = client.get(path`/offerings`);
  await rejects(request, (error) => error instanceof Cancelled && error.cause === reason);
  ok(performance.now() - started < 5_000);
  equal(posted.length, 1);
  await rejects(client.get(path`/offerings`), Cancelled);
  equal(posted.length, 1);
});

Deno.test("an abort ends a running request, and is no network failure", async () => {
  const abort = new AbortController();
  const { client, posted } = openWire([
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        abort.abort();
      }),
  ], { signal: abort.signal });
  await rejects(client.post(path`/offerings`, {}), Cancelled);
  equal(posted.length, 1);
});

Deno.test("a delay leaves no listener on the signal", async () => {
  const abort = new AbortController();
  let listeners = 0;
  const { signal } = abort;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => (listeners++, add(...args)),
    removeEventListener: (...args: Parameters<typeof remove>) => (listeners--, remove(...args)),
  });
  for (let i = 0; i < 20; i++) await pause(0, signal);
  equal(listeners, 0);
  abort.abort();
  await rejects(pause(60_000, signal), Cancelled);
});

Deno.test("each try has its own timeout, including its answer", async () => {
  await using server = slowServer();
  const client = createClient({
    baseUrl: server.baseUrl,
    projectId: "proj1",
    timeoutMs: 150,
    retries: 1,
    pause: () => Promise.resolve(),
  });
  await rejects(client.get(path`/silent`), (error) => {
    ok(error instanceof NetworkError);
    match(error.message, /^Cannot reach http:\/\/127\.0\.0\.1:\d+: it did not answer in time$/);
    return true;
  });
  await rejects(client.get(path`/half`), NetworkError);
  deepEqual(server.seen.map((one) => one.split("/").at(-1)), ["silent", "silent", "half", "half"]);
});

/** A server that never ends an answer. */
function slowServer(): AsyncDisposable & { baseUrl: string; seen: string[] } {
  const seen: string[] = [];
  const stop = new AbortController();
  const options = { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen: () => {} };
  const server = Deno.serve(options, (request) => {
    const { pathname } = new URL(request.url);
    seen.push(pathname);
    if (pathname.endsWith("silent")) return new Promise<Response>(() => {});
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":')),
    });
    return new Response(body);
  });
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}`,
    seen,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.finished;
    },
  };
}

function keyOf(posted: Posted | undefined): string | null {
  return posted?.headers.get("Idempotency-Key") ?? null;
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

Deno.test("an absurd wait is ignored", () => {
  const asked = (value: string) =>
    waitTold(new Response(null, { headers: { "Retry-After": value } }), "");
  for (const absurd of ["99999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    equal(asked(absurd), LONGEST_TOLD_MS, absurd);
  }
  equal(asked("3600"), 3_600_000);
  equal(waitTold(new Response(), '{"backoff_ms":1e300}'), LONGEST_TOLD_MS);
});

Deno.test("a method that no runtime sends is refused before the first try, and so is a body with GET", async () => {
  // Another fetch might accept them.
  let sent = 0;
  const fetch = () => Promise.resolve(new Response(`{"sent":${++sent}}`));
  const client = createClient({ baseUrl: NOWHERE, fetch, retries: 4, pause: async () => {} });
  for (const method of ["TRACE", "connect", "Track", "BAD METHOD", "", "GÉT"]) {
    await rejects(client.send(method, "/v2/x"), UsageError, method);
  }
  for (const method of ["GET", "head"]) {
    await rejects(client.send(method, "/v2/x", {}), UsageError, method);
  }
  equal(sent, 0);
  for (const method of ["GET", "PATCH", "OPTIONS", "X-OWN"]) await client.send(method, "/v2/x");
  equal(sent, 4);
});

Deno.test("the listener's request has the token, and its body can be read", async () => {
  const heard: Exchange[] = [];
  const { client } = openWire([DONE], { onExchange: (one) => heard.push(one) });
  await client.post(path`/offerings`, { lookup_key: "a" });
  await client.get(path`/offerings`);
  const [posted, got] = heard.map(({ request }) => request);
  equal(posted?.headers.get("Authorization"), "Bearer atk_one");
  deepEqual(await posted?.json(), { lookup_key: "a" });
  deepEqual([got?.method, got?.body, got?.redirect], ["GET", null, "manual"]);
});

Deno.test("a header that not all runtimes send is refused before the first try", async () => {
  for (const onExchange of [undefined, () => {}]) {
    const { client, posted } = openWire([DONE], onExchange && { onExchange });
    const send = (name: string, value: string) =>
      client.get(path`/offerings`, { headers: { [name]: value } });
    for (const name of ["", "a b", "é", "a:", "a\n"]) {
      await rejects(send(name, "x"), (error) => {
        ok(error instanceof UsageError, String(error));
        match(error.message, /^Cannot send a header with the name "/);
        return true;
      });
    }
    const wrong: [string, string][] = [
      ...["a\nb", "\0", "\x01", "\x7f", "€"].map((value): [string, string] => ["X-Own", value]),
      ["Content-Length", "5"],
      ["transfer-encoding", "chunked"],
      ["Expect", "100-continue"],
      ["Upgrade", "h2c"],
      ["Keep-Alive", "1"],
      ["Connection", "upgrade"],
    ];
    for (const [name, value] of wrong) await rejects(send(name, value), UsageError, name + value);
    equal(posted.length, 0);
    for (const value of ["", "a b", " é\t\n"]) await send("X-Own", value);
    await send("Connection", "close");
    deepEqual(posted.map(({ headers }) => headers.get("X-Own")), ["", "a b", "é", null]);
  }
  const { client, posted } = openWire([DONE], { userAgent: "a\nb" });
  await rejects(client.get(path`/offerings`), UsageError);
  equal(posted.length, 0);
});
