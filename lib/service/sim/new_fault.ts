/**
 * The body that adds a fault of requests.
 *
 * @module
 */

import { z } from "zod";

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
