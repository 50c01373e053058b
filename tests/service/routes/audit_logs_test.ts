import { deepEqual, equal, match } from "node:assert/strict";
import { BUILT_IN_CLIENT } from "../../../lib/service/oauth/mod.ts";
import { type Api, apiOf, badField, signIn, type Wire } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";

/** A change: its request, its action in the log, and the body. */
type Change = [request: string, action: string, body?: unknown];

const APP = {
  name: "x",
  type: "app_store",
  app_store: { bundle_id: "a", app_store_connect_api_key: "k" },
};
const PRODUCT = { app_id: "{app}", store_identifier: "p", type: "subscription" };
const NAMED = { lookup_key: "o", display_name: "x" };
const IDS = { product_ids: ["{seeded}"] };

/** Every kind of change. `{app}` is the id of the last used app. */
const CHANGES: Change[] = [
  ["POST /apps", "app_created", APP],
  ["POST /apps/{app}", "app_updated", { name: "y" }],
  ["POST /products", "product_created", PRODUCT],
  ["POST /products/{product}", "product_updated", { display_name: "y" }],
  ["POST /products/{product}/actions/push_to_store", "product_pushed_to_store", {}],
  ["POST /products/{product}/create_in_store", "product_pushed_to_store"],
  ["POST /products/{product}/actions/archive", "product_archived"],
  ["POST /products/{product}/actions/unarchive", "product_unarchived", {}],
  ["DELETE /products/{product}", "product_deleted"],
  ["DELETE /apps/{app}", "app_deleted"],
  ["POST /entitlements", "entitlement_created", NAMED],
  ["POST /entitlements/o", "entitlement_updated", { display_name: "y" }],
  ["POST /entitlements/o/actions/attach_products", "entitlement_products_attached", IDS],
  ["POST /entitlements/o/actions/detach_products", "entitlement_products_detached", IDS],
  ["POST /entitlements/o/actions/archive", "entitlement_archived"],
  ["POST /entitlements/o/actions/unarchive", "entitlement_unarchived"],
  ["DELETE /entitlements/o", "entitlement_deleted"],
  ["POST /offerings", "offering_created", NAMED],
  ["POST /offerings/o", "offering_updated", { display_name: "y" }],
  ["POST /offerings/o", "offering_updated", { is_current: false }],
  ["POST /packages", "package_created", { offering_id: "o", ...NAMED }],
  ["POST /packages/{package}", "package_updated", { position: 3 }],
  ["POST /packages/{package}/actions/attach_products", "package_products_attached", {
    products: [{ product_id: "{seeded}" }],
  }],
  ["POST /packages/{package}/actions/detach_products", "package_products_detached", IDS],
  ["DELETE /packages/{package}", "package_deleted"],
  ["POST /offerings/o/packages", "package_created", NAMED],
  ["POST /offerings/o/actions/archive", "offering_archived"],
  ["POST /offerings/o/actions/unarchive", "offering_unarchived"],
  ["POST /offerings/o", "offering_set_current", { is_current: true, display_name: "z" }],
  ["POST /offerings/o", "offering_updated", { is_current: true }],
  ["POST /offerings/default", "offering_set_current", { is_current: true }],
  ["DELETE /offerings/o", "offering_deleted"],
];

Deno.test("every change writes one entry, with the action and the target", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [seeded] } = await api.get("/products");
  const ids = new Map([["seeded", seeded?.id ?? ""]]);
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => ids.get(name) ?? "?");
  let entries = await entriesOf(api);
  for (const [request, action, body] of CHANGES) {
    const [method = "", path = ""] = filled(request).split(" ");
    const sent = body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body)));
    const answer = await api.send(method, path, sent);
    const what = `${request}: ${answer.status} ${answer.body.message ?? ""}`;
    equal(answer.status < 300, true, what);
    const target = action.split("_")[0] ?? "";
    if ("id" in answer.body) ids.set(target, answer.body.id);
    const after = await entriesOf(api);
    deepEqual(after.slice(1), entries, `${what} must write one entry`);
    deepEqual(
      after[0] && [
        after[0].action_type,
        after[0].target_type,
        after[0].target_identifier,
      ],
      [action, target, ids.get(target)],
      what,
    );
    entries = after;
  }
});

Deno.test("an entry has the actor, the time and the permissions of a change", async () => {
  let now = Date.parse("2026-11-27T12:00:00Z");
  await using desk = await openDesk({
    clock: () => now,
    scope: "project_configuration:*:read_write",
  });
  const api = apiOf(desk);
  now += 1234;
  await api.send("POST", "/offerings/default", {}, { "User-Agent": "a test/1" });
  const { items: [entry] } = await api.get("/audit_logs");
  match(entry?.id ?? "", /^log[0-9a-f]{16}$/);
  match(String(entry?.actor_identifier), /^acct[0-9a-f]{10}$/);
  deepEqual({ ...entry, id: 0, target_identifier: 0, actor_identifier: 0 }, {
    object: "audit_log",
    id: 0,
    project_id: desk.projectId,
    action_type: "offering_updated",
    target_type: "offering",
    target_identifier: 0,
    actor_type: "user",
    actor_identifier: 0,
    occurred_at: now,
    additional_data: {
      actor: { email: "owner@example.com", name: "Olivia Owner", has_mfa: false },
      metadata: {
        api_version: "v2",
        client_id: BUILT_IN_CLIENT,
        permissions: ["project_configuration:*:read_write"],
        user_agent: "a test/1",
      },
    },
  });
});

