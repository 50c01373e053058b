import { deepEqual, equal, match } from "node:assert/strict";
import { alreadyThere, type Api, apiOf, badField, noSuch, type Wire } from "../../support/api.ts";
import { checkFields } from "../../support/field_rules.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("a package is created, shown and changed within its limits", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const offering = await api.get("/offerings/winter_sale");
  const made = await api.post("/packages", {
    offering_id: "winter_sale",
    lookup_key: "$svc_monthly",
    display_name: "Monthly",
    position: 0,
  });
  match(made.id, /^pkge[0-9a-f]{10}$/);
  deepEqual({ ...made, id: 0, created_at: 0 }, {
    object: "package",
    id: 0,
    lookup_key: "$svc_monthly",
    display_name: "Monthly",
    position: 0,
    created_at: 0,
    offering_id: offering.id,
  });
  deepEqual(await api.get(`/packages/${made.id}`), made);
  let count = 0;
  await checkFields(api, {
    path: "/packages",
    body: () => ({ offering_id: offering.id, lookup_key: `key${count++}`, display_name: "x" }),
  }, [
    { field: "lookup_key", text: [1, 200], required: true },
    { field: "display_name", text: [1, 1500], required: true },
    { field: "position", whole: [0, 1_000_000], nullable: true },
  ]);
  const path = `/packages/${made.id}`;
  await checkFields(api, { path, body: () => ({}) }, [
    { field: "display_name", text: [1, 1500] },
    { field: "position", whole: [0, 1_000_000], nullable: true },
  ]);
  for (const field of ["lookup_key", "offering_id"]) {
    await api.refused(badField(field, /cannot be changed/), "POST", path, { [field]: "x" });
  }
  await api.refused(badField("products", /not a known field/), "POST", path, { products: "x" });
  const before = await api.get(path);
  deepEqual(await api.post(path, {}), before, "an empty change changes nothing");
});

Deno.test("a package's lookup key is unique in its offering", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const body = { offering_id: "default", lookup_key: "$svc_annual", display_name: "x" };
  await api.refused(alreadyThere("lookup_key"), "POST", "/packages", body);
  await api.refused(noSuch("offering_id"), "POST", "/packages", { ...body, offering_id: "none" });
  await api.refused(badField("offering_id", /required/), "POST", "/packages", {
    ...body,
    offering_id: undefined,
  });
  await api.post("/packages", { ...body, offering_id: "winter_sale", lookup_key: "$svc_weekly" });
  const { items } = await api.get("/offerings/default/packages");
  await api.refused(noSuch(), "GET", "/packages/$svc_annual");
  await api.remove(`/packages/${items[1]?.id}`);
  await api.post("/packages", body);
});

Deno.test("packages are listed by position, those without one last, ties by age", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.post("/offerings", { lookup_key: "o", display_name: "O" });
  const add = (lookup_key: string, position?: number | null) =>
    api.post("/packages", { offering_id: "o", lookup_key, display_name: "x", position });
  equal((await add("first")).position, 0);
  equal((await add("second")).position, 1);
  equal((await add("seven", 7)).position, 7);
  equal((await add("last", null)).position, null);
  equal((await add("eight")).position, 8);
  await add("zero", 0);
  const moved = await add("moved", null);
  deepEqual(await keysOf(api), ["first", "zero", "second", "seven", "eight", "last", "moved"]);
  await api.post(`/packages/${moved.id}`, { position: 1 });
  deepEqual(await keysOf(api), ["first", "zero", "second", "moved", "seven", "eight", "last"]);
  await api.post(`/packages/${moved.id}`, { position: null });
  deepEqual((await keysOf(api)).at(-1), "moved");
});

Deno.test("products are attached with a criterion, `all` without one, and detached", async () => {
  await using desk = await openDesk();
  const { api, pack, products: [one = "", two = ""] } = await emptyPackage(apiOf(desk));
  const attach = `/packages/${pack.id}/actions/attach_products`;
  const detach = `/packages/${pack.id}/actions/detach_products`;
  deepEqual(await api.post(attach, { products: [{ product_id: one }] }), pack);
  deepEqual(await criteriaOf(api, pack), [[one, "all"]]);
  const again = { products: [{ product_id: one, eligibility_criteria: "google_sdk_lt_6" }] };
  await api.post(attach, again);
  await api.post(attach, again);
  deepEqual(await criteriaOf(api, pack), [[one, "google_sdk_lt_6"]], "it replaces the criterion");
  await api.post(attach, {
    products: [{ product_id: two, eligibility_criteria: "google_sdk_ge_6" }],
  });
  deepEqual(await criteriaOf(api, pack), [[one, "google_sdk_lt_6"], [two, "google_sdk_ge_6"]]);
  const { items: [item] } = await api.get(`/packages/${pack.id}/products`);
  deepEqual(Object.keys(item ?? {}), ["eligibility_criteria", "product"]);
  deepEqual(item?.product, await api.get(`/products/${one}`), "a whole product");
  deepEqual(await api.post(detach, { product_ids: [one] }), pack);
  deepEqual(await api.post(detach, { product_ids: [one] }), pack);
  deepEqual(await criteriaOf(api, pack), [[two, "google_sdk_ge_6"]]);
});

