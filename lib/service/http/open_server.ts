/**
 * Answers requests to addresses that need no credential.
 *
 * @module
 */

import { type Answerer, type Door, type Found, mount } from "./mount.ts";
import { refuse, type Reporter } from "./respond.ts";

/** A route that needs no credential. */
export interface OpenRoute {
  /** The HTTP method. */
  readonly method: string;
  /** The path from the root. */
  readonly path: string;
  /** Answers a request. */
  answer(found: Found): Promise<Response> | Response;
  /** Checks a request before a 405. */
  greet?(request: Request): void;
  /**
   * Turns an error into a response, and reports internal errors. Default: in the form of the API.
   */
  refuse?(error: unknown, request: Request, reporter: Reporter): Response;
}

/** Routes for GET and HEAD at one address. */
export function readable(path: string, answer: OpenRoute["answer"]): OpenRoute[] {
  return ["GET", "HEAD"].map((method) => ({ method, path, answer }));
}

/** Makes the function that answers requests. */
export function createOpenServer(
  routes: readonly OpenRoute[],
  reporter: Reporter & Pick<Door<OpenRoute>, "observe">,
): Answerer {
  return mount(routes, {
    endpointOf: (route) => route,
    // A HEAD would show the consent page to nobody.
    answersHead: false,
    greet: (request, beside) => beside?.greet?.(request),
    answer: (route, found) => route.answer(found),
    refuse: (error, request, route) =>
      route?.refuse?.(error, request, reporter) ?? refuse(error, reporter),
    observe: reporter.observe,
  });
}
