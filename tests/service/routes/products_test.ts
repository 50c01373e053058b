import { deepEqual, equal, match } from "node:assert/strict";
import { insertApp } from "../../../lib/service/records/apps.ts";
import {
  againstRule,
  alreadyThere,
  type Api,
  apiOf,
  badField,
  checkRefusal,
  noSuch,
  type Wire,
} from "../../support/api.ts";
import { checkFields } from "../../support/field_rules.ts";
import { openDesk } from "../../support/harness.ts";
import { acrossProjects, inProject } from "../../../lib/service/store/mod.ts";

const TYPES = [
  "subscription",
  "non_subscription",
  "one_time",
  "consumable",
  "non_consumable",
  "non_renewing_subscription",
];

const APP_STORE_KEY = { app_store_connect_api_key: "-----BEGIN PRIVATE KEY-----" };

Deno.test("a product is created, shown and changed within its limits", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api);
  let made = 0;
  const body = () => ({ app_id: app.id, store_identifier: `p${made++}`, type: "subscription" });
  const product = await api.post("/products", { ...body(), display_name: "Pro" });
  match(product.id, /^prod[0-9a-f]{10}$/);
  deepEqual({ ...product, id: 0, created_at: 0 }, {
    object: "product",
    id: 0,
    store_identifier: "p0",
    type: "subscription",
    subscription: { duration: null, grace_period_duration: null, trial_duration: null },
    one_time: null,
    created_at: 0,
    app_id: app.id,
    display_name: "Pro",
    state: "active",
  });
  deepEqual(await api.get(`/products/${product.id}`), product);
  await checkFields(api, { path: "/products", body }, [
    { field: "store_identifier", text: [1, 200], required: true },
    { field: "type", oneOf: TYPES, required: true },
    { field: "display_name", text: [1, 1500], nullable: true },
    { field: "title", text: [1, 1500], nullable: true, hidden: true },
  ]);
  await checkFields(api, { path: `/products/${product.id}`, body: () => ({}) }, [
    { field: "display_name", text: [1, 1500] },
  ]);
  const readOnly: Record<string, RegExp> = {
    app_id: /cannot be changed$/,
    store_identifier: /cannot be changed$/,
    type: /cannot be changed$/,
    title: /is not a known field$/,
    subscription: /is not a known field$/,
    state: /is not a known field$/,
  };
  for (const [field, message] of Object.entries(readOnly)) {
    const change = { [field]: "x" };
    await api.refused(badField(field, message), "POST", `/products/${product.id}`, change);
  }
  const before = await api.get(`/products/${product.id}`);
  deepEqual(await api.post(`/products/${product.id}`, {}), before);
});

Deno.test("a product's identifier is unique in its app", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api);
  const other = await createApp(api);
  const body = { app_id: app.id, store_identifier: "p", type: "subscription" };
  await api.refused(badField("app_id", /required/), "POST", "/products", {
    ...body,
    app_id: undefined,
  });
  await api.refused(badField("app_id", /must be text/), "POST", "/products", {
    ...body,
    app_id: 1,
  });
  await api.refused(noSuch("app_id"), "POST", "/products", { ...body, app_id: "app0000000000" });
  await api.post("/products", body);
  await api.refused(alreadyThere("store_identifier"), "POST", "/products", body);
  await api.post("/products", { ...body, app_id: other.id });
  await api.post("/products", { ...body, store_identifier: "P" });
  const foreign = await api.post("/v2/projects", { name: "Other" });
  const elsewhere = apiOf(desk, {}, foreign.id);
  await elsewhere.refused(noSuch("app_id"), "POST", "/products", body);
});

Deno.test("a product has the fields of its type", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api);
  const consumable: Record<string, unknown> = { consumable: true, non_consumable: false };
  for (const type of TYPES) {
    const product = await api.post("/products", { app_id: app.id, store_identifier: type, type });
    const terms = { duration: null, grace_period_duration: null, trial_duration: null };
    deepEqual(product.subscription, type === "subscription" ? terms : null, type);
    deepEqual(
      product.one_time,
      type === "subscription" ? null : { is_consumable: consumable[type] ?? null },
      type,
    );
  }
});

Deno.test("a product of a test store has a title and may have a duration; no other has", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api);
  const store = await desk.service.store.write(async (tx) => {
    const project = await acrossProjects(tx).selectFrom("projects").selectAll()
      .executeTakeFirstOrThrow();
    return await insertApp(
      { tx: inProject(tx, project.id), project, now: 1 },
      "Test store",
      "test_store",
      {},
    );
  });
  const subscription = { duration: "P1M" };
  const body = { app_id: store.id, type: "subscription", title: "Pro", subscription };
  for (const duration of ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]) {
    const made = { ...body, store_identifier: duration, subscription: { duration } };
    deepEqual((await api.post("/products", made)).subscription, {
      duration,
      grace_period_duration: null,
      trial_duration: null,
    });
  }
  const refused = async (param: string, changes: Record<string, unknown>) =>
    await api.refused(badField(param), "POST", "/products", {
      ...body,
      store_identifier: "x",
      ...changes,
    });
  await refused("title", { title: undefined });
  await refused("title", { title: null });
  await refused("subscription.duration", { subscription: { duration: "P1D" } });
  await refused("subscription.duration", { subscription: {} });
  await refused("subscription", { subscription: null });
  await refused("subscription", { type: "consumable" });
  await refused("subscription", { app_id: app.id });
});

