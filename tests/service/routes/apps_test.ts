import { deepEqual, equal, match, ok } from "node:assert/strict";
import { insertApp } from "../../../lib/service/records/apps.ts";
import { type Api, apiOf, badField, noSuch, type Wire } from "../../support/api.ts";
import { APP_TYPES } from "../../support/app_types.ts";
import { checkFields, type FieldRule } from "../../support/field_rules.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { simulate } from "../../support/simulation.ts";
import { acrossProjects, inProject } from "../../../lib/service/store/mod.ts";

const NAMES = Object.keys(APP_TYPES);

for (const [type, known] of Object.entries(APP_TYPES)) {
  Deno.test(`an app of type ${type} is created, shown and changed within its limits`, async () => {
    await using desk = await openDesk();
    const api = apiOf(desk);
    const least = { name: "An app", type, ...known.least && { [type]: known.least } };
    const app = await api.post("/apps", least);
    deepEqual(Object.keys(app), ["object", "id", "name", "created_at", "project_id", "type", type]);
    equal(app.object, "app");
    match(app.id, /^app[0-9a-f]{10}$/);
    deepEqual([app.name, app.type, app.project_id], ["An app", type, desk.projectId]);
    deepEqual(app[type], known.shown);
    deepEqual(await api.get(`/apps/${app.id}`), app);

    const required = known.rules.filter((rule) => rule.required);
    const filled = Object.fromEntries(required.map(({ field }) => [field, "filled.in"]));
    const rules = known.rules.map((rule) => ({ ...rule, field: `${type}.${rule.field}` }));
    await checkFields(api, {
      path: "/apps",
      body: () => ({ name: "An app", type, [type]: filled }),
    }, [{ field: "name", text: [1, 255], required: true }, ...rules]);

    await checkFields(api, { path: `/apps/${app.id}`, body: () => bodyOfChange(type) }, [
      ...known.rules.map((rule) => changeRule(type, rule, known.clearable)),
      { field: "name", text: [1, 255] },
    ]);
  });

  Deno.test(`an app of type ${type} has its public keys`, async () => {
    await using desk = await openDesk();
    const api = apiOf(desk);
    const app = await createApp(api, type);
    const list = await api.get(`/apps/${app.id}/public_api_keys`);
    equal(list.next_page, null);
    equal(list.url, `/v2/projects/${desk.projectId}/apps/${app.id}/public_api_keys`);
    deepEqual(
      list.items.map((key) => key.environment),
      ["production", "sandbox"].slice(
        0,
        known.keys.length,
      ),
    );
    for (const [i, key] of list.items.entries()) {
      match(String(key.key), new RegExp(`^${known.keys[i]}[0-9a-f]{28}$`));
      match(key.id, /^apikey[0-9a-f]{10}$/);
      equal(key.app_id, app.id);
      equal(key.object, "public_api_key");
    }
  });
}

Deno.test("a new app has one of eight types, and only the object of its type", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  equal(NAMES.length, 8);
  const choice = /^'type' must be one of app_store, mac_app_store, play_store, amazon, stripe, /;
  for (const type of ["test_store", "", " rc_billing", "APP_STORE", 1, null, [], "__proto__"]) {
    await api.refused(badField("type", choice), "POST", "/apps", { name: "x", type });
  }
  await api.refused(badField("type", /is a required property/), "POST", "/apps", { name: "x" });
  for (const type of NAMES) {
    for (const other of NAMES.filter((name) => name !== type)) {
      const body = { name: "x", type, ...objectOf(type), ...objectOf(other) };
      await api.refused(badField(other, /not a known field/), "POST", "/apps", body);
    }
  }
  for (const type of ["app_store", "mac_app_store", "play_store", "amazon"]) {
    await api.refused(badField(type, /required/), "POST", "/apps", { name: "x", type });
    await api.refused(badField(type, /must be an object/), "POST", "/apps", {
      name: "x",
      type,
      [type]: null,
    });
  }
});

