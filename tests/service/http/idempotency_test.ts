import { deepEqual, equal, rejects } from "node:assert/strict";
import { sql } from "kysely";
import { forgetAnswers, rememberAnswer } from "../../../lib/service/http/idempotency.ts";
import { plainly } from "../../../lib/service/store/mod.ts";
import { type Answer, type Api, apiOf, checkRefusal, signIn } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";

const HOUR = 3_600_000;
const BODY = { lookup_key: "once", display_name: "Once" };
const REUSED = {
  status: 409,
  type: "idempotency_error",
  param: "Idempotency-Key",
  message: /already used for a different request$/,
};

Deno.test("a repeated request with the same key gets the first answer, without a second effect", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const first = await keyed(api, "k1", "POST", "/entitlements", BODY);
  deepEqual([first.status, first.headers.get("Idempotent-Replayed")], [201, null]);
  await api.post("/entitlements/once", { display_name: "Changed since" });
  const again = await keyed(api, "k1", "POST", "/entitlements", BODY);
  deepEqual(
    [again.status, again.body],
    [201, first.body],
    "the answer of then, not the object of now",
  );
  equal(again.headers.get("Idempotent-Replayed"), "true");
  await api.remove("/entitlements/once");
  deepEqual((await keyed(api, "k1", "POST", "/entitlements", BODY)).body, first.body);
  equal((await api.send("GET", "/entitlements/once")).status, 404);
});

Deno.test("a repeated deletion with the same key is done, and not 404", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const first = await keyed(api, "k1", "DELETE", "/entitlements/pro");
  const again = await keyed(api, "k1", "DELETE", "/entitlements/pro");
  deepEqual([again.status, again.body], [200, first.body]);
  equal((await keyed(api, "k2", "DELETE", "/entitlements/pro")).status, 404);
});

Deno.test("32 simultaneous requests with one key have one effect and one answer", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => keyed(api, "k1", "POST", "/v2/projects", { name: "One" })),
  );
  equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  equal(answers.filter(({ headers }) => headers.has("Idempotent-Replayed")).length, 31);
  const { items } = await api.get("/v2/projects?limit=100");
  equal(items.filter(({ name }) => name === "One").length, 1);
});

Deno.test("a key belongs to one request: method, path, query and body", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await keyed(api, "k1", "POST", "/entitlements", BODY);
  const others: [method: string, path: string, body?: unknown][] = [
    ["POST", "/entitlements", { ...BODY, display_name: "Other" }],
    ["POST", "/entitlements", `${JSON.stringify(BODY)} `],
    ["POST", "/entitlements?a=b", BODY],
    ["POST", "/offerings", BODY],
    ["POST", "/entitlements/once"],
    ["DELETE", "/entitlements/once"],
  ];
  for (const [method, path, body] of others) {
    checkRefusal(await keyed(api, "k1", method, path, body), REUSED, `${method} ${path}`);
  }
  equal((await keyed(api, "K1", "POST", "/entitlements/once", {})).status, 200, "keys have case");
});

Deno.test("a refusal is not stored: the request may be corrected or repeated later", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  equal((await keyed(api, "k1", "POST", "/entitlements", {})).status, 400);
  equal((await keyed(api, "k1", "POST", "/entitlements/once", {})).status, 404);
  equal((await keyed(api, "k1", "POST", "/offerings/default/actions/archive")).status, 422);
  equal(
    (await keyed(api, "k1", "POST", "/entitlements", { ...BODY, lookup_key: "pro" })).status,
    409,
  );
  equal((await keyed(api, "k1", "POST", "/entitlements", BODY)).status, 201);
});

