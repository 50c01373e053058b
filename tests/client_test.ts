import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { type ClientOptions, createClient, type Exchange, rawJson } from "../lib/client.ts";
import { ApiError, AuthError, NetworkError, UsageError } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { answer, networkFailure, NOWHERE, openWire, refused } from "./support/wire.ts";

const DONE = answer(200, { id: "x" });

Deno.test("a path is relative to the project unless it names its version", async () => {
  const { client, posted } = openWire([DONE]);
  await client.get(path`/offerings/${"a/b"}`);
  await client.get(path`/v2/projects`);
  await client.get(path`/v1/subscribers/${"u"}/offerings`);
  await client.get(path`/health`);
  await client.get(path`/v2x`);
  deepEqual(posted.map(({ url }) => url.slice(NOWHERE.length)), [
    "/v2/projects/proj1/offerings/a%2Fb",
    "/v2/projects",
    "/v1/subscribers/u/offerings",
    "/health",
    "/v2/projects/proj1/v2x",
  ]);
});

Deno.test("a base URL may have a path and trailing slashes", async () => {
  for (const baseUrl of [`${NOWHERE}/api`, `${NOWHERE}/api/`, `${NOWHERE}/api//`]) {
    const { client, posted } = openWire([DONE], { baseUrl });
    equal(client.baseUrl, `${NOWHERE}/api`);
    await client.get(path`/offerings`);
    equal(posted[0]?.url, `${NOWHERE}/api/v2/projects/proj1/offerings`);
  }
});

Deno.test("an invalid base URL is refused, and its password is hidden", () => {
  for (const baseUrl of ["", "x", "127.0.0.1:4010", "ftp://a", `${NOWHERE}?a=1`, `${NOWHERE}#a`]) {
    throws(() => createClient({ baseUrl }), UsageError, baseUrl);
  }
  throws(() => createClient({ baseUrl: "https://me:secret@a.example" }), (error) => {
    ok(error instanceof UsageError);
    ok(!`${error.message}${error.hint}`.includes("secret"));
    return true;
  });
});

Deno.test("without a project, only paths outside projects can be read", async () => {
  const { projectId: _, ...options } = { projectId: undefined, baseUrl: NOWHERE };
  const client = createClient({ ...options, fetch: () => Promise.resolve(DONE.clone()) });
  await client.get(path`/v2/projects`);
  await rejects(client.get(path`/offerings`), (error) => {
    ok(error instanceof UsageError);
    match(error.hint ?? "", /--project-id/);
    return true;
  });
});

Deno.test("a project id is a single segment", async () => {
  for (const projectId of [".", "..", "\ud800"]) {
    const { client, posted } = openWire([DONE], { projectId });
    await rejects(client.get(path`/offerings`), UsageError);
    equal(posted.length, 0);
  }
  const { client, posted } = openWire([DONE], { projectId: "a/../b?c#d" });
  await client.get(path`/offerings`);
  equal(posted[0]?.url, `${NOWHERE}/v2/projects/a%2F..%2Fb%3Fc%23d/offerings`);
});

Deno.test("a query is encoded once, arrays repeat, undefined values are omitted", async () => {
  const { client, posted } = openWire([DONE]);
  const query = {
    limit: 5,
    starting_after: "$a b&c=d/é%25",
    expand: ["items.package", "items.package.product"],
    search: undefined,
    empty: "",
    yes: false,
  };
  await client.get(path`/offerings`, { query });
  const { searchParams } = new URL(posted[0]?.url ?? "");
  deepEqual([...searchParams], [
    ["limit", "5"],
    ["starting_after", "$a b&c=d/é%25"],
    ["expand", "items.package"],
    ["expand", "items.package.product"],
    ["empty", ""],
    ["yes", "false"],
  ]);
});

Deno.test("requests name the client", async () => {
  const { client, posted } = openWire([DONE], { userAgent: "cli/9" });
  await client.get(path`/offerings`);
  await client.post(path`/offerings/a/actions/archive`);
  await client.post(path`/offerings`, { display_name: "日本" });
  const [read, bare, write] = posted;
  equal(read?.headers.get("Accept"), "application/json");
  equal(read?.headers.get("Authorization"), "Bearer atk_one");
  equal(read?.headers.get("User-Agent"), "cli/9");
  equal(read?.headers.get("Content-Type"), null);
  deepEqual([bare?.body, bare?.headers.get("Content-Type")], ["{}", "application/json"]);
  equal(write?.body, '{"display_name":"日本"}');
});

Deno.test("a client without a credential sends none, and an invalid header value is not sent", async () => {
  const seen: (string | null)[] = [];
  const send = (options: Partial<ClientOptions>) =>
    createClient({
      baseUrl: NOWHERE,
      fetch: ({ headers }) => {
        seen.push(headers.get("Authorization"));
        return Promise.resolve(DONE.clone());
      },
      ...options,
    }).get(path`/v2/projects`);
  await send({});
  deepEqual(seen, [null]);
  for (const credential of ["", "a b", "rtk_…", "a\nX-Other: 1"]) {
    await rejects(send({ credential }), AuthError, credential);
  }
  equal(seen.length, 1);
});

