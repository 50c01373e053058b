import { deepEqual, equal, match } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { fullPath, type Route } from "../../../lib/service/contract/route.ts";
import { operations, routes } from "../../../lib/service/routes/mod.ts";
import { adminRoutes, simRoutes } from "../../../lib/service/sim/routes.ts";
import { answerOf, apiOf, checkRefusal, sendRaw, signIn } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";
import { openTestStore } from "../../support/sdk_fixture.ts";
import { startServer } from "../../support/server.ts";

const NOBODY = { status: 401, type: "authentication_error" };

/** The paths without a credential, besides the pages and endpoints of OAuth. */
const OPEN = ["/health", "/openapi.json"];

Deno.test("no route answers without a credential, or with an invalid one", async () => {
  await using desk = await openDesk();
  const { service } = desk;
  const { refresh_token, access_token } = await service.oauth.issueToken({});
  const credentials = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Bearer atk_",
    `Bearer ${access_token}x`,
    `Bearer ${refresh_token}`,
    `Bearer ${service.adminSecret}`,
    `Bearer ${access_token} ${access_token}`,
    `Basic ${btoa(`${access_token}:`)}`,
    access_token,
    `Token ${access_token}`,
  ];
  for (const route of routes.filter(({ path }) => !path.startsWith("/v1/"))) {
    for (const credential of credentials) {
      const headers = credential === undefined ? {} : { Authorization: credential };
      const response = await sendRaw(desk, placeOf(route, desk.projectId), {
        method: route.method,
        headers,
      });
      match(response.headers.get("WWW-Authenticate") ?? "", /^Bearer/);
      checkRefusal(await answerOf(response), NOBODY, `${route.name} with ${credential}`);
    }
    const query = `?access_token=${access_token}`;
    const response = await sendRaw(desk, placeOf(route, desk.projectId) + query, {
      method: route.method,
    });
    equal(response.status, 401, route.name);
  }
});

/** The addresses of all parts of the service, with an id for every name. */
function allAddresses(projectId: string): { method: string; place: string }[] {
  const all = [
    ...operations.map((route) => ({ method: route.method, path: fullPath(route) })),
    ...simRoutes,
    ...adminRoutes,
    { method: "GET", path: "/metrics" },
    { method: "GET", path: "/_sim/openapi.json" },
  ];
  return all.map(({ method, path }) => ({
    method,
    place: path.replace("{project_id}", projectId).replace(/\{\w+\}/g, "ada"),
  }));
}

Deno.test("no address of any part answers without a credential, or with a made-up one", async () => {
  await using desk = await openDesk();
  for (const { method, place } of allAddresses(desk.projectId)) {
    for (const headers of [{}, { Authorization: "Bearer made-up" }]) {
      const response = await sendRaw(desk, place, { method, headers });
      await response.body?.cancel();
      equal(response.status, 401, `${method} ${place}`);
    }
  }
});

Deno.test("no address takes a body of a kind that a form of another page can send", async () => {
  await using desk = await openDesk();
  const { key } = await openTestStore(desk);
  const { access_token } = await desk.service.oauth.issueToken({});
  const kinds = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
  ];
  for (const { method, place } of allAddresses(desk.projectId)) {
    if (method === "GET") continue;
    const credential = place.startsWith("/_sim/")
      ? desk.service.adminSecret
      : place.startsWith("/v2/")
      ? access_token
      : key;
    for (const kind of kinds) {
      const response = await sendRaw(desk, place, {
        method,
        headers: { Authorization: `Bearer ${credential}`, "Content-Type": kind },
        body: "{}",
      });
      const { message } = await response.json();
      equal(response.status, 400, `${method} ${place} as ${kind}`);
      match(message, /Content-Type|JSON/, `${method} ${place} as ${kind}`);
    }
  }
});

Deno.test("only open paths answer without a credential", async () => {
  await using desk = await openDesk();
  const known = routes.map((route) => placeOf(route, desk.projectId));
  const words = known.flatMap((path) => path.split("/")).concat("..", "%2e%2e", "", "_sim", "v1");
  const paths = fc.oneof(
    fc.constantFrom(...known, ...OPEN).chain((path) =>
      fc.constantFrom(path, `${path}/`, `/${path}`, path.toUpperCase(), `${path}?a=b`, `${path}%00`)
    ),
    fc.array(fc.constantFrom(...words), { maxLength: 7 }).map((parts) => `/${parts.join("/")}`),
    fc.webPath(),
  );
  const methods = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  await fc.assert(
    fc.asyncProperty(methods, paths, async (method, path) => {
      const response = await sendRaw(desk, path.startsWith("/") ? path : `/${path}`, { method });
      await response.body?.cancel();
      const { pathname } = new URL(`http://127.0.0.1:4010${path}`);
      const open = OPEN.includes(pathname) && (method === "GET" || method === "HEAD");
      const oauth = /^\/(oauth2|\.well-known)\//.test(pathname);
      if (!oauth) equal(response.ok, open, `${method} ${path}: ${response.status}`);
      checkNoCors(response);
    }),
    { numRuns: 1500 },
  );
});

