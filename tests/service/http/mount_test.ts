import { deepEqual, equal } from "node:assert/strict";
import { type Door, mount } from "../../../lib/service/http/mount.ts";
import { respond } from "../../../lib/service/http/respond.ts";
import { Refusal } from "../../../lib/service/contract/errors.ts";

type Route = readonly [method: string, path: string];

/** A router that answers with the route and the values in the path. */
function routerOf(routes: readonly Route[], options: Partial<Door<Route>> = {}) {
  const answerer = mount(routes, {
    endpointOf: ([method, path]) => ({ method, path }),
    answer: (route, { params, sender }) =>
      Response.json({ route: route.join(" "), params, sender }),
    refuse(error) {
      if (!(error instanceof Refusal)) throw error;
      const { body, status, details } = error;
      return respond(JSON.stringify(body), status, details.headers);
    },
    ...options,
  });
  return async (method: string, path: string) => {
    const response = await answerer(new Request(`http://service.test${path}`, { method }));
    const text = await response.text();
    return {
      status: response.status,
      allow: response.headers.get("Allow"),
      json: text === "" ? null : JSON.parse(text),
    };
  };
}

/** The route that answered. */
async function routeOf(answer: Promise<{ json: { route?: string } | null }>) {
  return (await answer).json?.route;
}

Deno.test("a literal segment has precedence over a value, in any order of the routes", async () => {
  const literal = ["GET", "/things/search"] as const;
  const value = ["GET", "/things/{id}"] as const;
  for (const routes of [[literal, value], [value, literal]]) {
    const ask = routerOf(routes);
    equal(await routeOf(ask("GET", "/things/search")), "GET /things/search");
    equal(await routeOf(ask("GET", "/things/other")), "GET /things/{id}");
  }
});

Deno.test("a value matches if the literal has no route, or none of the method", async () => {
  const ask = routerOf([
    ["GET", "/things/search"],
    ["DELETE", "/things/{id}"],
    ["GET", "/things/{id}/parts/{part}"],
  ]);
  equal(await routeOf(ask("DELETE", "/things/search")), "DELETE /things/{id}");
  const { json } = await ask("GET", "/things/search/parts/7");
  deepEqual(json.params, { id: "search", part: "7" });
});

Deno.test("values are decoded once, and a slash in one stays in it", async () => {
  const ask = routerOf([["GET", "/things/{id}"]]);
  const values = ["a%2Fb", "a%252Fb", "%E2%82%AC", "a+b", "a:b"];
  const decoded = ["a/b", "a%2Fb", "€", "a+b", "a:b"];
  for (const [i, value] of values.entries()) {
    deepEqual((await ask("GET", `/things/${value}`)).json.params, { id: decoded[i] }, value);
  }
  equal(await routeOf(ask("GET", "/%74hings/x")), "GET /things/{id}");
  equal(await routeOf(ask("GET", "/things/x?y=/z")), "GET /things/{id}");
});

Deno.test("an unknown or badly encoded path is 404", async () => {
  const ask = routerOf([["GET", "/things/{id}"], ["GET", "/things"]]);
  const paths = ["/", "/thing", "/things/", "/things//", "/things/a/b", "/things/%FF", "/things/%"];
  for (const path of paths) {
    const { status, json } = await ask("GET", path);
    deepEqual([status, json.message], [404, `There is nothing at GET ${path}`], path);
  }
});

Deno.test("a value may be empty if the door allows it", async () => {
  const ask = routerOf([["GET", "/things/{id}/parts"]], { emptyValues: true });
  deepEqual((await ask("GET", "/things//parts")).json.params, { id: "" });
  equal((await ask("GET", "/things/parts")).status, 404);
});

Deno.test("an unknown method is 405, with the methods of the path", async () => {
  const ask = routerOf([["GET", "/things/{id}"], ["PUT", "/things/{name}"], ["GET", "/things"]]);
  const { status, allow, json } = await ask("POST", "/things/a");
  deepEqual([status, allow], [405, "GET, PUT"]);
  equal(json.message, "POST is not allowed here; use GET or PUT");
  deepEqual((await ask("PUT", "/things/a")).json.params, { name: "a" });
});

Deno.test("a HEAD is a GET without the body, unless the door forbids it", async () => {
  const routes = [["GET", "/things"]] as const;
  deepEqual(await routerOf(routes)("HEAD", "/things"), { status: 200, allow: null, json: null });
  const { status, allow } = await routerOf(routes, { answersHead: false })("HEAD", "/things");
  deepEqual([status, allow], [405, "GET"]);
});

Deno.test("the door checks the credential before a 404", async () => {
  const beside: unknown[] = [];
  const ask = routerOf([["GET", "/things"]], {
    greet(_request, route) {
      beside.push(route);
      throw new Refusal(401, "authentication_error", "Who is there?");
    },
  });
  equal((await ask("GET", "/other")).status, 401);
  equal((await ask("POST", "/things")).status, 401);
  equal((await ask("GET", "/things")).status, 200);
  deepEqual(beside, [undefined, ["GET", "/things"]]);
});
