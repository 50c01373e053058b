/**
 * Addresses of a service: which can be one, which are the same, and which are safe to send to.
 *
 * @module
 */

import { ConfigError } from "./errors.ts";

/**
 * A service's address in the one spelling by which two are compared: without a slash at its end, and
 * without the version that paths bring themselves.
 */
export function serviceAddress(text: string): string {
  return (URL.parse(text)?.href ?? text).replace(/\/+$/, "").replace(/\/v2$/, "");
}

/**
 * An address as a client uses it.
 *
 * @throws {ConfigError} when it is not an `http` or `https` URL, or holds a password.
 */
export function checkedBaseUrl(text: string): string {
  const url = URL.parse(text);
  const hint = "Give an address such as http://127.0.0.1:4010 in CLI_BASE_URL.";
  if (url?.username || url?.password) {
    throw new ConfigError("Cannot use an address that holds a name or password", { hint });
  }
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new ConfigError(`Cannot use ${JSON.stringify(text)} as the service's address`, { hint });
  }
  return serviceAddress(url.href);
}

/** Whether an address is on this machine. */
export function isLoopback(address: string): boolean {
  const { hostname } = URL.parse(address) ?? {};
  return hostname !== undefined &&
    /^(127(\.\d+){3}|\[::1\]|([^.]+\.)*localhost)\.?$/.test(hostname);
}

/**
 * Makes sure that nobody on the way can read a token.
 *
 * @throws {ConfigError} when it would go over plain HTTP to another machine.
 */
export function refuseInsecure(address: string, allowed: boolean | undefined): void {
  const url = new URL(address);
  if (allowed || url.protocol === "https:" || isLoopback(address)) return;
  throw new ConfigError(
    `Cannot send a token to ${url.origin}: without HTTPS everybody on the way can read it`,
    {
      hint:
        "Use an address that begins with https://, or pass --allow-insecure-host if you trust " +
        "the network.",
    },
  );
}
