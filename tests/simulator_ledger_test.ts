/**
 * The ledger of the simulator: every row is held against the library's functions, the service's routes
 * and the served document, as `ledger_test.ts` does for the API.
 *
 * @module
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createClient } from "../lib/client.ts";
import { adminRoutes, simRoutes } from "../lib/service/sim/routes.ts";
import rows from "./simulator.json" with { type: "json" };
import { BASE_URL, openDesk } from "./support/harness.ts";

const PROJECT = "proj 1/%";
const MARK = "marked";
const DOCUMENT = "/_sim/openapi.json";

/** Any function of the library. */
type Callable = (...values: unknown[]) => unknown;

/** All routes but that of the document: a client reads no schemas. */
const routes = [...simRoutes, ...adminRoutes].filter(({ path }) => path !== DOCUMENT);

/** A row as text. */
function rowOf(name: string, method: string, path: string): string {
  return `${name}: ${method} ${path.replace(/\{\w+\}/g, "{}")}`;
}

const ledger = rows.map(([name = "", method = "", path = ""]) => rowOf(name, method, path)).sort();

/** The functions of `lib/simulator/`, by name. */
async function functionsOfSimulator(): Promise<Map<string, Callable>> {
  const folder = new URL("../lib/simulator/", import.meta.url);
  const functions = new Map<string, Callable>();
  for await (const { name } of Deno.readDir(folder)) {
    const module: object = await import(new URL(name, folder).href);
    for (const [key, value] of Object.entries(module)) {
      if (typeof value === "function") functions.set(key, value as Callable);
    }
  }
  return functions;
}

/** Calls a function, and returns the request that it sends. */
async function requestOf(call: Callable, path: string): Promise<Request> {
  let sent: Request | undefined;
  const client = createClient({
    baseUrl: "http://service.test",
    fetch: (request) => {
      sent = request;
      return Promise.resolve(Response.json({}));
    },
  });
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const values = names.filter((name) => name !== "project_id").map((name) => `$${name} /?#%é`);
  const target = names.includes("project_id") ? { client, project: PROJECT } : client;
  await call(target, ...values, { [MARK]: MARK });
  ok(sent);
  return sent;
}

Deno.test("the simulator has one function for each row, and no others", async () => {
  const names = [...(await functionsOfSimulator()).keys()].sort();
  deepEqual(names, rows.map(([name]) => name).sort());
});

Deno.test("each function of the simulator sends its row's method, path and values", async () => {
  const functions = await functionsOfSimulator();
  let taken = 0;
  for (const [name = "", method = "", path = ""] of rows) {
    const call = functions.get(name);
    ok(call, name);
    const request = await requestOf(call, path);
    const filled = path.replace(
      /\{(\w+)\}/g,
      (_, key) => encodeURIComponent(key === "project_id" ? PROJECT : `$${key} /?#%é`),
    );
    const { pathname, search } = new URL(request.url);
    equal(
      `${request.method} ${decodeURIComponent(pathname)}`,
      `${method} ${decodeURIComponent(filled)}`,
    );
    equal(pathname.split("/").length, filled.split("/").length, name);
    if ((await request.text()).includes(MARK) || search.includes(MARK)) taken++;
  }
  ok(taken >= 28, `only ${taken} functions send a query or a body`);
});

Deno.test("the simulator has a route for each row, and no others", () => {
  deepEqual(routes.map(({ name, method, path }) => rowOf(name, method, path)).sort(), ledger);
});

Deno.test("each function of the simulator has a body or query if its route has", async () => {
  const functions = await functionsOfSimulator();
  for (const { name, path, method, body, query } of routes) {
    const call = functions.get(name);
    ok(call, name);
    const request = await requestOf(call, path);
    const sends = (await request.text()).includes(MARK) || request.url.includes(MARK);
    const takes = method === "GET" ? Object.keys(query.shape).length > 0 : takesFields(body);
    equal(sends, takes, name);
  }
});

/** Whether a body has any fields. */
function takesFields(body: unknown): boolean {
  if (body === undefined) return false;
  const shape = typeof body === "object" && body !== null && "shape" in body ? body.shape : body;
  return Object.keys(shape ?? {}).length > 0;
}

Deno.test("the simulator serves its own document, with each row", async () => {
  await using desk = await openDesk();
  const headers = { Authorization: `Bearer ${desk.service.adminSecret}` };
  const answer = await desk.service.fetch(new Request(BASE_URL + DOCUMENT, { headers }));
  const { paths, components }: {
    paths: Record<
      string,
      Record<string, { operationId: string; summary: string; security: object[] }>
    >;
    components: { securitySchemes: object };
  } = await answer.json();
  delete paths[DOCUMENT];
  const found = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, summary, security }]) => {
      match(summary, /^[A-Z].+\.$/s, operationId);
      deepEqual(security, [{ admin_secret: [] }]);
      return rowOf(operationId, method.toUpperCase(), path);
    })
  );
  deepEqual(found.sort(), ledger);
  deepEqual(Object.keys(components.securitySchemes), ["admin_secret"]);
});
