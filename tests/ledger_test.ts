/**
 * The ledger: every row of the API document, held against the library's functions and the service's
 * routes. The same typo in function and route alike passes any round trip, but not this.
 *
 * A new operation is a new row of `operations.json`, copied from the document: its name here, the
 * method, and the path as it stands there. Public spellings beside the document are routes with an
 * `alias`, and have no row.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { createClient } from "../lib/client.ts";
import { operations as routes } from "../lib/service/routes/mod.ts";
import { openApiDocument } from "../lib/service/contract/openapi.ts";
import { fullPath } from "../lib/service/contract/route.ts";
import * as library from "../mod.ts";
import operations from "./operations.json" with { type: "json" };

const PROJECT = "proj 1/%";

/** Any function of the library. */
type Callable = (...values: unknown[]) => unknown;

/** A row: its name here, and the document's method and path. */
interface Operation {
  /** The name of function and route. */
  name: string;
  /** The method. */
  method: string;
  /** The path from the root, its names replaced by `{}`. */
  path: string;
  /** The number of path values that the function has. */
  values: number;
}

const rows = operations.map(readRow);

const names = rows.map(({ name }) => name).sort();

Deno.test("each operation has one row, with its own method and path", () => {
  equal(new Set(names).size, rows.length);
  equal(new Set(rows.map(({ method, path }) => `${method} ${path}`)).size, rows.length);
});

Deno.test("the library has one function in lib/resources for each row, and no others", async () => {
  const functions = await functionsOfResources();
  deepEqual([...functions.keys()].sort(), names);
  const exported = new Map<string, unknown>(Object.entries(library));
  for (const { name } of rows) equal(exported.get(name), functions.get(name), name);
});

Deno.test("each function sends its row's method to its row's path, with encoded values", async () => {
  const functions = await functionsOfResources();
  for (const row of rows) {
    const sent: Request[] = [];
    const client = createClient({
      baseUrl: "http://service.test",
      projectId: PROJECT,
      fetch: (request) => {
        sent.push(request);
        return Promise.resolve(Response.json({}));
      },
    });
    const values = Array.from({ length: row.values }, (_, i) => `$v${i} /?#%é`);
    await functions.get(row.name)?.(client, ...values, {});
    equal(sent.length, 1, row.name);
    const [request] = sent;
    const path = row.path.startsWith("/v2/projects/{}") && values.length < countOf(row.path)
      ? filled(row.path, [PROJECT, ...values])
      : filled(row.path, values);
    const place = request && `${request.method} ${new URL(request.url).pathname}`;
    equal(place, `${row.method} ${path}`, row.name);
  }
});

Deno.test("each function sends its last argument as the query of a GET, otherwise as the body", async () => {
  const functions = await functionsOfResources();
  let checked = 0;
  for (const row of rows) {
    const operation = functions.get(row.name);
    if (operation === undefined || operation.length <= row.values + 1) continue;
    let sent: Request | undefined;
    const client = createClient({
      baseUrl: "http://service.test",
      projectId: PROJECT,
      fetch: (request) => {
        sent = request;
        return Promise.resolve(Response.json({}));
      },
    });
    const values = Array.from({ length: row.values }, (_, i) => `v${i}`);
    await operation(client, ...values, marker());
    const { searchParams } = new URL(sent?.url ?? "");
    const arrived = row.method === "GET" ? [...searchParams].flat() : await wordsOf(sent);
    ok(arrived.includes(MARK), `${row.name}: ${arrived.join(" ")}`);
    checked++;
  }
  ok(checked >= 60, `only ${checked} functions take more than the values of their path`);
});

Deno.test("the service has a route for each row, and no others except aliases", () => {
  const own = routes.filter((route) => route.alias === undefined);
  deepEqual(own.map(({ name }) => name).sort(), rows.map(({ name }) => name).sort());
  for (const route of routes) {
    ok(names.includes(route.alias ?? route.name), `${route.name} stands for ${route.alias}`);
    const row = rows.find(({ name }) => name === route.name);
    const path = fullPath(route).replace(/\{\w+\}/g, "{}");
    if (row) equal(`${route.method} ${path}`, `${row.method} ${row.path}`, route.name);
  }
});

Deno.test("the served document has each operation at the path of its row", () => {
  const { paths }: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
    openApiDocument(routes, "test"),
  );
  const found = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => [
      operationId,
      `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")}`,
    ])
  );
  const places = new Map(found.map(([name = "", place]) => [name, place]));
  for (const { name, method, path } of rows) equal(places.get(name), `${method} ${path}`, name);
});

/** A text that no operation contains. */
const MARK = "mark 1&é";

/** A query or body with the mark in a field, or the mark itself for a text. */
function marker(): object {
  const value = { marker: MARK };
  return Object.defineProperty(value, "toString", { value: () => MARK, enumerable: false });
}

/** All texts in the body of a request. */
async function wordsOf(request: Request | undefined): Promise<string[]> {
  const words: string[] = [];
  JSON.parse(await request?.text() ?? "null", (_, value) => {
    if (typeof value === "string") words.push(value);
    return value;
  });
  return words;
}

/** Reads a row. Paths are below a project, except projects themselves and the first version. */
function readRow([name = "", method = "", path = ""]: string[]): Operation {
  const root = /^\/(v1|rcbilling)\//.test(path)
    ? path
    : path === "/projects" || path.startsWith("/projects/")
    ? `/v2${path}`
    : `/v2/projects/{id}${path}`;
  // Below a project, its id comes from the client.
  const below = /^\/v2\/projects\/\{\w+\}\//.test(root);
  return {
    name,
    method,
    path: root.replace(/\{\w+\}/g, "{}"),
    values: countOf(root) - (below ? 1 : 0),
  };
}

/** The number of values in a path. */
function countOf(path: string): number {
  return path.split("{").length - 1;
}

/** A path with values in it, encoded. */
function filled(path: string, values: readonly string[]): string {
  const rest = [...values];
  return path.replace(/\{\w*\}/g, () => encodeURIComponent(rest.shift() ?? "missing"));
}

/** The functions that the files of `lib/resources` export. */
async function functionsOfResources(): Promise<Map<string, Callable>> {
  const functions = new Map<string, Callable>();
  const folder = new URL("../lib/resources/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    const exports: Record<string, unknown> = await import(new URL(name, folder).href);
    for (const [key, value] of Object.entries(exports)) {
      if (isCallable(value)) functions.set(key, value);
    }
  }
  return functions;
}

function isCallable(value: unknown): value is Callable {
  return typeof value === "function";
}
