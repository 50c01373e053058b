/**
 * Every operation of the two ledgers, and which of them a request is for.
 *
 * @module
 */

import api from "../operations.json" with { type: "json" };
import simulator from "../simulator.json" with { type: "json" };

/** The operations as method and path from the service's root, with names of values in braces. */
export const operations: readonly string[] = [
  ...api.map(([, method, path = ""]) => `${method} ${rooted(path)}`),
  ...simulator.map(([, method, path]) => `${method} ${path}`),
];

/** Fixed words come first, since a word fits a value, too. */
const patterns = operations.toSorted((a, b) => a.split("{").length - b.split("{").length)
  .map((place) => ({ place, pattern: new RegExp(`^${place.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }));

/** The operation that a request is for. */
export function operationOf({ method, url }: Request): string | undefined {
  const sent = `${method} ${new URL(url).pathname}`;
  return patterns.find(({ pattern }) => pattern.test(sent))?.place;
}

/** The path of an operation of the API, from the service's root. */
function rooted(path: string): string {
  if (/^\/(v1|rcbilling)\//.test(path)) return path;
  return path === "/projects" || path.startsWith("/projects/")
    ? `/v2${path}`
    : `/v2/projects/{project_id}${path}`;
}
