/**
 * Who can reach the service, and the protection that this requires: a sign-in, and TLS.
 *
 * @module
 */

import { ConfigError, UsageError } from "../../errors.ts";
import { isLoopbackHost } from "../../loopback.ts";
import { canonicalHost } from "./address.ts";

/** What decides who can reach the service. */
export interface Exposure {
  /** The address it listens on. */
  host: string;
  /** The engine of its database. Several machines can share a PostgreSQL. */
  engine: "sqlite" | "postgres";
  /** The proxies it trusts, as addresses and networks. They pass on requests of other machines. */
  proxies: readonly string[];
}

/** The protection against strangers. */
interface Protection {
  /** Whether people sign in. */
  signIn: boolean;
  /** Whether the service itself speaks TLS. */
  tls: boolean;
  /** The origin that browsers use, if it was given. */
  publicUrl?: string | undefined;
}

/** Whether only this machine can reach a host. */
export function isLocalHost(host: string): boolean {
  return isLoopbackHost(canonicalHost(host) ?? "");
}

/** Whether other machines can reach the service, so that people must sign in. */
export function needsSignIn({ host, engine, proxies }: Exposure): boolean {
  return !isLocalHost(host) || engine === "postgres" || proxies.length > 0;
}

/** Whether others on the network could read requests without TLS. */
export function needsTls({ host }: Exposure): boolean {
  return !isLocalHost(host);
}

/** The time to drain where a balancer can be, in seconds: two looks of most of them. */
const DRAIN_S = 5;

/**
 * How many seconds a service goes on answering when it is asked to stop, unless that was chosen: none
 * where no balancer can send it requests.
 */
export function usualDrain({ host, proxies }: Pick<Exposure, "host" | "proxies">): number {
  return isLocalHost(host) && proxies.length === 0 ? 0 : DRAIN_S;
}

/**
 * Refuses to start a service that anybody could use, or whose passwords others could read.
 *
 * @throws {ConfigError} with the reason, and the missing flags.
 * @throws {UsageError} for a public address without TLS.
 */
export function checkExposure(exposure: Exposure, protection: Protection): void {
  const { signIn, tls, publicUrl } = protection;
  const { host, engine, proxies } = exposure;
  const isOpen = !isLocalHost(host) || proxies.length > 0;
  const who = isOpen ? "other machines can reach the service there" : "others may share its data";
  const what = isLocalHost(host)
    ? engine === "postgres" ? "start the service on PostgreSQL" : "start the service behind a proxy"
    : `listen on ${host}`;
  if (needsSignIn(exposure) && !signIn) {
    throw new ConfigError(
      `Cannot ${what}: ${who}, and it asks for no password`,
      {
        hint: "Add --sign-in password, or --sign-in oidc=ISSUER for an OpenID Connect provider. " +
          "docs/operating.md shows each step.",
      },
    );
  }
  if (needsTls(exposure) && !tls && proxies.length === 0) {
    throw new ConfigError(
      `Cannot ${what}: without TLS, others on the network can read passwords and tokens`,
      {
        hint:
          "Add --tls-cert FILE and --tls-key FILE, or put a proxy with TLS in front of it and " +
          "add --trust-proxy ADDRESS. docs/operating.md shows each step.",
      },
    );
  }
  if (needsSignIn(exposure) && publicUrl?.startsWith("http:")) {
    throw new UsageError(
      `Cannot use the public address ${JSON.stringify(publicUrl)}: where people must sign in, ` +
        "it must be https",
      { hint: "Pass the https address of the proxy or of the service as --public-url." },
    );
  }
}