Deno.test("a token without Bearer is distinguished from an unknown one", async () => {
  await using desk = await openDesk();
  const { access_token } = await desk.service.oauth.issueToken({});
  for (
    const [header, says] of [
      [access_token, /^The Authorization header must be: Bearer <access token>$/],
      [`Bearer ${access_token}x`, /^The credential is unknown, expired or revoked$/],
    ] as const
  ) {
    const headers = { Authorization: header };
    const answer = await answerOf(await sendRaw(desk, "/v2/projects", { headers }));
    match(String(answer.body["message"]), says);
  }
});

Deno.test("an open address without writes lists its methods", async () => {
  await using desk = await openDesk();
  for (const place of OPEN) {
    const response = await sendRaw(desk, place, { method: "POST" });
    deepEqual([response.status, response.headers.get("Allow")], [405, "GET, HEAD"]);
    await response.body?.cancel();
  }
});

Deno.test("a public SDK key gets an error with its purpose", async () => {
  await using desk = await openDesk();
  const { items: [app] } = await apiOf(desk).get("/apps");
  const { items: [key] } = await apiOf(desk).get(`/apps/${app?.id}/public_api_keys`);
  const api = apiOf(desk, { Authorization: `Bearer ${key?.key}` });
  const refusal = { status: 403, type: "authorization_error", message: /public SDK key/ };
  for (const path of ["/offerings", "/v2/projects", "/nothing"]) {
    await api.refused(refusal, "GET", path);
  }
});

Deno.test("every route needs its own permissions, and names them when they are missing", async () => {
  await using desk = await openDesk();
  const none = apiOf(desk, await signIn(desk, { scope: "charts_metrics:benchmarks:read" }));
  for (const route of routes.filter(({ path }) => !path.startsWith("/v1/"))) {
    const names = route.scopes.map((scope) => `"${scope}"`).join(", ");
    const word = route.scopes.length > 1 ? "permissions" : "permission";
    const message = new RegExp(`lacks the ${word} ${RegExp.escape(names)}$`);
    const refusal = { status: 403, type: "authorization_error", message };
    await none.refused(refusal, route.method, placeOf(route, desk.projectId));
    for (const scope of route.scopes) {
      equal(/:read_write$/.test(scope), route.method !== "GET", `${route.name} asks for enough`);
    }
  }
});

Deno.test("a request for another host is refused", async () => {
  await using desk = await openDesk({ hosts: ["service.internal"] });
  const ask = async (host: string) =>
    (await desk.service.fetch(new Request(`http://${host}/health`))).status;
  const own = ["127.0.0.1", "127.1.2.3:99", "localhost:4010", "[::1]", "service.internal:80"];
  for (const host of [...own, "localhost.:4010", "service.internal."]) {
    equal(await ask(host), 200, host);
  }
  const strangers = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "api."];
  for (const host of [...strangers, "0.0.0.0", "169.254.169.254", "10.0.0.1", "[::2]"]) {
    equal(await ask(host), 421, host);
  }
});

Deno.test("hosts are compared in their canonical form", async () => {
  const cases: [hosts: string[], good: string[], bad: string[]][] = [
    [["fd00::2"], ["[fd00::2]:4010", "[fd00:0:0::2]"], ["[fd00::3]", "10.0.0.1"]],
    [["[FD00::2]"], ["[fd00::2]"], []],
    [["VM"], ["vm:4010", "VM"], ["vm.example"]],
    [["192.168.1.10"], ["192.168.1.10:4010"], ["192.168.1.11", "evil.example"]],
    [["0.0.0.0"], ["192.168.1.10:4010", "10.0.2.2", "[fd00::2]"], ["evil.example", "vm"]],
    [["::", "api", "Host.Docker.Internal"], ["10.0.0.1", "api:4010", "host.docker.internal"], [
      "evil.example",
      "1.2.3.4.evil.example",
    ]],
  ];
  for (const [hosts, good, bad] of cases) {
    await using desk = await openDesk({ hosts });
    const ask = async (host: string) =>
      (await desk.service.fetch(new Request(`http://${host}/health`))).status;
    for (const host of good) equal(await ask(host), 200, `${hosts} is ${host}`);
    for (const host of bad) equal(await ask(host), 421, `${hosts} is not ${host}`);
  }
});

