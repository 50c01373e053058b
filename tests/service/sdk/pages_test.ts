import { deepEqual, equal, match, throws } from "node:assert/strict";
import { fullPath } from "../../../lib/service/contract/route.ts";
import { createOrigins, isOrigin } from "../../../lib/service/http/origins.ts";
import { operations } from "../../../lib/service/routes/mod.ts";
import { adminRoutes, simRoutes } from "../../../lib/service/sim/routes.ts";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";
import { openTestStore } from "../../support/sdk_fixture.ts";

const NAMED = "https://app.example.com";
const LOCAL = [
  "http://localhost:5173",
  "http://127.0.0.1",
  "http://[::1]:8080",
  "capacitor://localhost",
];
const FOREIGN = ["https://evil.example", "http://localhost.evil.example", "null", `${NAMED}:8443`];

/** The headers of an answer that decide whether a page can read it. */
function corsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));
}

/** Sends a request as a page of an origin does, without the checks of the document. */
function sendFrom(
  { service }: Desk,
  origin: string,
  method: string,
  path: string,
  headers: HeadersInit = {},
): Promise<Response> {
  const all = new Headers(headers);
  all.set("Origin", origin);
  return service.fetch(new Request(BASE_URL + path, { method, headers: all }));
}

/** Every address of the service with values: those for apps, and all others. */
function addresses({ projectId }: Desk): { method: string; path: string; isForApps: boolean }[] {
  const routes = [
    ...operations.map((route) => ({ method: route.method, path: fullPath(route) })),
    ...simRoutes.map(({ method, path }) => ({ method, path })),
    ...adminRoutes.map(({ method, path }) => ({ method, path })),
    ...["/oauth2/authorize", "/.well-known/oauth-authorization-server", "/health", "/openapi.json"]
      .map((path) => ({ method: "GET", path })),
    ...["/oauth2/token", "/oauth2/revoke", "/oauth2/authorize"]
      .map((path) => ({ method: "POST", path })),
    ...["/", "/v1", "/v2", "/v1x/", "/rcbilling", "/rcbilling/v2/x", "/v1/../v2/projects"]
      .map((path) => ({ method: "GET", path })),
  ];
  return routes.map(({ method, path }) => ({
    method,
    path: path.replace("{project_id}", projectId).replace(/\{\w+\}/g, "ada"),
    isForApps: /^\/(v1|rcbilling\/v1)\/(?!\.)/.test(path),
  }));
}

Deno.test("pages of a foreign origin get nothing from any route", async () => {
  await using desk = await openDesk({ allowOrigins: [NAMED] });
  const { key } = await openTestStore(desk);
  const { access_token } = await desk.service.oauth.issueToken({});
  for (const { method, path, isForApps } of addresses(desk)) {
    const foreign = isForApps ? FOREIGN : [...FOREIGN, NAMED, ...LOCAL];
    for (const origin of foreign) {
      const place = `${method} ${path} from ${origin}`;
      for (const credential of [key, access_token, desk.service.adminSecret]) {
        const headers = { Authorization: `Bearer ${credential}` };
        const answer = await sendFrom(desk, origin, method, path, headers);
        deepEqual([answer.status, corsOf(answer)], [403, {}], place);
        await answer.body?.cancel();
      }
      const asked = { "Access-Control-Request-Method": method };
      const preflight = await sendFrom(desk, origin, "OPTIONS", path, asked);
      deepEqual([preflight.status, corsOf(preflight)], [403, {}], place);
      await preflight.body?.cancel();
    }
  }
});

Deno.test("pages of this machine and of named origins may use the addresses for apps", async () => {
  await using desk = await openDesk({ allowOrigins: [NAMED] });
  const { key } = await openTestStore(desk);
  const wanted = "authorization,content-type,x-is-sandbox,x-platform,x-version,x-own";
  for (const origin of [...LOCAL, NAMED]) {
    for (const { method, path, isForApps } of addresses(desk)) {
      if (!isForApps) continue;
      const preflight = await sendFrom(desk, origin, "OPTIONS", path, {
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": wanted,
        "Access-Control-Request-Private-Network": String(origin === NAMED),
      });
      equal(preflight.status, 204, path);
      const isPrivate = preflight.headers.get("Access-Control-Allow-Private-Network");
      equal(isPrivate, origin === NAMED ? "true" : null);
      match(preflight.headers.get("X-Request-Id") ?? "", /^req/);
      equal(preflight.headers.get("Access-Control-Allow-Origin"), origin);
      equal(preflight.headers.get("Access-Control-Allow-Headers"), wanted);
      match(preflight.headers.get("Access-Control-Allow-Methods") ?? "", new RegExp(method));
      const answer = await sendFrom(desk, origin, method, path, {
        Authorization: `Bearer ${key}`,
      });
      equal(answer.headers.get("Access-Control-Allow-Origin"), origin, path);
      equal(
        answer.headers.get("Access-Control-Expose-Headers"),
        "X-RevenueCat-ETag, X-Request-Id",
      );
      equal(answer.headers.get("Vary"), "Origin");
      equal(answer.headers.get("Access-Control-Allow-Credentials"), null);
      await answer.body?.cancel();
    }
    // A page must be able to read the reason of a refusal.
    const refused = await sendFrom(desk, origin, "GET", "/v1/subscribers/ada", {
      Authorization: "Bearer test_unknown",
    });
    deepEqual([refused.status, (await refused.json()).code], [401, 7225]);
    equal(refused.headers.get("Access-Control-Allow-Origin"), origin);
  }
});

Deno.test("the refusal of a page shows how to allow its origin", async () => {
  await using desk = await openDesk();
  const answer = await sendFrom(desk, "https://evil.example", "GET", "/v1/subscribers/ada");
  const { code, message } = await answer.json();
  equal(code, 7226);
  match(message, /--allow-origin https:\/\/evil\.example/);
});

Deno.test("an origin is a scheme and a host, with an optional port", () => {
  for (const origin of [NAMED, "http://192.168.1.5:5173", "ionic://app", "http://[::1]:1"]) {
    equal(isOrigin(origin), true, origin);
  }
  for (
    const text of [
      "",
      "*",
      "null",
      "app.example.com",
      `${NAMED}/`,
      `${NAMED}:443`,
      "https://A.b",
      "https://a b",
      "https://u@a",
    ]
  ) {
    equal(isOrigin(text), false, text);
    throws(() => createOrigins([text]), { name: "UsageError", message: /must be a scheme/ });
  }
});