Deno.test("a change keeps other fields, and refuses the type and other types' objects", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const type of NAMES) {
    const app = await createApp(api, type);
    deepEqual(await api.post(`/apps/${app.id}`, {}), app, "an empty change changes nothing");
    deepEqual(await api.post(`/apps/${app.id}`, { name: "Other" }), { ...app, name: "Other" });
    const path = `/apps/${app.id}`;
    await api.refused(badField("type", /cannot be changed/), "POST", path, { type });
    for (const other of NAMES.filter((name) => name !== type)) {
      const message = new RegExp(`^'${other}' does not apply to an app of type ${type}$`);
      await api.refused(badField(other, message), "POST", path, bodyOfChange(other));
    }
    deepEqual(await api.get(path), { ...app, name: "Other" });
  }
});

Deno.test("a nested null clears a field, and a null object clears all optional fields", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const billing = {
    app_name: "Shop",
    stripe_account_id: "acct_1",
    support_email: "a@b.c",
    default_currency: "EUR",
  };
  const shop = await api.post("/apps", { name: "x", type: "svc_billing", svc_billing: billing });
  const path = `/apps/${shop.id}`;
  const one = await api.post(path, { svc_billing: { support_email: null } });
  const seller = { seller_company_name: "Shop", seller_company_support_email: null };
  deepEqual(one.svc_billing, { ...billing, support_email: null, ...seller });
  deepEqual((await api.post(path, { svc_billing: null })).svc_billing, {
    stripe_account_id: null,
    seller_company_name: "x",
    app_name: "x",
    seller_company_support_email: null,
    support_email: null,
    default_currency: "USD",
  });
  const roku = { roku_channel_id: "123456", roku_channel_name: "TV", roku_api_key: "k".repeat(33) };
  const channel = await api.post("/apps", { name: "x", type: "roku", roku });
  const cleared = await api.post(`/apps/${channel.id}`, { roku: null });
  deepEqual(cleared.roku, { roku_channel_id: null, roku_channel_name: null });
  const paddle = { paddle_api_key: "k".repeat(50), paddle_is_sandbox: true };
  const store = await api.post("/apps", { name: "x", type: "paddle", paddle });
  deepEqual(store.paddle, { paddle_is_sandbox: true });
  deepEqual((await api.post(`/apps/${store.id}`, { paddle: null })).paddle, {
    paddle_is_sandbox: false,
  });
  const secrets = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("apps").select("secrets").where("id", "in", [
      channel.id,
      store.id,
    ]).orderBy("seq").execute()
  );
  deepEqual(secrets.map((row) => JSON.parse(row.secrets)), [
    { roku_api_key: null },
    { paddle_api_key: null },
  ]);
});

Deno.test("a key can be removed, and the app then shows none", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { rules = [] } = APP_TYPES.app_store ?? {};
  const keys = rules.filter(({ field }) => field !== "bundle_id");
  const given = keys.map(({ field, text = [1, 1] }) => [field, "k".repeat(text[1])]);
  const app_store = { bundle_id: "com.example.a", ...Object.fromEntries(given) };
  const app = await api.post("/apps", { name: "x", type: "app_store", app_store });
  const shown = {
    bundle_id: "com.example.a",
    app_store_connect_api_key_configured: true,
    subscription_key_configured: true,
  };
  deepEqual(app.app_store, shown);
  for (const { field } of keys) await api.post(`/apps/${app.id}`, { app_store: { [field]: null } });
  deepEqual((await api.get(`/apps/${app.id}`)).app_store, {
    ...shown,
    app_store_connect_api_key_configured: false,
    subscription_key_configured: false,
  });
});

