import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { Refusal } from "../../../lib/service/contract/errors.ts";
import type { Route } from "../../../lib/service/contract/route.ts";
import { checkPath, queryOf } from "../../../lib/service/http/query.ts";
import { routes } from "../../../lib/service/routes/mod.ts";
import { openDesk } from "../../support/harness.ts";

const ACTOR = {
  account_id: "acct1",
  email: "owner@example.com",
  name: null,
  has_mfa: false,
  client_id: "svc-cli",
  scope: "*:*:read_write",
};

Deno.test("a request without a query gets the defaults, and a copy of its own", () => {
  const route = routeNamed("listOfferings");
  const request = { url: "http://127.0.0.1:4010/v2/projects/p/offerings" };
  const first = queryOf({ route, request, actor: ACTOR });
  deepEqual(first.query, route.query.parse({}));
  Object.assign(first.query as object, { limit: 1 });
  deepEqual(queryOf({ route, request, actor: ACTOR }).query, route.query.parse({}));
});

Deno.test("a limit alone is validated for each route, and each request gets a copy", () => {
  const route = routeNamed("listOfferings");
  const ask = (search: string, of = route) =>
    queryOf({ route: of, request: { url: `http://127.0.0.1:4010/v2/x${search}` }, actor: ACTOR });
  for (const limit of [7, 100, 7]) {
    const { query, expand } = ask(`?limit=${limit}`);
    deepEqual(query, { limit });
    equal(expand.size, 0);
    Object.assign(query as object, { limit: 1 });
  }
  for (let i = 0; i < 2; i++) {
    throws(() => ask("?limit=0"), Refusal);
    deepEqual(ask("?limit=101").query, route.query.parse({ limit: "101" }));
    const other = routeNamed("getApp");
    deepEqual(ask("?limit=7", other).query, other.query.parse({ limit: "7" }));
  }
  deepEqual(ask("?limit=7&starting_after=a").query, { limit: 7, starting_after: "a" });
});

Deno.test("the query of a next page is what the schema of its route makes of it", () => {
  const searches = [
    "",
    "?limit=7",
    "?limit=7&starting_after=a",
    "?limit=250&starting_after=b.c-d_*",
  ];
  let lists = 0;
  for (const route of routes) {
    for (const search of [...searches, ...searches]) {
      const request = { url: `http://127.0.0.1:4010/v2/x${search}` };
      const { searchParams } = new URL(request.url);
      const parsed = route.query.safeParse(Object.fromEntries(searchParams));
      const ask = () => queryOf({ route, request, actor: ACTOR }).query;
      if (!parsed.success) throws(ask, Refusal, `${route.name} ${search}`);
      else deepEqual(ask(), parsed.data, `${route.name} ${search}`);
    }
    if ("starting_after" in route.query.shape) lists++;
  }
  ok(lists > 20, `${lists} lists`);
  const request = { url: "http://127.0.0.1:4010/v2/x?limit=0&starting_after=a" };
  throws(() => queryOf({ route: routeNamed("listOfferings"), request, actor: ACTOR }), Refusal);
});

Deno.test("one token's permissions give nothing to another token of the same person", async () => {
  await using desk = await openDesk();
  const path = `/v2/projects/${desk.projectId}/offerings`;
  const { issueToken } = desk.service.oauth;
  const wide = await issueToken({});
  const narrow = await issueToken({ scope: "charts_metrics:benchmarks:read" });
  for (const [token, status] of [[wide, 200], [narrow, 403], [wide, 200], [narrow, 403]] as const) {
    const headers = { Authorization: `Bearer ${token.access_token}` };
    equal((await desk.send("GET", path, undefined, headers)).status, status);
  }
});

Deno.test("fields to expand are repeated or separated by commas, and each must be known", () => {
  const expand = (search: string, name = "listOfferings", scope = "*:*:read_write") => {
    const request = { url: `http://127.0.0.1:4010/v2/x${search}` };
    return queryOf({ route: routeNamed(name), request, actor: { ...ACTOR, scope } }).expand;
  };
  const both = new Set(["items.package", "items.package.product"]);
  deepEqual(expand("?expand=items.package,items.package.product"), both);
  deepEqual(expand("?expand=items.package&limit=5&expand=items.package.product"), both);
  throws(() => expand("?expand=items.package,app"), {
    status: 400,
    message: "'expand' cannot be \"app\" here; it takes items.package, items.package.product",
    details: { param: "expand" },
  });
  throws(() => expand("?expand=app", "listProjects"), { message: /it takes nothing$/ });
  const offerings = "project_configuration:offerings:read";
  const packages = "project_configuration:packages:read";
  deepEqual(
    expand("?expand=items.package", "listOfferings", `${offerings} ${packages}`),
    new Set(["items.package"]),
  );
  throws(() => expand("?expand=items.package.product", "listOfferings", offerings), {
    details: { missing_scopes: [packages] },
  });
  throws(() => expand(`?expand=${[...both]}`, "listOfferings", `${offerings} ${packages}`), {
    status: 403,
    type: "authorization_error",
    message:
      'Expanding "items.package.product" needs the permission "project_configuration:products:read"',
    details: { missing_scopes: ["project_configuration:products:read"] },
  });
});

Deno.test("a NUL character is refused in each value of a path", () => {
  checkPath({ project_id: "a", id: "b" });
  for (const params of [{ id: "\0" }, { project_id: "a", id: "b\0c" }]) {
    throws(() => checkPath(params), {
      status: 400,
      type: "invalid_request",
      message: "The path contains a NUL character",
    });
  }
});

Deno.test("a NUL character in a query is refused, as the document says", async () => {
  await using desk = await openDesk();
  const path = `/v2/projects/${desk.projectId}/subscriptions?store_subscription_identifier=a%00`;
  const response = await desk.send("GET", path);
  const { param, message } = await response.json();
  deepEqual([response.status, param], [400, "store_subscription_identifier"]);
  equal(message, "'store_subscription_identifier' contains a NUL character");
});

function routeNamed(name: string): Route {
  const found = routes.find((route) => route.name === name);
  if (!found) throw new Error(`There is no route ${name}`);
  return found;
}
