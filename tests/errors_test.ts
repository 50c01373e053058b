import { deepEqual, equal, match } from "node:assert/strict";
import { fullPath } from "../lib/service/contract/route.ts";
import { routes } from "../lib/service/routes/mod.ts";
import {
  type Answer,
  answerOf,
  apiOf,
  badField,
  checkRefusal,
  noSuch,
  signIn,
} from "./support/api.ts";
import { breakInserts } from "./support/engine.ts";
import { openDesk } from "./support/harness.ts";

const malformed = (message: RegExp, status = 400) => ({ status, type: "invalid_request", message });

Deno.test("the six unsupported operations, the events feed and any other path answer 404", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const paths: [method: string, path: string][] = [
    ["POST", "/customers/ada/actions/override_offering"],
    ["POST", "/customers/ada/actions/restore_google_play_purchase"],
    ["GET", "/customers/ada/virtual_currencies_balances"],
    ["POST", "/customers/ada/virtual_currencies/transactions"],
    ["POST", "/customers/ada/virtual_currencies_balances"],
    ["POST", "/customers/ada/actions/revoke_entitlement"],
    ["GET", "/events"],
    ["GET", "/v2"],
    ["GET", "/v2/"],
    ["GET", "/v2/apps"],
    ["GET", "/v2/offerings/default"],
    ["DELETE", "/apps/a/b/c"],
    ["GET", "/apps/"],
    ["GET", "//apps"],
    ["GET", "/Apps"],
    ["PATCH", "/nothing"],
  ];
  for (const [method, path] of paths) {
    const error = await api.refused(noSuch(), method, path, method === "POST" ? {} : undefined);
    deepEqual(Object.keys(error), ["object", "type", "message", "retryable"]);
  }
});

Deno.test("a method that a path lacks is 405, and Allow lists the supported ones", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const allowed = new Map<string, Set<string>>();
  for (const route of routes.filter((each) => fullPath(each).startsWith("/v2/"))) {
    const path = fullPath(route).replace("{project_id}", desk.projectId).replace(/\{\w+\}/g, "x");
    allowed.set(path, (allowed.get(path) ?? new Set()).add(route.method));
  }
  for (const [path, methods] of allowed) {
    const others = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).difference(
      methods,
    );
    for (const method of others) {
      const answer = await api.send(method, path);
      checkRefusal(answer, malformed(/ is not allowed here; use /, 405), `${method} ${path}`);
      const allow = answer.headers.get("Allow")?.split(", ") ?? [];
      deepEqual(new Set(allow), methods);
      equal(allow.length, methods.size);
    }
  }
});

Deno.test("HEAD answers like GET, without a body", async () => {
  await using desk = await openDesk();
  const { Authorization } = await signIn(desk, {});
  for (const [path, status] of [["/offerings", 200], ["/offerings/none", 404]] as const) {
    const url = `http://127.0.0.1:4010/v2/projects/${desk.projectId}${path}`;
    const answer = await desk.service.fetch(
      new Request(url, { method: "HEAD", headers: { Authorization } }),
    );
    equal(answer.status, status);
    equal(await answer.text(), "");
  }
});

Deno.test("a body must be declared as JSON, be UTF-8 and have at most 4 MiB", async () => {
  await using desk = await openDesk();
  const { Authorization } = await signIn(desk, {});
  const valid = JSON.stringify({ lookup_key: "a", display_name: "A" });
  const send = async (body: BodyInit | null, type?: string): Promise<Answer> => {
    const headers = new Headers({ Authorization });
    if (type !== undefined) headers.set("Content-Type", type);
    const url = `http://127.0.0.1:4010/v2/projects/${desk.projectId}/offerings`;
    return await answerOf(
      await desk.service.fetch(new Request(url, { method: "POST", headers, body })),
    );
  };
  const refused = async (expected: ReturnType<typeof malformed>, body: BodyInit, type?: string) =>
    checkRefusal(await send(body, type), expected, `${type} ${String(body).slice(0, 40)}`);
  const wrongType = malformed(/^The body must be JSON: send Content-Type: application\/json/);
  const bytes = new TextEncoder().encode(valid);
  await refused(wrongType, bytes);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
    await refused(wrongType, valid, type);
  }
  await refused(wrongType, valid, "multipart/form-data; boundary=application/json");
  await refused(wrongType, valid, "application/problem+json");
  const notJson = malformed(/^The body is not valid JSON$/);
  for (const text of ["{", "nul", "{'a':1}", "{a:1}", "[1,]", "1 2", "NaN", "\\", '"\t"', "{}x"]) {
    await refused(notJson, text, "application/json");
  }
  const notUtf8 = malformed(/^The body is not valid UTF-8$/);
  for (const broken of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
    await refused(notUtf8, new Uint8Array([...bytes, ...broken]), "application/json");
  }
  const tooLarge = malformed(/^The body is larger than 4194304 bytes$/, 413);
  const most = valid.padEnd(4 * 1024 * 1024, " ");
  await refused(tooLarge, `${most} `, "application/json");
  await refused(tooLarge, new Blob([most, " "]).stream(), "application/json");
  for (const type of ["application/json", "Application/JSON ; charset=utf-8"]) {
    const { body, status } = await send(
      type === "application/json" ? most : `\ufeff${valid}`,
      type,
    );
    equal(status, type === "application/json" ? 201 : 409, body.message);
  }
});