Deno.test("secrets are never returned, only whether they are set", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const texts: string[] = [];
  const look = async (method: string, path: string, body?: unknown): Promise<Wire> => {
    const answer = await api.send(method, path, body);
    ok(answer.status < 300, answer.body.message);
    texts.push(JSON.stringify(answer.body));
    return answer.body;
  };
  for (const [type, { rules }] of Object.entries(APP_TYPES)) {
    const hidden = rules.filter((rule) => rule.hidden).map(({ field, text = [0, 0] }) => [
      field,
      "SeCrEt".padEnd(text[0], "SeCrEt").slice(0, text[1]),
    ]);
    const object = { ...objectOf(type)[type], ...Object.fromEntries(hidden) };
    const app = await look("POST", "/apps", { name: "x", type, [type]: object });
    await look("POST", `/apps/${app.id}`, { [type]: object });
    await look("GET", `/apps/${app.id}`);
    const product = { app_id: app.id, store_identifier: "p", type: "subscription" };
    const { id } = await look("POST", "/products", product);
    await look("GET", `/products/${id}?expand=app`);
    if (type === "app_store") {
      deepEqual(app[type], {
        bundle_id: "com.example.a",
        app_store_connect_api_key_configured: true,
        subscription_key_configured: true,
      });
    }
  }
  await look("GET", "/apps?limit=100");
  await look("GET", "/products?limit=100&expand=items.app");
  await look("GET", "/audit_logs?limit=100");
  deepEqual(texts.filter((text) => /secret/i.test(text)), []);
});

Deno.test("an app with products cannot be deleted, and the refusal names them", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api, "app_store");
  const product = { app_id: app.id, type: "consumable" };
  const first = await api.post("/products", { ...product, store_identifier: "a" });
  const second = await api.post("/products", { ...product, store_identifier: "b" });
  await api.post(`/products/${second.id}/actions/archive`);
  const refusal = await api.refused(
    { status: 409, type: "unprocessable_entity_error", message: /still has products/ },
    "DELETE",
    `/apps/${app.id}`,
  );
  deepEqual(refusal.referenced_object_ids, [first.id, second.id]);
  await api.remove(`/products/${first.id}`);
  await api.remove(`/products/${second.id}`);
  const gone = await api.remove(`/apps/${app.id}`);
  deepEqual([gone.object, gone.id, typeof gone.deleted_at], ["app", app.id, "number"]);
  await api.refused(noSuch(), "GET", `/apps/${app.id}`);
  await api.refused(noSuch(), "GET", `/apps/${app.id}/public_api_keys`);
  await api.refused(noSuch(), "DELETE", `/apps/${app.id}`);
});

Deno.test("an app with more than 100 products is refused with the ids of the first 100", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = simulate(desk);
  const app = await createApp(api, "app_store");
  const product = { app_id: app.id, type: "non_consumable" };
  const ids = [];
  for (let i = 0; i < 99; i++) {
    ids.push((await api.post("/products", { ...product, store_identifier: `p${i}` })).id);
  }
  // Purchases are checked after all products.
  for (const customer_id of ["ada", "bob"]) {
    ids.push((await sim.purchase({ product_id: ids[0] ?? "", price: 1, customer_id })).id);
  }
  const refusal = { status: 409, type: "unprocessable_entity_error" };
  const first = await api.refused(refusal, "DELETE", `/apps/${app.id}`);
  deepEqual(first.referenced_object_ids, ids.slice(0, 100));
  ids.splice(99, 0, (await api.post("/products", { ...product, store_identifier: "p99" })).id);
  ids.splice(100, 0, (await api.post("/products", { ...product, store_identifier: "p100" })).id);
  const second = await api.refused(refusal, "DELETE", `/apps/${app.id}`);
  deepEqual(second.referenced_object_ids, ids.slice(0, 100));
});

Deno.test("an app with more than 100 webhooks is refused with the ids of the first 100", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api, "app_store");
  const ids = Array.from({ length: 101 }, (_, i) => `whintgr${String(i).padStart(10, "0")}`);
  await desk.service.store.write((tx) =>
    acrossProjects(tx).insertInto("webhook_integrations").values(ids.map((id, seq) => ({
      project_id: desk.projectId,
      id,
      seq: 1_000_000 + seq,
      name: id,
      url: "https://hooks.acme.dev/",
      event_types: null,
      authorization_header: null,
      environment: null,
      app_id: app.id,
      signing_secret: "whsec_x",
      created_at: 0,
    }))).execute()
  );
  const refusal = {
    status: 409,
    type: "unprocessable_entity_error",
    message: /use this app as a filter/,
  };
  const { referenced_object_ids } = await api.refused(refusal, "DELETE", `/apps/${app.id}`);
  deepEqual(referenced_object_ids, ids.slice(0, 100));
});

