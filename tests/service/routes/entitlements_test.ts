import { deepEqual, equal, match } from "node:assert/strict";
import { alreadyThere, type Api, apiOf, badField, noSuch } from "../../support/api.ts";
import { checkFields } from "../../support/field_rules.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("an entitlement is created, shown and changed within its limits", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const made = await api.post("/entitlements", { lookup_key: "gold", display_name: "Gold" });
  match(made.id, /^entl[0-9a-f]{10}$/);
  deepEqual({ ...made, id: 0, created_at: 0 }, {
    object: "entitlement",
    project_id: desk.projectId,
    id: 0,
    lookup_key: "gold",
    display_name: "Gold",
    created_at: 0,
    state: "active",
  });
  let count = 0;
  await checkFields(api, {
    path: "/entitlements",
    body: () => ({ lookup_key: `key${count++}`, display_name: "x" }),
  }, [
    { field: "lookup_key", text: [1, 200], required: true },
    { field: "display_name", text: [1, 1500], required: true, filler: "\n" },
  ]);
  await checkFields(api, { path: "/entitlements/gold", body: () => ({}) }, [
    { field: "display_name", text: [1, 1500] },
  ]);
  for (const field of ["lookup_key", "state", "products"]) {
    await api.refused(badField(field), "POST", "/entitlements/gold", { [field]: "x" });
  }
  const before = await api.get("/entitlements/gold");
  deepEqual(await api.post("/entitlements/gold", {}), before, "an empty change changes nothing");
});

Deno.test("a lookup key has visible characters that are valid in a path", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const good = [
    "a",
    "A",
    "$svc_monthly",
    "a%b",
    "100%",
    "%25",
    "a?b#c",
    "é😀",
    "...",
    "a.b",
    "a\\b",
  ];
  for (const lookup_key of [...good, "~!@$&*()'+,;=:[]{}|^`<>\"", "%2F", "null", "__proto__"]) {
    const made = await api.post("/entitlements", { lookup_key, display_name: "x" });
    equal(made.lookup_key, lookup_key);
    const path = `/entitlements/${encodeURIComponent(lookup_key)}`;
    equal((await api.get(path)).id, made.id, lookup_key);
    equal((await api.get(`/entitlements/${made.id}`)).lookup_key, lookup_key);
    equal((await api.remove(path)).id, made.id, lookup_key);
  }
  const bad = ["a b", " a", "a/b", "/", "a\nb", "\u001b[31m", "a\u200bb", "\u202eab"];
  for (const lookup_key of [...bad, "a\u00a0b", "a\tb", "\u2028", "\u007f"]) {
    const message = /must contain printable characters only, without spaces or slashes$/;
    const body = { lookup_key, display_name: "x" };
    await api.refused(badField("lookup_key", message), "POST", "/entitlements", body);
  }
  for (const lookup_key of [".", ".."]) {
    const message = /must not be \. or \.\., which have a special meaning in paths$/;
    const body = { lookup_key, display_name: "x" };
    await api.refused(badField("lookup_key", message), "POST", "/entitlements", body);
  }
});

Deno.test("an entitlement's lookup key is unique in the project", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const body = { lookup_key: "pro", display_name: "x" };
  await api.refused(alreadyThere("lookup_key"), "POST", "/entitlements", body);
  await api.post("/entitlements", { ...body, lookup_key: "PRO" });
  const { id } = await api.post("/v2/projects", { name: "Other" });
  await apiOf(desk, {}, id).post("/entitlements", body);
  await api.remove("/entitlements/pro");
  await api.post("/entitlements", body);
});

Deno.test("an id has precedence over a lookup key, in every operation", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const pro = await api.get("/entitlements/pro");
  const trap = await api.post("/entitlements", { lookup_key: pro.id, display_name: "A trap" });
  equal((await api.get(`/entitlements/${pro.id}`)).id, pro.id);
  equal((await api.post(`/entitlements/${pro.id}`, { display_name: "y" })).id, pro.id);
  equal((await api.post(`/entitlements/${pro.id}/actions/archive`)).id, pro.id);
  equal((await api.remove(`/entitlements/${pro.id}`)).id, pro.id);
  equal((await api.get(`/entitlements/${pro.id}`)).id, trap.id, "now only the key is left");
});

