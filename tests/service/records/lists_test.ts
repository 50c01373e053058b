import { deepEqual, equal, match, ok } from "node:assert/strict";
import { each } from "../../../lib/page.ts";
import { listOfferings } from "../../../lib/resources/offerings.ts";
import { listPage } from "../../../lib/service/records/lists.ts";
import { type Api, apiOf, badField, type Wire } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

/** Paged lists of the catalogue, with the request that deletes an item, if there is one. */
const LISTS: Record<string, (api: Api, item: Wire) => Promise<unknown>> = {
  "/v2/projects": untouched,
  "/apps": async (api, { id }) => {
    const { items } = await api.get(`/products?app_id=${id}`);
    for (const product of items) await api.remove(`/products/${product.id}`);
    await api.remove(`/apps/${id}`);
  },
  "/products": (api, { id }) => api.remove(`/products/${id}`),
  "/entitlements": (api, { id }) => api.remove(`/entitlements/${id}`),
  "/offerings": async (api, { id, is_current }) => {
    if (is_current) await api.post("/offerings/c", { is_current: true });
    await api.remove(`/offerings/${id}`);
  },
  "/collaborators": untouched,
  "/audit_logs": untouched,
  "/entitlements/pro/products": (api, { id }) =>
    api.post("/entitlements/pro/actions/detach_products", { product_ids: [id] }),
  "/entitlements/sync/products": (api, { id }) => api.remove(`/products/${id}`),
  "/offerings/winter_sale/packages": (api, { id }) => api.remove(`/packages/${id}`),
  "/packages/{package}/products": async (api, { product }) =>
    await api.remove(`/products/${(product as Wire).id}`),
};

Deno.test("the pages of every list are the whole list, whatever their size", async () => {
  await using desk = await openDesk();
  const api = await filledApi(desk);
  for (const path of await pathsOf(api)) {
    const whole = await api.get(`${path}?limit=100`);
    ok(whole.items.length >= 2, `${path} has too few items`);
    equal(whole.next_page, null);
    equal(whole.object, "list");
    for (const limit of [1, 2, 3, whole.items.length - 1, whole.items.length]) {
      const pages = await walk(api, `${path}?limit=${limit}`);
      deepEqual(pages.flatMap(({ items }) => items), whole.items, `${path} by ${limit}`);
      equal(pages.length, Math.ceil(whole.items.length / limit), `${path} by ${limit}`);
    }
  }
});

Deno.test("a list continues after a deleted item, without losing or repeating any", async () => {
  for (const [template, remove] of Object.entries(LISTS)) {
    if (remove === untouched) continue;
    await using desk = await openDesk();
    const api = await filledApi(desk);
    const path = await placeOf(api, template);
    const { items } = await api.get(`${path}?limit=100`);
    const first = await api.get(`${path}?limit=2`);
    for (const item of first.items.reverse()) await remove(api, item);
    const rest = await api.get(String(first.next_page).replace("limit=2", "limit=100"));
    deepEqual(idsOf(rest.items), idsOf(items.slice(2)), path);
    const second = await api.get(`${path}?limit=1`);
    deepEqual(idsOf(second.items), idsOf(items.slice(2, 3)), `${path} from the start`);
  }
});

Deno.test("the links of a list equal those of the URL parser", async () => {
  const searches = ["", "limit=2", "limit=02", "limit=2&", "type=a+b&limit=2", "expand=%C3%A4&x"];
  const ids = ["ofrng1", "a-b", "a.b*c_d", "a~b", "a b", "a+b", "a&b", "ä", "$anonymous:1", "100%"];
  const others = ["starting_after=customer-1", "starting_after=a%2Fb&limit=2", "starting_after="];
  const all = searches.flatMap((one) => [one, `${one}&starting_after=old-1`]);
  for (const search of [...all, ...others]) {
    for (const id of ids) {
      const url = new URL(`http://127.0.0.1:4010/v2/projects/p/offerings${search && "?"}${search}`);
      const page = await listPage({ url, query: { limit: 1 } }, {
        positionOf: () => Promise.resolve(1),
        rowsAfter: () => Promise.resolve([id, "more"]),
        idOf: (row) => row,
        show: (row) => row,
      });
      const next = new URL(url);
      next.searchParams.set("starting_after", id);
      equal(page.next_page, next.pathname + next.search.replaceAll("+", "%20"));
      const own = new URL(url);
      own.searchParams.delete("starting_after");
      own.searchParams.delete("limit");
      equal(page.url, own.pathname + own.search.replaceAll("+", "%20"));
    }
  }
});