Deno.test("a refused token is renewed once, and the request repeated with its key", async () => {
  const asked: (string | undefined)[] = [];
  const credential = (old: string | undefined) => {
    asked.push(old);
    return Promise.resolve(old === undefined ? "atk_old" : "atk_new");
  };
  const unauthorized = refused(401, { retryable: false });
  const { client, posted, waits } = openWire([unauthorized, DONE], { credential, retries: 0 });
  await client.post(path`/offerings`, { lookup_key: "a" });
  deepEqual(asked, [undefined, "atk_old"]);
  deepEqual(posted.map(({ headers }) => headers.get("Authorization")), [
    "Bearer atk_old",
    "Bearer atk_new",
  ]);
  const [first, second] = posted.map(({ headers }) => headers.get("Idempotency-Key"));
  equal(first, second);
  equal(posted[1]?.body, posted[0]?.body);
  deepEqual(waits, []);
});

Deno.test("a token refused after its renewal is an error, and a renewal costs no retry", async () => {
  const credential = () => Promise.resolve("atk_any");
  const unauthorized = refused(401, { retryable: false });
  const lost = openWire([unauthorized], { credential });
  await rejects(lost.client.get(path`/offerings`), { name: "ApiError", status: 401 });
  equal(lost.posted.length, 2);
  const moves = [refused(503), unauthorized, refused(503), DONE];
  const late = openWire(moves, { credential, retries: 2 });
  await late.client.get(path`/offerings`);
  equal(late.posted.length, 4);
});

Deno.test("a credential that cannot be obtained ends the request", async () => {
  const credential = () => Promise.reject(new AuthError("Cannot sign in: nobody is there"));
  const { client, posted } = openWire([DONE], { credential });
  await rejects(client.get(path`/offerings`), AuthError);
  equal(posted.length, 0);
});

Deno.test("an error keeps every field of the service's answer", async () => {
  const body = {
    object: "error",
    type: "entity_references_archived_entities",
    message: "It refers to archived objects",
    retryable: false,
    param: "product_ids",
    backoff_ms: null,
    referenced_object_ids: ["prod1", "prod2"],
    missing_scopes: ["a:b:read"],
  };
  const { client } = openWire([answer(422, body, { "X-Request-Id": "req7" })]);
  const { message, ...details } = await errorOf(client.post(path`/entitlements/${"a/b"}/x`));
  equal(message, "It refers to archived objects");
  deepEqual({ ...details }, {
    name: "ApiError",
    hint: undefined,
    status: 422,
    type: "entity_references_archived_entities",
    retryable: false,
    param: "product_ids",
    retryAfterMs: undefined,
    requestId: "req7",
    referencedObjectIds: ["prod1", "prod2"],
    missingScopes: ["a:b:read"],
    method: "POST",
    path: "/v2/projects/proj1/entitlements/a%2Fb/x",
  });
});

Deno.test("an error answer without the service's body is an error of its status", async () => {
  for (
    const text of ["", "<html>", "null", "[]", '"no"', '{"message":7,"type":""}', '{"message":""}']
  ) {
    const { client } = openWire([new Response(text, { status: 418 })]);
    const error = await errorOf(client.get(path`/offerings`));
    equal(error.message, "The service answered with status 418", text);
    deepEqual([error.status, error.type, error.param], [418, "unknown", undefined], text);
  }
});

Deno.test("an answer without JSON is an error", async () => {
  const bodies = [["<html>Sign in</html>", "a body that is not JSON"], ["", "no body"]];
  for (const [text, what] of bodies) {
    const { client, posted } = openWire([new Response(text)]);
    await rejects(client.get(path`/offerings`), (error) => {
      ok(error instanceof NetworkError);
      equal(
        error.message,
        `Cannot read the answer of ${NOWHERE}/v2/projects/proj1/offerings: it has ${what}`,
      );
      match(error.hint ?? "", /CLI_BASE_URL.*HTTPS_PROXY/);
      return true;
    });
    equal(posted.length, 1);
  }
  const { client } = openWire([new Response("{]")]);
  await rejects(client.post(path`/offerings`, {}), NetworkError);
});

Deno.test("the answer to a write may be empty", async () => {
  const { client } = openWire([new Response(null, { status: 204 })]);
  equal(await client.delete(path`/offerings/a`), null);
  equal(await client.post(path`/offerings/a/actions/archive`), null);
});

Deno.test("a redirect is never followed, and the error names its target", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    await using trap = serve(() => Response.json({ stolen: true }));
    await using server = serve(() => {
      return new Response(null, { status, headers: { Location: `${trap.baseUrl}/a?token=x` } });
    });
    const options = { baseUrl: server.baseUrl, projectId: "p", credential: "atk_1" };
    for (const request of [createClient(options).get, createClient(options).post]) {
      await rejects(request(path`/offerings`), (error) => {
        ok(error instanceof NetworkError);
        ok(
          error.message.endsWith(`: it has status ${status}, to ${trap.baseUrl}/a`),
          error.message,
        );
        return true;
      });
    }
    equal(server.seen.length, 2);
    deepEqual(trap.seen, []);
  }
});

