/**
 * The host names and addresses of the service, in one canonical form.
 *
 * @module
 */

import { ConfigError, UsageError } from "../../errors.ts";
import { fileReason } from "../../file_reason.ts";

/** The wildcard addresses. */
const ANY = new Set(["0.0.0.0", "[::]"]);

/**
 * The form of a valid Host header. The URL parser would read a path or a user name in other text.
 */
export const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/**
 * A host as a URL has it: lower case, IPv6 in brackets and shortened, without the dot at the end of a
 * full name; undefined if it is none.
 */
export function canonicalHost(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const text = bare.includes(":") ? `[${bare}]` : bare;
  const url = HOST.test(text) ? URL.parse(`http://${text}/`) : null;
  return url ? withoutDot(url.hostname) : undefined;
}

/** A host name without the dot at its end, which names the same host. */
export function withoutDot(hostname: string): string {
  return hostname.replace(/(?<=.)\.$/, "");
}

/** Whether a host, in its canonical form, is a wildcard address. */
export function isAnyAddress(host: string): boolean {
  return ANY.has(host);
}

/**
 * All accepted hosts besides loopback.
 *
 * @param hostname Reads the name of this machine. Default: the system's.
 * @throws {UsageError} for an invalid name.
 */
export function hostsOf(
  { host, names = [] }: { host: string; names?: readonly string[] | undefined },
  hostname: () => string = Deno.hostname,
): string[] {
  for (const name of names) {
    if (canonicalHost(name) !== undefined) continue;
    throw new UsageError(
      `Cannot name the service ${JSON.stringify(name)}: it is not a valid host name`,
      {
        hint: "Pass a name without scheme and port, such as --name my-laptop.local",
      },
    );
  }
  const everywhere = isAnyAddress(canonicalHost(host) ?? "");
  return [host, ...names, ...everywhere ? ownNames(hostname) : []];
}

/** This machine's names on its network. */
function ownNames(hostname: () => string): string[] {
  try {
    const name = hostname();
    return [name, `${name}.local`];
  } catch {
    // Without the permission to read the host name, only `--name` adds names.
    return [];
  }
}

/** The error for an address that cannot be listened on. */
export function cannotListen(host: string, port: number, error: unknown): ConfigError {
  const what = `Cannot listen on ${addressFor(host, port).slice("http://".length)}`;
  if (error instanceof Deno.errors.AddrInUse) {
    const hint = "Pass another --port, or --port 0 for any free port.";
    return new ConfigError(`${what}: the port is in use`, { hint, cause: error });
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    const hint = "Pass a --port above 1023, or --port 0 for any free port.";
    return new ConfigError(`${what}: the system does not allow this port`, { hint, cause: error });
  }
  // A name that leads to no address has no class of its own.
  const isUnknown = error instanceof Deno.errors.AddrNotAvailable ||
    error instanceof Error && /lookup/.test(error.message);
  if (!isUnknown) return new ConfigError(`${what}: ${fileReason(error)}`, { cause: error });
  const hint = "Pass an address of this machine as --host: 127.0.0.1 for this machine only, " +
    "0.0.0.0 for its networks as well.";
  return new ConfigError(`${what}: this machine has no such address`, { hint, cause: error });
}

/** The address under which this machine reaches a host: `0.0.0.0` and `::` are none themselves. */
export function addressFor(host: string, port: number, scheme: "http" | "https" = "http"): string {
  const name = canonicalHost(host) ?? host;
  const own = name === "0.0.0.0" ? "127.0.0.1" : name === "[::]" ? "[::1]" : name;
  return `${scheme}://${own}:${port}`;
}

/**
 * The origin of the service's public address.
 *
 * @throws {UsageError} when it is no http or https address, or has a path.
 */
export function publicOrigin(address: string): string {
  const url = URL.parse(address);
  if (url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(address)) {
    return url.origin;
  }
  throw new UsageError(
    `Cannot use the public address ${JSON.stringify(address)}: it must be a scheme and a host, ` +
      "such as https://subscriptions.example.com",
  );
}