Deno.test("archiving and unarchiving an entitlement twice is the same as once", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const pro = await api.get("/entitlements/pro");
  for (const [action, state] of [["archive", "inactive"], ["unarchive", "active"]]) {
    for (let time = 1; time <= 2; time++) {
      deepEqual(await api.post(`/entitlements/pro/actions/${action}`), { ...pro, state });
    }
    equal((await api.get("/entitlements/pro")).state, state);
  }
  await api.post("/entitlements/pro/actions/archive");
  equal((await api.post("/entitlements/pro", { display_name: "y" })).state, "inactive");
});

Deno.test("products are attached and detached in order, and repeating changes nothing", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const made = await api.post("/entitlements", { lookup_key: "gold", display_name: "Gold" });
  const { items: products } = await api.get("/products");
  const [a = "", b = "", c = ""] = products.map(({ id }) => id);
  const attach = "/entitlements/gold/actions/attach_products";
  const detach = "/entitlements/gold/actions/detach_products";
  deepEqual(await api.post(attach, { product_ids: [c, a] }), made);
  deepEqual(await attached(api), [c, a]);
  deepEqual(await api.post(attach, { product_ids: [a, b, b] }), made);
  deepEqual(await attached(api), [c, a, b], "a product already there keeps its place");
  const { items } = await api.get("/entitlements/gold/products");
  deepEqual(items, [products[2], products[0], products[1]], "whole products, not attachments");
  deepEqual(await api.post(detach, { product_ids: [a] }), made);
  deepEqual(await api.post(detach, { product_ids: [a, a] }), made);
  deepEqual(await attached(api), [c, b]);
  await api.post(attach, { product_ids: [a] });
  deepEqual(await attached(api), [c, b, a]);
});

Deno.test("attaching and detaching accept 1 to 50 product ids, all or none", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [product] } = await api.get("/products");
  await api.post("/entitlements", { lookup_key: "gold", display_name: "Gold" });
  for (const action of ["attach_products", "detach_products"]) {
    const path = `/entitlements/gold/actions/${action}`;
    const refused = (param: string, rule: RegExp, body: unknown) =>
      api.refused(badField(param, rule), "POST", path, body);
    await refused("product_ids", /is a required property/, {});
    await refused("product_ids", /must have 1 to 50 items/, { product_ids: [] });
    await refused("product_ids", /must be a list/, { product_ids: product?.id });
    await refused("product_ids.1", /must be text/, { product_ids: [product?.id, 1] });
    await refused("product_ids.0", /must have 1 to 255/, { product_ids: [""] });
    await refused("products", /not a known field/, { product_ids: [product?.id], products: [] });
    const most = Array.from({ length: 51 }, () => product?.id);
    await refused("product_ids", /must have 1 to 50 items/, { product_ids: most });
    await api.post(path, { product_ids: most.slice(1) });
    const unknown = { product_ids: [product?.id, "prod0000000000"] };
    await api.refused(noSuch("product_ids"), "POST", path, unknown);
  }
  deepEqual(await attached(api), [], "the attach that failed has attached nothing");
});

Deno.test("deleting an entitlement keeps its products", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items } = await api.get("/entitlements/pro/products");
  const { id } = await api.get("/entitlements/pro");
  const gone = await api.remove("/entitlements/pro");
  deepEqual([gone.object, gone.id, typeof gone.deleted_at], ["entitlement", id, "number"]);
  for (const product of items) await api.get(`/products/${product.id}`);
  for (const key of ["pro", id, "none"]) {
    await api.refused(noSuch(), "GET", `/entitlements/${key}`);
    await api.refused(noSuch(), "GET", `/entitlements/${key}/products`);
    await api.refused(noSuch(), "POST", `/entitlements/${key}`, { display_name: "x" });
    await api.refused(noSuch(), "DELETE", `/entitlements/${key}`);
    for (const action of ["archive", "unarchive", "attach_products", "detach_products"]) {
      await api.refused(noSuch(), "POST", `/entitlements/${key}/actions/${action}`);
    }
  }
});

/** The ids of the products of the entitlement `gold`. */
async function attached(api: Api): Promise<string[]> {
  return (await api.get("/entitlements/gold/products")).items.map(({ id }) => id);
}
