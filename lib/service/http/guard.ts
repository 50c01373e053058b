/**
 * Keeps web pages away. A page that a browser shows can send requests to this machine; it is told by
 * its `Origin`, and by a `Host` that only a rebound name can have.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";

/** What the guard needs to know of the server. */
export interface GuardOptions {
  /** Host names, besides loopback, under which the service may be addressed. */
  hosts: readonly string[];
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Lets a request pass if it is addressed to us and no other site's page sends it.
 *
 * @throws {Refusal} 421 for a foreign host, 403 for a foreign origin.
 */
export function checkCaller(request: Request, { hosts }: GuardOptions): void {
  const url = new URL(request.url);
  if (!LOOPBACK.test(url.hostname) && !hosts.includes(url.hostname)) {
    const message = `This service is not ${url.hostname}; start it with --host to be called that`;
    throw new Refusal(421, "invalid_request", message);
  }
  const origin = request.headers.get("Origin");
  if (origin !== null && origin !== url.origin) {
    const message = `Pages of ${origin} cannot use this service`;
    throw new Refusal(403, "authorization_error", message);
  }
}