Deno.test("archiving and unarchiving a product twice is the same as once", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [product] } = await api.get("/products");
  const path = `/products/${product?.id}`;
  for (const [action, state] of [["archive", "inactive"], ["unarchive", "active"]]) {
    for (let time = 1; time <= 2; time++) {
      deepEqual(await api.post(`${path}/actions/${action}`), { ...product, state });
    }
    equal((await api.get(path)).state, state);
  }
  await api.refused(badField("why"), "POST", `${path}/actions/archive`, { why: 1 });
});

Deno.test("an archived product stays listed, attached and changeable", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: before } = await api.get("/entitlements/pro/products");
  const first = before[0]?.id;
  await api.post(`/products/${first}/actions/archive`);
  const { items } = await api.get("/entitlements/pro/products");
  deepEqual(items.map(({ id, state }) => [id, state]), [
    [first, "inactive"],
    ...before.slice(1).map(({ id }) => [id, "active"]),
  ]);
  equal((await api.post(`/products/${first}`, { display_name: "Old" })).display_name, "Old");
});

Deno.test("a deleted product is removed from every list", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [packageOf] } = await api.get("/offerings/default/packages");
  const { items } = await api.get(`/packages/${packageOf?.id}/products`);
  const product = items[0]?.product as Wire;
  const gone = await api.remove(`/products/${product.id}`);
  deepEqual([gone.object, gone.id], ["product", product.id]);
  for (
    const list of ["/products", "/entitlements/pro/products", `/packages/${packageOf?.id}/products`]
  ) {
    const text = JSON.stringify(await api.get(`${list}?limit=100`));
    equal(text.includes(product.id), false, list);
  }
  for (
    const [method, rest] of [["GET", ""], ["POST", ""], ["DELETE", ""], [
      "POST",
      "/actions/archive",
    ]]
  ) {
    await api.refused(
      noSuch(),
      method ?? "",
      `/products/${product.id}${rest}`,
      method === "GET" ? undefined : {},
    );
  }
});

Deno.test("products are found only by id, and listed by app", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.refused(noSuch(), "GET", "/products/notes.pro.monthly");
  const { items: apps } = await api.get("/apps");
  for (const app of apps) {
    const { items, url } = await api.get(`/products?app_id=${app.id}`);
    equal(items.length > 0 && items.every((product) => product.app_id === app.id), true);
    equal(url, `/v2/projects/${desk.projectId}/products?app_id=${app.id}`);
  }
  deepEqual((await api.get("/products?app_id=app0000000000")).items, []);
  await api.refused(badField("app_id", /must have 1 to 255/), "GET", "/products?app_id=");
});

Deno.test("a push needs an App Store app with a key", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api);
  const product = await createProduct(api, app.id);
  const path = `/products/${product.id}/actions/push_to_store`;
  const storeError = {
    status: 422,
    type: "unprocessable_entity_error",
    message: /no App Store Connect API key/,
  };
  await api.refused(storeError, "POST", path);
  await api.post(`/apps/${app.id}`, { app_store: APP_STORE_KEY });
  const answer = await api.send("POST", path);
  equal(answer.status, 201);
  const pushed = answer.body.created_product as Wire;
  deepEqual({ ...pushed, id: 0 }, {
    object: "store_product",
    id: 0,
    name: null,
    product_identifier: "p",
  });
  match(pushed.id, /^\d{10}$/);
  deepEqual(
    (await api.send("POST", path)).body,
    answer.body,
    "a push again finds the same product",
  );
  const { items: apps } = await api.get("/apps");
  for (const other of apps.filter(({ type }) => type !== "app_store")) {
    const { items: [one] } = await api.get(`/products?app_id=${other.id}`);
    const rule = againstRule(/cannot be pushed to its store/);
    await api.refused(rule, "POST", `/products/${one?.id}/actions/push_to_store`);
  }
  await api.refused(noSuch(), "POST", "/products/prod0000000000/actions/push_to_store");
});

Deno.test("a push accepts terms for the store, all or none", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await createApp(api, APP_STORE_KEY);
  const { id } = await createProduct(api, app.id);
  const store_information = { duration: "ONE_MONTH", subscription_group_name: "Pro" };
  await checkFields(api, {
    path: `/products/${id}/actions/push_to_store`,
    body: () => ({ store_information }),
  }, [
    {
      field: "store_information.duration",
      oneOf: ["ONE_WEEK", "ONE_MONTH", "TWO_MONTHS", "THREE_MONTHS", "SIX_MONTHS", "ONE_YEAR"],
      required: true,
      hidden: true,
    },
    {
      field: "store_information.subscription_group_name",
      text: [1, 255],
      required: true,
      hidden: true,
    },
    {
      field: "store_information.subscription_group_id",
      text: [1, 255],
      nullable: true,
      hidden: true,
    },
  ]);
  const answer = await api.send("POST", `/products/${id}/actions/push_to_store`, { name: 1 });
  checkRefusal(answer, badField("name"), "push");
});

function createApp(api: Api, keys: Record<string, string> = {}): Promise<Wire> {
  const app_store = { bundle_id: "com.example.a", ...keys };
  return api.post("/apps", { name: "An app", type: "app_store", app_store });
}

function createProduct(api: Api, app_id: string): Promise<Wire> {
  return api.post("/products", { app_id, store_identifier: "p", type: "subscription" });
}
