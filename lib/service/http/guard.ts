/**
 * Refuses requests of web pages. A page in a browser can send requests to this machine. Its
 * `Origin` shows that, or a foreign `Host` after DNS rebinding.
 *
 * @module
 */

import { isLoopbackHost } from "../../loopback.ts";
import { malformed, Refusal } from "../contract/errors.ts";
import { isForApps } from "./origins.ts";
import { originOf, parsedPath } from "./sent_address.ts";
import { canonicalHost, HOST, isAnyAddress, withoutDot } from "./address.ts";

/**
 * Accepts a request with an own host and without a foreign origin, and returns its path.
 *
 * @throws {Refusal} 400 for an invalid host, 421 for a foreign host, 403 for a foreign origin.
 */
export type Guard = (request: Request) => string;

/** An IP address, in the URL parser's form. */
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/**
 * Makes a guard.
 *
 * @param hosts Accepted hosts besides loopback. With `0.0.0.0` or `::` among them every IP address
 * is accepted, since DNS rebinding needs a name.
 * @param isOpen Whether pages of an origin may use the addresses for apps.
 * @param publicUrl The address that browsers use. A proxy may leave out its port in `Host`.
 */
export function createGuard(
  hosts: readonly string[],
  isOpen: (origin: string) => boolean,
  publicUrl?: string,
): Guard {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const known = new Set(hosts.map((host) => canonicalHost(host)));
  const anyAddress = [...known].some((host) => host !== undefined && isAnyAddress(host));
  const isOurs = (host: string) =>
    isLoopbackHost(host) || known.has(host) || anyAddress && ADDRESS.test(host);
  // The addresses that were accepted last, each with its `Host` header.
  const accepted = new Map<string, string | null>();
  const checkHost = ({ headers, url }: Request): void => {
    const host = headers.get("host");
    const address = originOf(url);
    if (accepted.get(address) === host) return;
    const parsed = host === null || HOST.test(host) ? URL.parse(url) : null;
    if (!parsed) {
      throw malformed("The Host header must be a host name or address, with an optional port");
    }
    const name = withoutDot(parsed.hostname);
    if (!isOurs(name)) throw foreignHost(name);
    if (accepted.size >= MOST_ACCEPTED) accepted.clear();
    accepted.set(address, host);
  };
  return (request) => {
    checkHost(request);
    const path = parsedPath(request.url);
    const origin = request.headers.get("origin");
    if (origin === null || origin === own || origin === new URL(request.url).origin) return path;
    if (isForApps(path) && isOpen(origin)) return path;
    throw foreignOrigin(origin, path);
  };
}

/** The number of accepted addresses that are remembered. */
const MOST_ACCEPTED = 64;

function foreignOrigin(origin: string, path: string): Refusal {
  const hint = isForApps(path)
    ? `; start it with --allow-origin ${origin} to let apps there use it`
    : /^https?:/.test(origin)
    ? `; if that is its own address, start it with --public-url ${origin}`
    : "";
  const message = `Web pages from ${origin} cannot use this service${hint}`;
  return new Refusal(403, "authorization_error", message);
}

function foreignHost(host: string): Refusal {
  const message =
    `This service does not accept the host ${host}; start it with --name ${host} to allow that`;
  return new Refusal(421, "invalid_request", message);
}
