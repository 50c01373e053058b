/**
 * The one router. It finds the route of a request, and says what is not there: 404 for a path, 405
 * for a method. A door says the rest: who may ask, how a route answers, and the form of errors.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { systemStopwatch } from "../clock.ts";
import { createMatcher, type Endpoint, type MatcherOptions } from "./matcher.ts";
import type { Observation } from "./metrics.ts";

/** A request that has found its route. */
export interface Found {
  /** The request. */
  request: Request;
  /** The values in its path, decoded. */
  params: Record<string, string>;
  /** The address that it came from; empty for this process's own. */
  sender: string;
}

/** How a part of the service treats requests. */
export interface Door<R> extends MatcherOptions {
  /** Where a route answers. */
  endpointOf(route: R): Endpoint;
  /** Whether a HEAD is answered as a GET, without the body, where no route has it. Default true. */
  answersHead?: boolean;
  /**
   * Checks who asks before it says that there is no such path, or no such method at the path of a
   * route. Default: everybody may know.
   */
  greet?(request: Request, beside: R | undefined): Promise<void> | void;
  /** Answers a request by its route. */
  answer(route: R, found: Found): Promise<Response> | Response;
  /** Turns an error into an answer, with the route or one of the same path. */
  refuse(error: unknown, request: Request, route: R | undefined): Promise<Response> | Response;
  /** Notes each answered request. Default: nobody does. */
  observe?: ((observation: Observation) => void) | undefined;
}

/** Answers a request, which came from an address. */
export type Answerer = (request: Request, sender?: string) => Promise<Response>;

/** Lets requests in to routes. */
export function mount<R>(routes: readonly R[], door: Door<R>): Answerer {
  const { endpointOf, answersHead = true } = door;
  const match = createMatcher(routes, endpointOf, door);
  const endpoints = new Map(routes.map((route) => [route, endpointOf(route)]));
  const find = ({ method, url }: Request) => {
    const pathname = pathOf(url);
    const found = match(method, pathname);
    const isHead = answersHead && method === "HEAD" && found && !found.route;
    return isHead ? match("GET", pathname) : found;
  };
  return async (request, sender = "") => {
    const started = systemStopwatch();
    const found = find(request);
    const beside = found && (found.route ?? [...found.routes.values()][0]);
    let response: Response;
    try {
      if (!found?.route) {
        await door.greet?.(request, beside);
        throw found ? notAllowed(request, [...found.routes.keys()]) : nothingAt(request);
      }
      response = await door.answer(found.route, { request, params: found.params, sender });
    } catch (error) {
      response = await door.refuse(error, request, beside);
    }
    // Paths and methods that do not exist share one endpoint: a client could send any number of them.
    const { method, path } = found?.route && endpoints.get(found.route) || NOWHERE;
    door.observe?.({ method, path, status: response.status, ms: systemStopwatch() - started });
    return request.method === "HEAD" ? new Response(null, response) : response;
  };
}

/** The endpoint of requests that find no route. */
const NOWHERE: Endpoint = { method: "other", path: "unknown" };

/** The encoded path of an address. Most requests need no more of it. */
function pathOf(url: string): string {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const to = url.slice(from).search(/[?#]/);
  return to < 0 ? url.slice(from) : url.slice(from, from + to);
}

/** The refusal of a method that the path does not have. */
function notAllowed({ method }: Request, methods: readonly string[]): Refusal {
  const message = `${method} is not allowed here; use ${methods.join(" or ")}`;
  const headers = { Allow: methods.join(", ") };
  return new Refusal(405, "invalid_request", message, { headers });
}

/** The refusal of a path that does not exist. */
function nothingAt(request: Request): Refusal {
  const { pathname } = new URL(request.url);
  return new Refusal(404, "resource_missing", `There is nothing at ${request.method} ${pathname}`);
}