Deno.test("the JSON text of an answer is kept byte for byte", async () => {
  const text =
    '{ "n": 9007199254740993, "p": 0.10, "é": "\\u001b]52;", "n": 1e2,\n "items": [{}] }';
  const { client } = openWire([new Response(text)]);
  const got = await client.get<{ items: object[] }>(path`/offerings`);
  equal(rawJson(got), text);
  equal(rawJson(got.items), undefined);
  equal(rawJson({ ...got }), undefined);
  equal(rawJson(Object.create(got)), undefined);
  equal(rawJson(structuredClone(got)), undefined);
  deepEqual(got, JSON.parse(text), "the text is no field of the answer");
  for (const other of [null, undefined, 7, "x", {}]) equal(rawJson(other), undefined);
  equal(rawJson(await client.post(path`/offerings`)), text);
});

Deno.test("an answer of several megabytes arrives whole", async () => {
  const text = JSON.stringify({ items: Array.from({ length: 400_000 }, (_, id) => ({ id })) });
  await using server = serve(() => new Response(text));
  const client = createClient({ baseUrl: server.baseUrl, projectId: "p" });
  const { items } = await client.get<{ items: { id: number }[] }>(path`/offerings`);
  equal(items.at(-1)?.id, 399_999);
});

Deno.test("an address of the same service can be followed, an address of another cannot", async () => {
  const { client, posted } = openWire([DONE], { baseUrl: `${NOWHERE}/api` });
  const own = ["/api/v2/x?a=%2F", "/v2/x?a=%2F", `${NOWHERE}/api/v2/x?a=%2F`];
  for (const address of own) await client.follow(address);
  deepEqual(posted.map(({ url }) => url), own.map(() => `${NOWHERE}/api/v2/x?a=%2F`));
  const foreign = [
    "https://evil.example/api/v2/x",
    "//evil.example/api/v2/x",
    "http://service.example/api/v2/x",
    `${NOWHERE}:8443/api/v2/x`,
    `${NOWHERE}.evil.example/api/v2/x`,
    `${NOWHERE}/api/../x`,
    `${NOWHERE}/apis/v2/x`,
    "/api/../x",
    ...["me", ""].map((name) => `https://${name}:pass@service.example/api/v2/x`),
    "https://service.example@evil.example/api/v2/x",
    "file:///etc/passwd",
    "javascript:1",
  ];
  for (const address of foreign) await rejects(client.follow(address), NetworkError, address);
  equal(posted.length, own.length);
  const bare = openWire([DONE]);
  for (const address of ["//evil.example/v2/x", "/\\evil.example/v2/x", "https:evil.example"]) {
    await bare.client.follow(address).catch((error) => ok(error instanceof NetworkError));
  }
  ok(bare.posted.every(({ url }) => url.startsWith(`${NOWHERE}/`)), JSON.stringify(bare.posted));
});

Deno.test("the listener receives each try, with body and failure", async () => {
  const heard: Exchange[] = [];
  const { client } = openWire([networkFailure(), DONE], { onExchange: (one) => heard.push(one) });
  await client.post(path`/offerings`, { lookup_key: "a" });
  deepEqual(heard.map(({ attempt }) => attempt), [1, 2]);
  deepEqual(heard.map(({ response }) => response?.status), [undefined, 200]);
  deepEqual(heard.map(({ error }) => error instanceof Error), [true, false]);
  deepEqual(heard.map(({ requestBody }) => requestBody), Array(2).fill('{"lookup_key":"a"}'));
  equal(heard[1]?.responseBody, '{"id":"x"}');
  ok(heard.every(({ durationMs }) => durationMs >= 0));
});

Deno.test("a client with changed settings leaves the original unchanged", async () => {
  const { client, posted } = openWire([DONE]);
  const other = client.with({ projectId: "proj2", credential: "atk_two" });
  await other.get(path`/offerings`);
  await client.get(path`/offerings`);
  deepEqual(posted.map(({ url, headers }) => [url, headers.get("Authorization")]), [
    [`${NOWHERE}/v2/projects/proj2/offerings`, "Bearer atk_two"],
    [`${NOWHERE}/v2/projects/proj1/offerings`, "Bearer atk_one"],
  ]);
  deepEqual([client.projectId, other.projectId], ["proj1", "proj2"]);
});

/** The `ApiError` that a request ends with. */
async function errorOf(request: Promise<unknown>): Promise<ApiError> {
  const error = await request.then(() => undefined, (thrown) => thrown);
  ok(error instanceof ApiError, String(error));
  return error;
}

/** A server on a free port that notes the paths it was asked for. */
function serve(
  handle: (request: Request) => Response,
): AsyncDisposable & { baseUrl: string; seen: string[] } {
  const seen: string[] = [];
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, (request) => {
    seen.push(new URL(request.url).pathname);
    return handle(request);
  });
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}`,
    seen,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