Deno.test("a package holds one product of an app for each range of SDK versions", async () => {
  await using desk = await openDesk();
  const { api, pack, products } = await emptyPackage(apiOf(desk));
  const [one = "", two = "", three = ""] = products;
  const path = `/packages/${pack.id}/actions`;
  const criteria = ["all", "google_sdk_lt_6", "google_sdk_ge_6"];
  for (const first of criteria) {
    for (const second of criteria) {
      const choice = [{ product_id: one, eligibility_criteria: first }];
      await api.post(`${path}/attach_products`, { products: choice });
      const answer = await api.send("POST", `${path}/attach_products`, {
        products: [{ product_id: two, eligibility_criteria: second }],
      });
      const overlap = first === "all" || second === "all" || first === second;
      equal(answer.status, overlap ? 409 : 200, `${first} with ${second}`);
      if (overlap) equal(answer.body.type, "invalid_request");
      await api.post(`${path}/detach_products`, { product_ids: [one, two] });
    }
  }
  const both = criteria.slice(1).map((eligibility_criteria, i) => ({
    product_id: products[i],
    eligibility_criteria,
  }));
  await api.post(`${path}/attach_products`, { products: both });
  const conflict = { status: 409, type: "invalid_request", message: /already holds a product/ };
  for (const eligibility_criteria of criteria) {
    const choice = [{ product_id: three, eligibility_criteria }];
    await api.refused(conflict, "POST", `${path}/attach_products`, { products: choice });
  }
  const wider = [{ product_id: one, eligibility_criteria: "all" }];
  await api.refused(conflict, "POST", `${path}/attach_products`, { products: wider });
  deepEqual(await criteriaOf(api, pack), [[one, criteria[1]], [two, criteria[2]]]);
});

Deno.test("a package can have products of several apps", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [pack] } = await api.get("/offerings/default/packages");
  const { items } = await api.get(`/packages/${pack?.id}/products`);
  equal(new Set(items.map((item) => (item.product as Wire).app_id)).size, 3);
});

Deno.test("attaching and detaching accept 1 to 50 products, all or none", async () => {
  await using desk = await openDesk();
  const { api, pack, products: [one = ""] } = await emptyPackage(apiOf(desk));
  const path = `/packages/${pack.id}/actions`;
  const choice = { product_id: one };
  const attach = (param: string, rule: RegExp, body: unknown) =>
    api.refused(badField(param, rule), "POST", `${path}/attach_products`, body);
  await attach("products", /is a required property/, {});
  await attach("products", /must have 1 to 50 items/, { products: [] });
  await attach("products", /must have 1 to 50 items/, { products: Array(51).fill(choice) });
  await attach("products", /must be a list/, { products: choice });
  await attach("products.0", /must be an object/, { products: [one] });
  await attach("products.0.product_id", /required/, { products: [{}] });
  await attach("products.1.product_id", /must be text/, { products: [choice, { product_id: 1 }] });
  await attach("products.0.eligibility_criteria", /must be one of all, google_sdk_lt_6, /, {
    products: [{ ...choice, eligibility_criteria: "ALL" }],
  });
  await attach("products.0.position", /not a known field/, {
    products: [{ ...choice, position: 1 }],
  });
  await attach("product_ids", /not a known field/, { products: [choice], product_ids: [one] });
  await api.post(`${path}/attach_products`, { products: Array(50).fill(choice) });
  await api.post(`${path}/detach_products`, { product_ids: Array(50).fill(one) });
  const missing = { product_id: "prod0000000000" };
  const half = { products: [choice, missing] };
  await api.refused(noSuch("products"), "POST", `${path}/attach_products`, half);
  deepEqual(await criteriaOf(api, pack), []);
  const ids = { product_ids: ["prod0000000000"] };
  await api.refused(noSuch("product_ids"), "POST", `${path}/detach_products`, ids);
  await api.refused(badField("product_ids"), "POST", `${path}/detach_products`, {
    product_ids: Array(51).fill(one),
  });
});

Deno.test("deleting a package keeps its products, deleting an offering deletes its packages", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [pack, other] } = await api.get("/offerings/default/packages");
  const { items } = await api.get(`/packages/${pack?.id}/products`);
  const gone = await api.remove(`/packages/${pack?.id}`);
  deepEqual([gone.object, gone.id, typeof gone.deleted_at], ["package", pack?.id, "number"]);
  for (const { product } of items) await api.get(`/products/${(product as Wire).id}`);
  await api.post("/offerings/winter_sale", { is_current: true });
  await api.remove("/offerings/default");
  for (const { id } of [pack, other].filter((each) => each !== undefined)) {
    await api.refused(noSuch(), "GET", `/packages/${id}`);
    await api.refused(noSuch(), "POST", `/packages/${id}`, { position: 1 });
    await api.refused(noSuch(), "DELETE", `/packages/${id}`);
    await api.refused(noSuch(), "GET", `/packages/${id}/products`);
    for (const action of ["attach_products", "detach_products"]) {
      await api.refused(noSuch(), "POST", `/packages/${id}/actions/${action}`);
    }
  }
  await api.refused(noSuch(), "GET", "/offerings/default/packages");
});

/** An empty package, and three products of one app. */
async function emptyPackage(api: Api): Promise<{ api: Api; pack: Wire; products: string[] }> {
  const { items: apps } = await api.get("/apps");
  const android = apps.find(({ type }) => type === "play_store");
  const { items } = await api.get(`/products?app_id=${android?.id}`);
  const body = { offering_id: "default", lookup_key: "empty", display_name: "Empty" };
  const pack = await api.post("/packages", body);
  return { api, pack, products: items.map(({ id }) => id) };
}

/** The products of a package with their criteria. */
async function criteriaOf(api: Api, pack: Wire): Promise<unknown[]> {
  const { items } = await api.get(`/packages/${pack.id}/products`);
  return items.map((item) => [(item.product as Wire).id, item.eligibility_criteria]);
}

/** The lookup keys of the packages of the offering `o`, in order. */
async function keysOf(api: Api): Promise<string[]> {
  return (await api.get("/offerings/o/packages")).items.map(({ lookup_key }) => lookup_key);
}
