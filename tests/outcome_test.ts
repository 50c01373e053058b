import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { createClient, type Exchange } from "../lib/client.ts";
import { Cancelled } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { attemptOnce } from "../lib/retry.ts";
import { answer, networkFailure, NOWHERE, openWire } from "./support/wire.ts";

const DONE = answer(200, { id: "x" });

Deno.test("a listener that fails hides no outcome", async () => {
  let called = 0;
  const onExchange = () => {
    called++;
    throw new Error("no room for the log");
  };
  const { client } = openWire([networkFailure(), DONE], { onExchange });
  deepEqual(await client.post(path`/offerings`, {}), { id: "x" });
  equal(called, 2);
  // No runtime makes such a request. Its failure stays the outcome.
  const shown: Exchange[] = [];
  const settings = {
    baseUrl: NOWHERE,
    fetch: () => Promise.resolve(DONE.clone()),
    onExchange: (one: Exchange) => shown.push(one),
  };
  const request = { url: NOWHERE, method: "TRACE", headers: new Headers() };
  const { error } = await attemptOnce(settings, request, 1);
  ok(error instanceof TypeError);
  equal(shown.length, 0);
});

/** A `fetch` that ignores its signal and never ends: in its answer, or in the body. */
const DEAF: Record<string, () => Promise<Response>> = {
  "the answer": () => new Promise(() => {}),
  "the body": () => Promise.resolve(new Response(new ReadableStream())),
};

for (const [what, fetch] of Object.entries(DEAF)) {
  Deno.test(`a time limit and an abort end a request that a deaf fetch leaves without ${what}`, async () => {
    const settings = { baseUrl: NOWHERE, fetch, retries: 0, silenceMs: Infinity };
    const limited = createClient({ ...settings, timeoutMs: 20 });
    await rejects(limited.get(path`/v2/x`), /NetworkError: .*: it did not answer in time$/);
    const abort = new AbortController();
    const stopped = createClient({
      ...settings,
      timeoutMs: Infinity,
      signal: abort.signal,
      fetch: async () => {
        setTimeout(() => abort.abort("enough"), 0);
        return await fetch();
      },
    });
    await rejects(
      stopped.get(path`/v2/x`),
      (error) => error instanceof Cancelled && error.cause === "enough",
    );
  });
}

Deno.test("an answer that comes after the time limit is not taken, and let go", async () => {
  const late = Promise.withResolvers<Response>();
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream({ cancel: () => cancelled.resolve() });
  const fetch = () => late.promise;
  const client = createClient({ baseUrl: NOWHERE, fetch, retries: 0, timeoutMs: 20 });
  await rejects(client.get(path`/v2/x`), /it did not answer in time$/);
  late.resolve(new Response(body));
  await cancelled.promise;
});