Deno.test("the refusal of a host shows how to allow it", async () => {
  await using desk = await openDesk();
  const answer = await answerOf(await desk.service.fetch(new Request("http://api:4010/health")));
  match(
    String(answer.body["message"]),
    /^This service does not accept the host api; .* --name api /,
  );
});

Deno.test("a page of another origin gets nothing, and no answer allows it", async () => {
  await using desk = await openDesk();
  const { Authorization } = await signIn(desk, {});
  const path = `/v2/projects/${desk.projectId}/offerings`;
  for (const place of [path, "/health", "/openapi.json", "/oauth2/token", "/_sim/tokens"]) {
    for (
      const Origin of [
        "https://evil.example",
        "null",
        "http://127.0.0.1:3000",
        "http://localhost:4010",
      ]
    ) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const response = await sendRaw(desk, place, { method, headers: { Authorization, Origin } });
        checkNoCors(response);
        const expected = { status: 403, type: "authorization_error", message: /cannot use this/ };
        checkRefusal(await answerOf(response), expected, `${method} ${place} from ${Origin}`);
      }
    }
  }
  const own = { Authorization, Origin: "http://127.0.0.1:4010" };
  const response = await sendRaw(desk, path, { headers: own });
  equal(response.status, 200);
  checkNoCors(response);
});

Deno.test("caches do not store answers, and each has its own id", async () => {
  await using desk = await openDesk();
  const ids = new Set<string | null>();
  for (const path of ["/offerings", "/offerings/none", "/nothing"]) {
    const { headers } = await apiOf(desk).send("GET", path);
    equal(headers.get("Cache-Control"), "no-store");
    ids.add(headers.get("X-Request-Id"));
  }
  equal(ids.size, 3);
});

Deno.test("over HTTP the Host header counts", async () => {
  // What a sender does wrong is no fault of the service: it reports none.
  await using server = await startServer({ names: ["api"] });
  const port = Number(new URL(server.baseUrl).port);
  const lines = [
    [`GET /health HTTP/1.1`, `Host: 127.0.0.1:${port}`, "200"],
    [`GET /health HTTP/1.1`, `Host: API:${port}`, "200"],
    [`GET /health HTTP/1.1`, "Host: evil.example", "421"],
    [`GET /health HTTP/1.1`, `Host: evil.example:${port}`, "421"],
    [`GET http://evil.example/health HTTP/1.1`, `Host: evil.example`, "421"],
    [`GET /v2/projects HTTP/1.1`, `Host: 127.0.0.1:${port}`, "401"],
    ...["a b", "[", "^", "127.0.0.1:99999", "127.0.0.1/x", "x@127.0.0.1", "127.0.0.1?x", "é"]
      .map((host) => [`GET /health HTTP/1.1`, `Host: ${host}`, "400"]),
  ];
  for (const [request = "", host = "", status] of lines) {
    deepEqual([await statusOf(port, request, host)], [status], `${request}, ${host}`);
  }
  equal(await statusOf(port, "POST /oauth2/token HTTP/1.1", CHUNKED, "zz\r\n"), "400");
});

/** The head of a form in chunks. */
const CHUNKED = [
  "Host: 127.0.0.1",
  "Content-Type: application/x-www-form-urlencoded",
  "Transfer-Encoding: chunked",
].join("\r\n");

/** The status of the answer to a raw request, with its body sent a moment later. */
async function statusOf(
  port: number,
  request: string,
  host: string,
  body = "",
): Promise<string | undefined> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const write = (text: string) => connection.write(new TextEncoder().encode(text));
  await write(`${request}\r\n${host}\r\nConnection: close\r\n\r\n`);
  if (body !== "") {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await write(body);
  }
  const bytes = new Uint8Array(64);
  const read = await connection.read(bytes) ?? 0;
  return /^HTTP\/1\.1 (\d+)/.exec(new TextDecoder().decode(bytes.subarray(0, read)))?.[1];
}

/** Checks that no header lets a page of another origin read the answer. */
function checkNoCors({ headers }: Response): void {
  deepEqual([...headers.keys()].filter((name) => name.startsWith("access-control-")), []);
}

/** The path of a route with a value for every id. */
function placeOf(route: Route, projectId: string): string {
  return fullPath(route).replace("{project_id}", projectId).replace(/\{\w+\}/g, "x");
}