Deno.test("a body may be empty where nothing is required, and must otherwise be an object", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.refused(badField("lookup_key", /required/), "POST", "/offerings");
  equal((await api.send("POST", "/offerings/default", "")).status, 200);
  for (const body of ["[]", "null", "1", '"x"', "true"]) {
    const rule = malformed(/^The body must be an object$/);
    await api.refused(rule, "POST", "/offerings", body);
    await api.refused(rule, "POST", "/offerings/default", body);
    await api.refused(rule, "POST", "/entitlements/pro/actions/archive", body);
    await api.refused(rule, "DELETE", "/entitlements/pro", body);
  }
  equal((await api.get("/entitlements/pro")).state, "active");
});

Deno.test("JSON that cannot be stored unchanged is refused", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const inMetadata = (json: string) => `{"metadata":{"a":${json}}}`;
  const cases: [json: string, message: RegExp][] = [
    ['"\\u0000"', /invalid Unicode or a NUL/],
    ['"\\ud800"', /invalid Unicode or a NUL/],
    ['{"\\udc00":1}', /invalid Unicode or a NUL/],
    ['{"__proto__":1}', /a field named __proto__/],
    ["[".repeat(63) + "]".repeat(63), /nested deeper than 64 levels/],
    ["[".repeat(100_000) + "]".repeat(100_000), /more than 20000 values/],
  ];
  for (const [json, message] of cases) {
    await api.refused(malformed(message), "POST", "/offerings/default", inMetadata(json));
  }
  const tooLarge = badField(
    "metadata.a.1",
    /^'metadata\.a\.1' must be at most 9007199254740991 in magnitude/,
  );
  for (const number of ["9007199254740993", "-9007199254740992", "1e999"]) {
    await api.refused(tooLarge, "POST", "/offerings/default", inMetadata(`[0.1,${number}]`));
  }
  const deep = inMetadata("[".repeat(62) + "]".repeat(62));
  equal((await api.send("POST", "/offerings/default", deep)).status, 200);
});

Deno.test("checks run in a fixed order, and the first failure is reported", async () => {
  await using desk = await openDesk({ rateLimits: { configuration: 5, customers: 5, charts: 5 } });
  const owner = apiOf(desk, await signIn(desk, {}));
  const reader = apiOf(desk, await signIn(desk, { scope: "*:*:read" }));
  const nobody = apiOf(desk, { Authorization: "Bearer atk_wrong" });
  const status = async (api: typeof owner, method: string, path: string, body?: unknown) =>
    (await api.send(method, path, body)).status;
  const archive = "/offerings/default/actions/archive";
  equal(await status(nobody, "GET", "/nothing"), 401, "credential before path");
  equal(await status(reader, "POST", "/nothing"), 404, "path before method and permission");
  equal(await status(reader, "PATCH", "/offerings"), 405, "method before permission");
  equal(await status(reader, "POST", "/offerings/none", "{"), 403, "permission before form");
  equal(await status(owner, "POST", "/offerings/none", "{"), 400, "form before object");
  equal(await status(owner, "POST", "/offerings/none", { broken: 1 }), 404, "object before fields");
  equal(await status(owner, "POST", archive, { broken: 1 }), 400, "fields before rules");
  const taken = { lookup_key: "default", display_name: "" };
  equal(await status(owner, "POST", "/offerings", taken), 400, "fields before what is taken");
  equal(await status(owner, "POST", archive), 422);
  equal(await status(owner, "POST", "/offerings/none", "{"), 429, "limit before form");
  equal(await status(reader, "POST", "/offerings", "{"), 403, "permission before limit");
  equal(await status(owner, "PATCH", "/offerings"), 405, "method before limit");
});

Deno.test("an internal failure shows its cause to the operator only", async () => {
  const told: unknown[] = [];
  await using desk = await openDesk({ report: (error) => void told.push(error) });
  // Every change fails at its last step.
  await breakInserts(desk.service.store, "audit_logs");
  const answer = await apiOf(desk).send("POST", "/offerings/default", { display_name: "Lost" });
  checkRefusal(answer, { status: 500, type: "server_error", message: /see its log/ }, "500");
  match(String(told[0]), /audit_logs/);
  equal((await apiOf(desk).get("/offerings/default")).display_name, "Standard prices");
});