Deno.test("a key is valid for a day, and can then be used for another request", async () => {
  let now = Date.parse("2026-11-27T12:00:00Z");
  await using desk = await openDesk({ clock: () => now });
  const at = async (key: string, lookup_key: string) =>
    await keyed(apiOf(desk, await signIn(desk, {})), key, "POST", "/entitlements", {
      ...BODY,
      lookup_key,
    });
  const first = await at("k1", "a");
  now += 24 * HOUR - 1;
  deepEqual((await at("k1", "a")).body, first.body, "a repeat does not prolong it");
  equal((await at("k1", "b")).status, 409);
  now += 1;
  equal((await at("k1", "b")).status, 201);
  equal((await at("k1", "a")).status, 409, "it is the new request's now");
  now += 24 * HOUR;
  checkRefusal(await at("k1", "a"), {
    status: 409,
    type: "resource_already_exists",
    param: "lookup_key",
  }, "an old request is a new one");
});

Deno.test("of two requests with one key at the same moment, only one keeps its answer", async () => {
  await using desk = await openDesk();
  const { store } = desk.service;
  const { id: account_id } = await store.read((tx) =>
    tx.selectFrom("accounts").select("id").executeTakeFirstOrThrow()
  );
  const none = { email: "", name: null, has_mfa: false, client_id: "", scope: "" };
  const keep = (now: number, text: string) =>
    store.write((tx) =>
      rememberAnswer(tx, { ...none, account_id }, "k1", text, { status: 200, text }, now)
    );
  await keep(HOUR, "first");
  await rejects(keep(HOUR, "second"), { name: "Refusal", status: 409, type: REUSED.type });
  await rejects(keep(25 * HOUR - 1, "second"), { status: 409 });
  await keep(25 * HOUR, "third");
  const { rows } = await store.read((tx) =>
    sql<{ body: string }>`select body from idempotency_keys`.execute(tx)
  );
  deepEqual(rows.map(({ body }) => body), ["third"]);
});

Deno.test("answers are forgotten after a day, and none before", async () => {
  const now = Date.parse("2026-11-27T12:00:00Z");
  await using desk = await openDesk({ clock: () => now });
  await keyed(apiOf(desk, await signIn(desk, {})), "k1", "POST", "/entitlements", BODY);
  const { store } = desk.service;
  const kept = async (at: number) => {
    await store.write(plainly((tx) => forgetAnswers(tx, at)));
    const { rows } = await store.read((tx) =>
      sql<{ count: number }>`select count(*) as count from idempotency_keys`.execute(tx)
    );
    return Number(rows[0]?.count);
  };
  deepEqual([await kept(now + 24 * HOUR - 1), await kept(now + 24 * HOUR)], [1, 0]);
});

Deno.test("a key has 1 to 255 characters, and reads need none", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const bad = {
    status: 400,
    type: "parameter_error",
    param: "Idempotency-Key",
    message: /must have 1 to 255 characters$/,
  };
  for (const key of ["", "x".repeat(256)]) {
    checkRefusal(await keyed(api, key, "POST", "/entitlements", BODY), bad, key);
  }
  equal((await keyed(api, "x".repeat(255), "POST", "/entitlements", BODY)).status, 201);
  equal((await keyed(api, "x".repeat(255), "GET", "/entitlements")).status, 200);
  equal((await keyed(api, "x".repeat(256), "GET", "/entitlements")).status, 200);
});

Deno.test("each account has its own keys, whichever token it uses", async () => {
  await using desk = await openDesk();
  const owner = apiOf(desk);
  const sameOwner = apiOf(desk, await signIn(desk, {}));
  const stranger = apiOf(desk, await signIn(desk, { email: "stranger@example.com" }));
  const create = (api: Api) => keyed(api, "k1", "POST", "/v2/projects", { name: "Mine" });
  const first = await create(owner);
  equal((await create(sameOwner)).body.id, first.body.id);
  const other = await create(stranger);
  equal(other.status, 200);
  equal(other.body.id === first.body.id, false);
});

Deno.test("a stored answer needs the permissions of the request", async () => {
  await using desk = await openDesk();
  await keyed(apiOf(desk), "k1", "POST", "/entitlements", BODY);
  const reader = apiOf(desk, await signIn(desk, { scope: "*:*:read" }));
  equal((await keyed(reader, "k1", "POST", "/entitlements", BODY)).status, 403);
});

function keyed(
  api: Api,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return api.send(method, path, body, { "Idempotency-Key": key });
}
