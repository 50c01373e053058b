/**
 * A desk for tests of the command line: the demonstration project's objects under short names, and
 * requests with their bodies.
 *
 * @module
 */

import { fail } from "node:assert/strict";
import { type Desk, type DeskOptions, openDesk, type Ran } from "./harness.ts";

/** The time at which these tests take place. */
export const NOW = Date.UTC(2026, 0, 31, 12, 30, 15);

/** A request of a command, as it arrived. */
export interface Arrived {
  /** Its method, path and query: `POST /offerings`. Ids have their short names. */
  line: string;
  /** Its body, or undefined where it has none. */
  body: unknown;
}

/** A desk with short names for the demonstration project's objects, such as `$app_store`. */
export interface Counter extends AsyncDisposable {
  /** The desk itself. */
  readonly desk: Desk;
  /** The requests of the last command. */
  readonly arrived: Arrived[];
  /** Ids by their short names. */
  readonly ids: Record<string, string>;
  /** Runs a command line written as one text, in which short names stand for ids. */
  run(line: string): Promise<Ran>;
  /** The text with short names in the place of ids. */
  short(text: string): string;
}

/** Opens a counter. */
export async function openCounter(options: DeskOptions = {}): Promise<Counter> {
  const arrived: Arrived[] = [];
  const desk = await openDesk({
    clock: () => NOW,
    ...options,
    async intercept(request, pass) {
      const body = await request.clone().text();
      const { pathname, search } = new URL(request.url);
      if (pathname.startsWith("/v2/")) {
        const path = pathname.replace(/^\/v2\/projects\/[^/]+(?=\/)/, "");
        arrived.push({
          line: `${request.method} ${path}${search}`,
          body: body === "" ? undefined : JSON.parse(body),
        });
      }
      return await (options.intercept ?? ((one, next) => next(one)))(request, pass);
    },
  });
  const ids = await shortNames(desk);
  const short = (text: string) =>
    Object.entries(ids).reduce((done, [name, id]) => done.replaceAll(id, name), text);
  return {
    desk,
    ids,
    short,
    get arrived() {
      return arrived.map(({ line, body }) => ({ line: short(line), body }));
    },
    run: (line) => {
      arrived.length = 0;
      return desk.run(...splitWords(line).map((word) => ids[word] ?? word));
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

/** Words separated by spaces, as in a shell: single quotes keep a word together. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ""));
}

/** The ids of the demonstration project. */
async function shortNames(desk: Desk): Promise<Record<string, string>> {
  const ids: Record<string, string> = { $project: desk.projectId };
  const add = async (path: string, name: (item: Record<string, string>) => string) => {
    const response = await desk.send("GET", `/v2/projects/${desk.projectId}${path}`);
    const { items } = await response.json();
    for (const item of items) ids[name(item)] ??= item.id;
  };
  await add("/apps", ({ type }) => `$${type}`);
  await add("/products?limit=100", ({ store_identifier }) => `$${store_identifier}`);
  await add("/entitlements", ({ lookup_key }) => `$ent_${lookup_key}`);
  await add("/offerings", ({ lookup_key }) => `$offer_${lookup_key}`);
  await add("/offerings/default/packages", ({ lookup_key = "" }) => `$pkg_${lookup_key.slice(5)}`);
  desk.sent.length = 0;
  return ids;
}

/** The lines of a text, without the last line break. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

/** A member of a JSON value, by its path. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== "object" || inner === null) fail(`there is no ${key} in ${inner}`);
    return Object.entries(inner).find(([name]) => name === String(key))?.[1];
  }, value);
}
