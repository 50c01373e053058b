/**
 * Injected faults of requests: errors, delays and disconnects. They are in memory only; a restart
 * clears them.
 *
 * @module
 */

import { z } from "zod";
import type { Later } from "../clock.ts";
import { type ErrorType, Refusal } from "../contract/errors.ts";
import { SDK_CODE } from "../contract/sdk.ts";

/** The injected faults of requests to the API. */
export interface RequestFaults {
  /** The pending faults. */
  list(): readonly Fault[];
  /** Adds a fault. */
  add(fault: Fault): void;
  /** Removes all faults. */
  clear(): void;
  /** Applies a fault to a request, or passes it on. */
  meet(request: Request, pass: () => Promise<Response>): Promise<Response>;
}

/** A new fault. */
export const newFault = z.strictObject({
  method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
  path: z.string().startsWith("/", "must begin with /")
    .refine(isPath, "must be a request path, without a query")
    .refine(
      (path) => !path.startsWith("/_sim/"),
      "must not begin with /_sim/, which has no faults",
    ).refine(
      isServed,
      "must begin with /v2/, /v1/, /oauth2/ or another path of the service, in lower case",
    ).optional(),
  count: z.int().min(1).max(1_000_000).default(1),
  status: z.int().min(400).max(599).optional(),
  retry_after_s: z.int().min(0).max(86_400).optional(),
  delay_ms: z.int().min(0).max(600_000).optional(),
  cut: z.enum(["before", "after"]).optional(),
}).refine(
  ({ status, delay_ms, cut }) => [status, delay_ms, cut].some((one) => one !== undefined),
  "must have status, delay_ms or cut",
).refine(
  // Before the effect there is no answer; after it, the answer is that of the effect.
  ({ status, cut }) => status === undefined || cut === undefined,
  "must not have both status and cut: a cut response has no status",
);

/** A fault, with the requests that it applies to. */
export type Fault = z.infer<typeof newFault>;

const TYPES: Readonly<Record<number, ErrorType>> = {
  401: "authentication_error",
  403: "authorization_error",
  404: "resource_missing",
  409: "resource_already_exists",
  422: "unprocessable_entity_error",
  423: "resource_locked_error",
  429: "rate_limit_error",
};

/** Creates the store of faults. */
export function createRequestFaults(later: Later): RequestFaults {
  let faults: Fault[] = [];
  return {
    list: () => faults,
    add(fault) {
      faults.push(fault);
    },
    clear() {
      faults = [];
    },
    async meet(request, pass) {
      const fault = faults.find((one) => concerns(one, request));
      if (!fault) return await pass();
      if (--fault.count === 0) faults = faults.filter((one) => one !== fault);
      const { delay_ms, cut, status } = fault;
      if (delay_ms !== undefined) await new Promise<void>((go) => later(delay_ms, go));
      if (cut === "before") return cutOff();
      if (status !== undefined) return refused(request, status, fault.retry_after_s);
      const response = await pass();
      return cut === "after" ? cutOff() : response;
    },
  };
}

/** Whether requests can have this path. A pattern that matches no route would never apply. */
function isPath(path: string): boolean {
  return URL.parse(`http://service${path}`)?.pathname === path;
}

/** The paths of the routes, by first segment. */
const ROOTS = ["v1", "v2", "rcbilling", "oauth2", ".well-known", "health", "openapi.json"];

/** Whether a route could have this path. */
function isServed(path: string): boolean {
  const [, root = ""] = path.split("/");
  return root.includes("*") || ROOTS.includes(root);
}

/** Whether a fault is for a request. In its path, `*` stands for a segment and `**` for any number. */
function concerns({ method, path }: Fault, request: Request): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  const pattern = RegExp.escape(path).replaceAll("\\*\\*", ".*").replaceAll("\\*", "[^/]*");
  return new RegExp(`^${pattern}$`).test(new URL(request.url).pathname);
}

/** An error in the form of the requested address. */
function refused(request: Request, status: number, retryAfter: number | undefined): Response {
  const { pathname } = new URL(request.url);
  const message = "This error was set under /_sim/faults";
  const type = TYPES[status] ?? (status < 500 ? "invalid_request" : "server_error");
  const body = /^\/(v1|rcbilling)\//.test(pathname)
    ? { code: SDK_CODE.internal_error, message }
    : pathname.startsWith("/oauth2/")
    ? { error: status < 500 ? "invalid_request" : "server_error", error_description: message }
    : new Refusal(status, type, message).body;
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  return Response.json(body, { status, headers });
}

/**
 * A truncated answer: it is shorter than its announced length.
 *
 * Gap: a connection cannot be closed before the head of the answer.
 */
function cutOff(): Response {
  const body = new Blob(["{"]).stream();
  return new Response(body, {
    headers: { "Content-Type": "application/json", "Content-Length": "1000" },
  });
}
