import { deepEqual, equal } from "node:assert/strict";
import { routes } from "../../lib/service/routes/mod.ts";
import { fullPath } from "../../lib/service/contract/route.ts";
import { type Api, apiOf, badField, signIn, type Wire } from "../support/api.ts";
import { openDesk } from "../support/harness.ts";

const OF = (resource: string) => `project_configuration:${resource}:read`;

/** All expansions: the path, the value, the added field and the permissions. */
const EXPANSIONS: [path: string, value: string, field: string, needs: string[]][] = [
  ["/products", "items.app", "app", ["products", "apps"]],
  ["/products/{product}", "app", "app", ["products", "apps"]],
  ["/entitlements", "items.product", "products", ["entitlements", "products"]],
  ["/entitlements/pro", "product", "products", ["entitlements", "products"]],
  ["/offerings", "items.package", "packages", ["offerings", "packages"]],
  ["/offerings", "items.package.product", "packages", ["offerings", "packages", "products"]],
  ["/offerings/default", "package", "packages", ["offerings", "packages"]],
  ["/offerings/default", "package.product", "packages", ["offerings", "packages", "products"]],
  ["/offerings/default/packages", "items.product", "products", ["packages", "products"]],
  ["/packages/{package}", "product", "products", ["packages", "products"]],
];

Deno.test("each expansion adds its field, and nothing else", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const [template, value, field] of EXPANSIONS) {
    const path = await placeOf(api, template);
    const plain = await api.get(path);
    const expanded = await api.get(`${path}?expand=${value}`);
    const subjects = value.startsWith("items.") ? expanded.items : [expanded];
    for (const [i, subject] of subjects.entries()) {
      const { [field]: added, ...rest } = subject;
      deepEqual(rest, value.startsWith("items.") ? plain.items[i] : plain, path);
      equal(added instanceof Object, true, `${path} ${value}`);
    }
  }
});

Deno.test("an expanded list is the first page of its list", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const [template, value, field] of EXPANSIONS.filter(([, , name]) => name !== "app")) {
    const path = await placeOf(api, template);
    const expanded = await api.get(`${path}?expand=${value}`);
    const lists = (value.startsWith("items.") ? expanded.items : [expanded])
      .map((subject) => subject[field] as Wire);
    for (const list of lists) deepEqual(await api.get(list.url), list, `${path} ${value}`);
  }
});

Deno.test("an expanded app is the app, without its secrets", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items } = await api.get("/products?expand=items.app");
  for (const product of items) deepEqual(product.app, await api.get(`/apps/${product.app_id}`));
});

Deno.test("every expansion needs the read permission for its field", async () => {
  await using desk = await openDesk();
  const owner = apiOf(desk);
  for (const [template, value, , needs] of EXPANSIONS) {
    const path = await placeOf(owner, template);
    const enough = apiOf(desk, await signIn(desk, { scope: needs.map(OF).join(" ") }));
    await enough.get(`${path}?expand=${value}`);
    for (const missing of needs) {
      const scope = needs.filter((need) => need !== missing).map(OF).join(" ");
      const short = apiOf(desk, await signIn(desk, { scope }));
      const message = new RegExp(`permission "${OF(missing)}"$`);
      const refusal = { status: 403, type: "authorization_error", message };
      await short.refused(refusal, "GET", `${path}?expand=${value}`);
    }
  }
});

Deno.test("several expansions are given separately or with commas", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const path = "/offerings/default";
  const both = await api.get(`${path}?expand=package&expand=package.product`);
  deepEqual(await api.get(`${path}?expand=package,package.product`), both);
  deepEqual(await api.get(`${path}?expand=package%2Cpackage.product`), both);
  deepEqual(await api.get(`${path}?expand=package.product`), both);
  deepEqual(
    await api.get(`${path}?expand=package,package`),
    await api.get(`${path}?expand=package`),
  );
});

Deno.test("any other value is refused, on every route", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const gets = routes.filter((route) => route.method === "GET" && !route.path.startsWith("/v1/"));
  for (const route of gets) {
    const path = fullPath(route).replace("{project_id}", desk.projectId).replace(/\{\w+\}/g, "x");
    for (const value of ["surprise", "toString", "items", "items.", "APP", "app.", "*", ""]) {
      await api.refused(
        badField("expand", /^'expand' cannot be ".*" here/),
        "GET",
        `${path}?expand=${value}`,
      );
    }
  }
  await api.refused(badField("expand"), "GET", "/offerings?expand=items.package,");
  await api.refused(badField("expand"), "GET", "/offerings?expand=items.package,package");
  await api.refused(badField("expand"), "GET", "/offerings?expand=items.package&expand=x");
});

/** The path of an object of the demonstration project. */
async function placeOf(api: Api, template: string): Promise<string> {
  const { items: [product] } = await api.get("/products");
  const { items: [pack] } = await api.get("/offerings/default/packages");
  return template.replace("{product}", product?.id ?? "").replace("{package}", pack?.id ?? "");
}