Deno.test("an item added meanwhile comes at the end of a list, not into earlier pages", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const first = await api.get("/entitlements?limit=1");
  await api.post("/entitlements", { lookup_key: "new", display_name: "New" });
  const rest = await walk(api, String(first.next_page));
  deepEqual(rest.flatMap(({ items }) => items).map(({ lookup_key }) => lookup_key), [
    "sync",
    "new",
  ]);
  const log = await api.get("/audit_logs?limit=1");
  await api.post("/entitlements/new", {});
  await api.post("/entitlements/new", {});
  equal(log.next_page, null, "only one entry was there");
  const newest = await api.get("/audit_logs?limit=2");
  await api.post("/entitlements/new", {});
  deepEqual(
    (await api.get(String(newest.next_page))).items,
    log.items,
    "newest first, and no shift",
  );
});

Deno.test("a page has 20 items by default, and at most 100", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (let i = 2; i < 105; i++) {
    await api.post("/entitlements", { lookup_key: `key${i}`, display_name: "x" });
  }
  const sizes = async (query: string) =>
    (await walk(api, `/entitlements${query}`)).map(({ items }) => items.length);
  deepEqual(await sizes(""), [20, 20, 20, 20, 20, 5]);
  for (const limit of ["100", "101", "0100", "999999999999999"]) {
    deepEqual(await sizes(`?limit=${limit}`), [100, 5], limit);
  }
  deepEqual(await sizes("?limit=99"), [99, 6]);
});

Deno.test("a page size is a whole number from 1, on every list", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const rule = badField("limit", /must be a whole number from 1 to 100$/);
  for (const path of await pathsOf(api)) {
    for (
      const limit of [
        "0",
        "-1",
        "abc",
        "",
        "1.5",
        "1e2",
        "0x10",
        "%2B5",
        "%205",
        "٣",
        "000",
        "9".repeat(400),
      ]
    ) {
      await api.refused(rule, "GET", `${path}?limit=${limit}`);
    }
  }
});

Deno.test("a list starts only after an item of its own", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [app] } = await api.get("/apps");
  const { items: [product] } = await api.get("/products");
  for (const path of await pathsOf(api)) {
    const own = path === "/apps" ? app : path.includes("products") ? product : undefined;
    for (const id of [app?.id, product?.id, "none", "%01", "%F0%9F%98%80", "x".repeat(1500)]) {
      if (id === own?.id) continue;
      const rule = badField("starting_after", /This list has no item ".*"$/);
      await api.refused(rule, "GET", `${path}?starting_after=${id}`);
    }
    const empty = badField("starting_after", /must have 1 character or more$/);
    await api.refused(empty, "GET", `${path}?starting_after=`);
  }
});

Deno.test("a page's address keeps the other parameters, the list's own has no paging", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [app] } = await api.get("/apps");
  const base = `/v2/projects/${desk.projectId}/products`;
  const query = `app_id=${app?.id}&expand=items.app&note=a%20b%2Bc&limit=1`;
  const [first, second, third, ...more] = await walk(api, `/products?${query}`);
  deepEqual(more, []);
  const [last] = first?.items ?? [];
  equal(first?.next_page, `${base}?${query}&starting_after=${last?.id}`);
  for (const page of [first, second, third]) {
    equal(page?.url, `${base}?app_id=${app?.id}&expand=items.app&note=a%20b%2Bc`);
    deepEqual(page?.items.map((product) => (product.app as Wire).id), [app?.id]);
  }
  const twice = await api.get("/products?limit=1&limit=2");
  equal(twice.items.length, 2, "of a repeated parameter, the last counts");
  match(String(twice.next_page), /\?limit=1&limit=2&starting_after=prod/);
});