Deno.test("a new project's first entry is its creation", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const before = await entriesOf(api);
  const { id } = await api.post("/v2/projects", { name: "Second" });
  const [entry, ...rest] = await entriesOf(apiOf(desk, {}, id));
  deepEqual(rest, []);
  deepEqual([entry?.action_type, entry?.target_type, entry?.target_identifier], [
    "project_created",
    "project",
    id,
  ]);
  deepEqual(await entriesOf(api), before, "and it is in no other project's log");
});

Deno.test("refused requests, reads and repeats write no entry", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const reader = apiOf(desk, await signIn(desk, { scope: "*:*:read" }));
  const key = { "Idempotency-Key": "once" };
  const body = { lookup_key: "once", display_name: "x" };
  await api.send("POST", "/entitlements", body, key);
  const before = await entriesOf(api);
  const requests: [method: string, path: string, body: unknown, status: number][] = [
    ["GET", "/offerings", undefined, 200],
    ["POST", "/offerings", {}, 400],
    ["POST", "/offerings", "{", 400],
    ["POST", "/offerings/none", { display_name: "x" }, 404],
    ["POST", "/entitlements", body, 409],
    ["POST", "/offerings/default/actions/archive", undefined, 422],
    ["PATCH", "/offerings/default", {}, 405],
    ["POST", "/events", {}, 404],
    ["POST", "/offerings/winter_sale/actions/archive", { extra: 1 }, 400],
    ["DELETE", "/offerings/winter_sale", { extra: 1 }, 400],
  ];
  for (const [method, path, sent, status] of requests) {
    equal((await api.send(method, path, sent)).status, status, `${method} ${path}`);
  }
  equal((await reader.send("DELETE", "/offerings/winter_sale")).status, 403);
  const repeat = await api.send("POST", "/entitlements", body, key);
  deepEqual([repeat.status, repeat.headers.get("Idempotent-Replayed")], [201, "true"]);
  deepEqual(await entriesOf(api), before);
  equal((await api.get("/offerings/winter_sale")).state, "active");
});

Deno.test("the log is newest first, in pages, and filtered by days of UTC", async () => {
  let now = Date.parse("2026-11-23T23:59:59.999Z");
  await using desk = await openDesk({ clock: () => now });
  const token = () => signIn(desk, {});
  const write = async (lookup_key: string) =>
    await apiOf(desk, await token()).post("/entitlements", { lookup_key, display_name: "x" });
  await write("monday");
  now += 1;
  await write("tuesday");
  now += 86_400_000;
  await write("wednesday");
  const api = apiOf(desk, await token());
  const days = new Map<string, string>();
  for (const key of ["monday", "tuesday", "wednesday"]) {
    days.set((await api.get(`/entitlements/${key}`)).id, key);
  }
  const shown = async (query: string) =>
    (await entriesOf(api, query)).map((entry) => days.get(String(entry.target_identifier)));
  deepEqual(await shown(""), ["wednesday", "tuesday", "monday"]);
  deepEqual(await shown("start_date=2026-11-24"), ["wednesday", "tuesday"]);
  deepEqual(await shown("end_date=2026-11-24"), ["tuesday", "monday"]);
  deepEqual(await shown("start_date=2026-11-23&end_date=2026-11-23"), ["monday"]);
  deepEqual(await shown("start_date=2026-11-24&end_date=2026-11-24"), ["tuesday"]);
  deepEqual(await shown("start_date=2026-11-26"), []);
  const first = await api.get("/audit_logs?start_date=2026-11-23&end_date=2026-11-25&limit=1");
  equal(
    first.url,
    `/v2/projects/${desk.projectId}/audit_logs?start_date=2026-11-23&end_date=2026-11-25`,
  );
  match(
    first.next_page ?? "",
    /[?&]start_date=2026-11-23&end_date=2026-11-25&limit=1&starting_after=log/,
  );
  const second = await api.get(first.next_page ?? "");
  deepEqual(second.items.map((entry) => days.get(String(entry.target_identifier))), ["tuesday"]);
});

Deno.test("the dates of the log's query must exist and be in order", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const name of ["start_date", "end_date"]) {
    for (
      const value of ["2026-02-30", "2025-02-29", "2026-13-01", "23.11.2026", "1764028800", ""]
    ) {
      const rule = badField(name, /must be a date such as 2026-11-23$/);
      await api.refused(rule, "GET", `/audit_logs?${name}=${value}`);
    }
  }
  await api.get("/audit_logs?start_date=2024-02-29&end_date=2024-02-29");
  const order = badField("end_date", /must not be before 'start_date'/);
  await api.refused(order, "GET", "/audit_logs?start_date=2026-11-24&end_date=2026-11-23");
});

/** The entries of the project's log, at most 100. */
async function entriesOf(api: Api, query = ""): Promise<Wire[]> {
  return (await api.get(`/audit_logs?limit=100&${query}`)).items;
}
