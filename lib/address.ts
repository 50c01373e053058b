/**
 * Addresses of a service: validity, equality and safety.
 *
 * @module
 */

import { UsageError } from "./errors.ts";
import { isLoopbackHost } from "./loopback.ts";

/** The default address of the service: the local service. */
export const DEFAULT_BASE_URL = "http://127.0.0.1:4010";

/**
 * A service's address in canonical form: without a slash at its end, and without the version that
 * paths already contain.
 */
export function serviceAddress(text: string): string {
  return (URL.parse(text)?.href ?? text).replace(/\/+$/, "").replace(/\/v2$/, "");
}

/**
 * An address as a client uses it.
 *
 * @throws {UsageError} when it is not an `http` or `https` URL, or contains a password.
 */
export function checkedBaseUrl(text: string): string {
  const url = URL.parse(text);
  const hint = "Set CLI_BASE_URL to an address such as http://127.0.0.1:4010.";
  if (url?.username || url?.password) {
    throw new UsageError("Cannot use an address that contains a user name or a password", {
      hint,
    });
  }
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new UsageError(`Cannot use ${JSON.stringify(text)} as the service's address`, { hint });
  }
  return serviceAddress(url.href);
}

/** Whether an address is on this machine. */
export function isLoopback(address: string): boolean {
  const host = URL.parse(address)?.hostname.replace(/\.$/, "") ?? "";
  return isLoopbackHost(host) || host.endsWith(".localhost");
}

/**
 * Refuses addresses where a token could be read on the way.
 *
 * @throws {UsageError} when the token would go over plain HTTP to another machine.
 */
export function refuseInsecure(address: string, allowed: boolean | undefined): void {
  const url = new URL(address);
  if (allowed || url.protocol === "https:" || isLoopback(address)) return;
  throw new UsageError(
    `Cannot send a token to ${url.origin}: without HTTPS it can be read on the way`,
    {
      hint:
        "Use an address that begins with https://, or pass --allow-insecure-host if you trust " +
        "the network.",
    },
  );
}
