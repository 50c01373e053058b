/**
 * Refuses requests of web pages. A page in a browser can send requests to this machine. Its
 * `Origin` shows that, or a foreign `Host` after DNS rebinding.
 *
 * @module
 */

import { isLoopbackHost } from "../../loopback.ts";
import { malformed, Refusal } from "../contract/errors.ts";
import { isForApps } from "./origins.ts";
import { canonicalHost, HOST, isAnyAddress, withoutDot } from "./address.ts";

/**
 * Accepts a request with an own host and without a foreign origin, and returns its address.
 *
 * @throws {Refusal} 400 for an invalid host, 421 for a foreign host, 403 for a foreign origin.
 */
export type Guard = (request: Request) => URL;

/** An IP address, in the URL parser's form. */
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/**
 * Makes a guard.
 *
 * @param hosts Accepted hosts besides loopback. With `0.0.0.0` or `::` among them every IP address
 * is accepted, since DNS rebinding needs a name.
 * @param isOpen Whether pages of an origin may use the addresses for apps.
 */
export function createGuard(
  hosts: readonly string[],
  isOpen: (origin: string) => boolean,
): Guard {
  const known = new Set(hosts.map((host) => canonicalHost(host)));
  const anyAddress = [...known].some((host) => host !== undefined && isAnyAddress(host));
  const isOurs = (host: string) =>
    isLoopbackHost(host) || known.has(host) || anyAddress && ADDRESS.test(host);
  return (request) => {
    const host = request.headers.get("Host");
    const url = host === null || HOST.test(host) ? URL.parse(request.url) : null;
    if (!url) {
      throw malformed("The Host header must be a host name or address, with an optional port");
    }
    const name = withoutDot(url.hostname);
    if (!isOurs(name)) throw foreignHost(name);
    const origin = request.headers.get("Origin");
    if (origin === null || origin === url.origin) return url;
    if (isForApps(url.pathname) && isOpen(origin)) return url;
    const hint = isForApps(url.pathname)
      ? `; start it with --allow-origin ${origin} to let apps there use it`
      : "";
    const message = `Web pages from ${origin} cannot use this service${hint}`;
    throw new Refusal(403, "authorization_error", message);
  };
}

function foreignHost(host: string): Refusal {
  const message =
    `This service does not accept the host ${host}; start it with --name ${host} to allow that`;
  return new Refusal(421, "invalid_request", message);
}