Deno.test("a list below a key with special characters can be followed", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const lookup_key = "a%2Fb?#&+é";
  await api.post("/offerings", { lookup_key, display_name: "x" });
  for (const key of ["a", "b", "c"]) {
    await api.post("/packages", { offering_id: lookup_key, lookup_key: key, display_name: "x" });
  }
  const pages = await walk(api, `/offerings/${encodeURIComponent(lookup_key)}/packages?limit=1`);
  deepEqual(pages.flatMap(({ items }) => items.map((item) => item.lookup_key)), ["a", "b", "c"]);
});

Deno.test("a list inside an object has up to 100 items, and the address of the rest", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { id } = await api.post("/offerings", { lookup_key: "o", display_name: "x" });
  for (let i = 0; i < 101; i++) {
    await api.post("/packages", { offering_id: "o", lookup_key: `key${i}`, display_name: "x" });
  }
  for (const [expand, query] of [["package", ""], ["package.product", "expand=items.product"]]) {
    const packages = (await api.get(`/offerings/o?expand=${expand}`)).packages as Wire;
    const url = `/v2/projects/${desk.projectId}/offerings/${id}/packages`;
    equal(packages.url, query === "" ? url : `${url}?${query}`);
    equal(packages.items.length, 100);
    const rest = await api.get(String(packages.next_page));
    deepEqual(rest.items.map(({ lookup_key }) => lookup_key), ["key100"]);
    equal(rest.next_page, null);
    equal("products" in (rest.items[0] ?? {}), query !== "", "expanded alike on every page");
  }
});

Deno.test("the library walks to the end of a list", async () => {
  await using desk = await openDesk();
  const api = await filledApi(desk);
  const keys: string[] = [];
  for await (const offering of each(desk.client, listOfferings(desk.client, { limit: 2 }))) {
    keys.push(offering.lookup_key);
  }
  const { items } = await api.get("/offerings?limit=100");
  deepEqual(keys, items.map(({ lookup_key }) => lookup_key));
});

function untouched(): Promise<void> {
  return Promise.resolve();
}

/** The API of a project with at least four items in every list that can be filled. */
async function filledApi(desk: Desk): Promise<Api> {
  const api = apiOf(desk);
  const pack = await placeOf(api, "/packages/{package}");
  for (const name of ["a", "b", "c"]) {
    const named = { lookup_key: name, display_name: name };
    await api.post("/v2/projects", { name });
    await api.post("/entitlements", named);
    await api.post("/offerings", named);
    const position = name === "b" ? 0 : null;
    await api.post("/packages", { offering_id: "winter_sale", ...named, position });
    const app = await api.post("/apps", { name, type: "stripe" });
    const product = { app_id: app.id, store_identifier: "p", type: "subscription" };
    const { id } = await api.post("/products", product);
    await api.post(`${pack}/actions/attach_products`, { products: [{ product_id: id }] });
  }
  return api;
}

/** The path of a list. */
async function placeOf(api: Api, template: string): Promise<string> {
  const { items: [pack] } = await api.get("/offerings/default/packages");
  return template.replace("{package}", pack?.id ?? "");
}

function pathsOf(api: Api): Promise<string[]> {
  return Promise.all(Object.keys(LISTS).map((template) => placeOf(api, template)));
}

/** All pages from an address on. */
async function walk(api: Api, address: string): Promise<Wire[]> {
  const pages: Wire[] = [];
  for (let next: string | null = address; next !== null;) {
    const page: Wire = await api.get(next);
    pages.push(page);
    next = page.next_page;
  }
  return pages;
}

/** The identifying field of a list's items. */
function idsOf(items: Wire[]): unknown[] {
  return items.map((item) => item.id ?? (item.product as Wire).id);
}
