/**
 * The parts of a request's address. Most are the same as they were sent, and need no parser.
 *
 * @module
 */

/** Where the path of an address begins: behind its scheme, its host and its port. */
function pathStart(url: string): number {
  const at = url.indexOf("/", url.indexOf("//") + 2);
  return at < 0 ? url.length : at;
}

/** The scheme, the host and the port of an address, as they were sent. */
export function originOf(url: string): string {
  return url.slice(0, pathStart(url));
}

/** The path of an address, encoded as it was sent. */
export function sentPath(url: string): string {
  const rest = url.slice(pathStart(url));
  const end = rest.search(/[?#]/);
  return end < 0 ? rest : rest.slice(0, end);
}

/** The query of an address with its question mark, as it was sent; empty without any. */
export function sentQuery(url: string): string {
  const at = url.indexOf("?", pathStart(url));
  return at < 0 ? "" : url.slice(at);
}

/**
 * Paths in which a parser changes nothing: it would remove segments of dots, and encode other signs.
 */
const PLAIN = /^\/[\w\-/$:@+,!*~=]*$/;

/** The path of an address as a parser gives it. */
export function parsedPath(url: string): string {
  const path = sentPath(url);
  return PLAIN.test(path) ? path : new URL(url).pathname;
}

/** The path and the query of an address as a parser gives them. */
export function parsedPathAndQuery(url: string): string {
  const rest = url.slice(pathStart(url));
  if (PLAIN.test(rest)) return rest;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
