/**
 * The router. It finds the route of a request, or answers 404 for the path and 405 for the method.
 * A door has the rest: credentials, running a route, and the form of errors.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { systemStopwatch } from "../time/clock.ts";
import { createMatcher, type Endpoint, type MatcherOptions } from "./matcher.ts";
import type { Observation } from "./metrics.ts";
import { sentPath } from "./sent_address.ts";

/** A request with its route. */
export interface Found {
  /** The request. */
  request: Request;
  /** The values in its path, decoded. */
  params: Record<string, string>;
  /** The client's address; empty for requests of this process. */
  sender: string;
}

/** The door of one part of the service. */
export interface Door<R> extends MatcherOptions {
  /** The path of a route. */
  endpointOf(route: R): Endpoint;
  /** Whether a HEAD without a route is answered as a GET without the body. Default true. */
  answersHead?: boolean;
  /** Checks the credential before a 404 or 405. Default: no check. */
  greet?(request: Request, beside: R | undefined): Promise<void> | void;
  /** Answers a request by its route. */
  answer(route: R, found: Found): Promise<Response> | Response;
  /** Turns an error into a response, with the route or one of the same path. */
  refuse(error: unknown, request: Request, route: R | undefined): Promise<Response> | Response;
  /** Called after each answered request. Default: nothing. */
  observe?: ((observation: Observation) => void) | undefined;
}

/** Answers a request from an address. */
export type Answerer = (request: Request, sender?: string) => Promise<Response>;

/** Connects routes to a door. */
export function mount<R>(routes: readonly R[], door: Door<R>): Answerer {
  const { endpointOf, answersHead = true } = door;
  const match = createMatcher(routes, endpointOf, door);
  const endpoints = new Map(routes.map((route) => [route, endpointOf(route)]));
  const find = ({ method, url }: Request) => {
    const pathname = sentPath(url);
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
    // Unknown paths and methods share one endpoint, since a client could send any number of them.
    const endpoint = found?.route && endpoints.get(found.route) || NOWHERE;
    door.observe?.({ endpoint, status: response.status, ms: systemStopwatch() - started });
    return request.method === "HEAD" ? new Response(null, response) : response;
  };
}

/** The endpoint of requests without a route. */
const NOWHERE: Endpoint = { method: "other", path: "unknown" };

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
