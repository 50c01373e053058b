import { deepEqual, equal, match } from "node:assert/strict";
import { answerOf, apiOf, sendRaw, signIn } from "../../support/api.ts";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";
import { appOf } from "../../support/sdk_fixture.ts";
import { simulate } from "../../support/simulation.ts";

Deno.test("a refused credential is told apart by its message and its challenge", async () => {
  await using desk = await openDesk();
  const { key } = await appOf(desk, "app_store");
  const { access_token } = await desk.service.oauth.issueToken({});
  const unknown = "The credential is unknown, expired or revoked";
  const form = "The Authorization header must be: Bearer <access token>";
  const none = "A credential is required: send Authorization: Bearer <access token>";
  const bad = 'Bearer error="invalid_token"';
  const cases: [header: string | undefined, status: number, message: string, challenge?: string][] =
    [
      [undefined, 401, none, "Bearer"],
      ["", 401, form, bad],
      [access_token, 401, form, bad],
      ["Bearer a b", 401, form, bad],
      [`Bearer ${access_token}x`, 401, unknown, bad],
      [
        `Bearer ${key}`,
        403,
        "A public SDK key is for apps, under /v1 and /rcbilling/v1; send an access token here",
      ],
    ];
  for (const [header, status, message, challenge] of cases) {
    const headers: HeadersInit = header === undefined ? {} : { Authorization: header };
    for (const path of ["/v2/projects", "/v2/nothing"]) {
      const answer = await answerOf(await sendRaw(desk, path, { headers }));
      deepEqual([answer.status, answer.body.message], [status, message]);
      equal(answer.headers.get("WWW-Authenticate"), challenge ?? null);
    }
  }
  const headers = { Authorization: `bEARER ${access_token}` };
  equal((await answerOf(await sendRaw(desk, "/v2/projects", { headers }))).status, 200);
});

Deno.test("the first check that a request fails is the one that is told", async () => {
  await using desk = await openDesk({
    rateLimits: { customers: 3, configuration: 1000, charts: 1000 },
  });
  const reader = apiOf(desk, await signIn(desk, { scope: "customer_information:customers:read" }));
  const stranger = apiOf(desk, await signIn(desk, { email: "stranger@example.com" }));
  const owner = apiOf(desk);
  const broken = "{";
  const customers = "/customers?limit=0";
  const statusOf = async (api: typeof owner, method: string, path: string, body?: unknown) =>
    (await api.send(method, path, body)).status;
  equal(await statusOf(reader, "POST", "/nothing", broken), 404);
  equal(await statusOf(reader, "PUT", customers, broken), 405);
  equal(await statusOf(reader, "POST", customers, broken), 403, "without the permission");
  equal(await statusOf(stranger, "POST", customers, broken), 403, "without access to the project");
  for (let i = 0; i < 3; i++) {
    equal(await statusOf(owner, "POST", customers, broken), 400);
  }
  equal(await statusOf(owner, "POST", customers, broken), 429);
  equal(await statusOf(owner, "GET", customers), 429);
  equal(await statusOf(stranger, "POST", customers, broken), 403);
});

Deno.test("an invalid field is told before the rules of an operation, and after a missing object", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const wrong = { lookup_key: "pro", display_name: 5 };
  equal((await api.send("POST", "/entitlements", { ...wrong, display_name: "P" })).status, 409);
  const refused = { status: 400, type: "parameter_error", param: "display_name" };
  await api.refused(refused, "POST", "/entitlements", wrong);
  equal((await api.send("POST", "/entitlements/nothing", wrong)).status, 404);
  // An operation that reads no body refuses a field all the same.
  const extra = { status: 400, type: "parameter_error", param: "x" };
  await api.refused(extra, "POST", "/offerings/winter_sale/actions/archive", { x: 1 });
  await api.refused(extra, "POST", "/offerings/default/actions/archive", { x: 1 });
  match(String((await api.get("/offerings/winter_sale")).state), /^active$/);
});

Deno.test("answers have the caller's usage, and errors after the count have it, too", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const usage = async (method: string, path: string, body?: unknown) =>
    (await api.send(method, path, body)).headers.get("Service-Rate-Limit-Current-Usage");
  equal(await usage("GET", "/offerings"), "1");
  equal(await usage("GET", "/offerings/nothing"), "2");
  equal(await usage("POST", "/offerings", {}), "3");
  equal(await usage("PUT", "/offerings"), null);
});

Deno.test("an answer of a project with a time of its own has that time as its date", async () => {
  const now = Date.UTC(2026, 0, 31, 12);
  await using desk = await openDesk({ clock: () => now });
  const api = apiOf(desk, await signIn(desk, {}));
  const date = async (path: string) => (await api.send("GET", path)).headers.get("Date");
  equal(await date("/offerings"), null, "the server adds the date of the machine");
  const sim = simulate(desk);
  await sim.advance("P1D");
  equal(await date("/offerings"), "Sun, 01 Feb 2026 12:00:00 GMT");
  equal(await date("/v2/projects"), null);
  await using still = await openDesk();
  await frozen(still);
  const { headers } = await apiOf(still).send("GET", "/offerings");
  equal(headers.has("Date"), true, "a clock that stands is one of its own");
});

Deno.test("a NUL character in a path is refused, and names in answers are those of the dialect", async () => {
  for (const dialect of ["specified", "public"] as const) {
    await using desk = await openDesk({ dialect });
    const { Authorization } = await signIn(desk, {});
    const get = async (path: string) => {
      const url = `/v2/projects/${desk.projectId}${path}`;
      return await answerOf(await sendRaw(desk, url, { headers: { Authorization } }));
    };
    const { status, body } = await get("/offerings/a%00b");
    deepEqual([status, body.message], [400, "The path contains a NUL character"]);
    const { body: { items } } = await get("/offerings/default/packages");
    const prefix = dialect === "public" ? "$rc_" : "$svc_";
    equal(items.every(({ lookup_key }) => lookup_key.startsWith(prefix)), true, dialect);
  }
});