Deno.test("an Apple app has a StoreKit configuration of its active products", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api, "app_store");
  const types = ["subscription", "consumable", "non_consumable", "non_renewing_subscription"];
  for (const type of types) {
    await api.post("/products", { app_id: app.id, type, store_identifier: `p.${type}` });
  }
  const old = await api.post("/products", {
    app_id: app.id,
    type: "consumable",
    store_identifier: "p.old",
  });
  await api.post(`/products/${old.id}/actions/archive`);
  const config = await api.get(`/apps/${app.id}/store_kit_config`);
  equal(config.object, "store_kit_config_file");
  const text = JSON.stringify(config.contents);
  for (const type of types) ok(text.includes(`"productID":"p.${type}"`), type);
  ok(!text.includes("p.old"));
  match(text, /"version":\{"major":4,"minor":0\}/);
  match(text, /"subscriptionGroups":\[\{.*"recurringSubscriptionPeriod":"P1M"/);
});

Deno.test("every id in a StoreKit configuration has eight digits, and is the same next time", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api, "app_store");
  // One of sixteen ids has a zero in front.
  for (let i = 0; i < 150; i++) {
    await api.post("/products", {
      app_id: app.id,
      type: "consumable",
      store_identifier: `p.${i}`,
    });
  }
  const idsOf = async () => {
    const { contents } = await api.get(`/apps/${app.id}/store_kit_config`);
    return [...JSON.stringify(contents).matchAll(/"internalID":"([^"]*)"/g)].map(([, id]) => id);
  };
  const ids = await idsOf();
  equal(new Set(ids).size, 150);
  for (const id of ids) match(id ?? "", /^[0-9A-F]{8}$/);
  deepEqual(await idsOf(), ids);
});

Deno.test("an app of another store has no StoreKit configuration", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const type of NAMES) {
    const { id } = await createApp(api, type);
    const { status, body } = await api.send("GET", `/apps/${id}/store_kit_config`);
    const apple = type === "app_store" || type === "mac_app_store";
    equal(status, apple ? 200 : 422, type);
    // Without products there is no group for them.
    if (apple) match(JSON.stringify(body.contents), /"subscriptionGroups":\[\]/);
    if (!apple) equal(body.type, "unprocessable_entity_error");
  }
  await api.refused(noSuch(), "GET", "/apps/app0000000000/store_kit_config");
});

Deno.test("a test-store app can be read, and has no object of its own", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { id } = await addTestStore(desk);
  const app = await api.get(`/apps/${id}`);
  deepEqual(Object.keys(app), ["object", "id", "name", "created_at", "project_id", "type"]);
  equal(app.type, "test_store");
  const { items: [key] } = await api.get(`/apps/${id}/public_api_keys`);
  match(String(key?.key), /^test_/);
  await api.post(`/apps/${id}`, { name: "Renamed" });
});

/** The smallest valid object of a type. */
function objectOf(type: string): Record<string, Record<string, unknown>> {
  const { least } = APP_TYPES[type] ?? {};
  return { [type]: least ?? (type === "svc_billing" ? { app_name: "Shop" } : {}) };
}

/** A valid change of an app. */
function bodyOfChange(type: string): Record<string, unknown> {
  return type === "play_store" ? objectOf(type) : { [type]: {} };
}

/** The rule of a field in a change: only the package name is required. */
function changeRule(type: string, rule: FieldRule, clearable: readonly string[]): FieldRule {
  const { required, nullable: _, ...rest } = rule;
  return {
    ...rest,
    field: `${type}.${rule.field}`,
    ...required && type === "play_store" && { required },
    ...clearable.includes(rule.field) && { nullable: true as const },
  };
}

function createApp(api: Api, type: string): Promise<Wire> {
  return api.post("/apps", { name: "An app", type, ...objectOf(type) });
}

/** Adds an app of the type that the API itself does not create. */
async function addTestStore(desk: Desk): Promise<{ id: string }> {
  return await desk.service.store.write(async (tx) => {
    const project = await acrossProjects(tx).selectFrom("projects").selectAll()
      .executeTakeFirstOrThrow();
    return await insertApp(
      { tx: inProject(tx, project.id), project, now: 1 },
      "Test store",
      "test_store",
      {},
    );
  });
}
