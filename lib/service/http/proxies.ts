/**
 * Requests that come through a proxy. Only the proxies that were named at the start are trusted to
 * give the address and the scheme of a client.
 *
 * @module
 */

import { BlockList, isIP } from "node:net";
import { UsageError } from "../../errors.ts";
import { Refusal } from "../contract/errors.ts";
import { canonicalHost, isAnyAddress } from "./address.ts";
import { hasSecret } from "./admin_secret.ts";
import { isLocalHost } from "./exposure.ts";
import type { Answerer } from "./mount.ts";
import { respond } from "./respond.ts";

/** How requests reach the service. */
interface Passage {
  /** The trusted proxies: addresses and networks such as `10.0.0.0/8`. */
  proxies: readonly string[];
  /** The address that the service listens on. */
  host: string;
  /** Whether requests must come over TLS, to this service or to a proxy. */
  onlyTls: boolean;
  /** The secret that opens the metrics alone, also without TLS. Default: none. */
  metricsSecret?: string | undefined;
}

/** The addresses that answer without TLS: a load balancer checks the service's health there. */
const OPEN: readonly string[] = ["/health", "/health/live", "/health/ready"];

/** The address of the metrics. */
const METRICS = "/metrics";

/**
 * Reads the headers of trusted proxies, and refuses requests without TLS where it is required.
 * Requests of this machine do not need it, nor do those for the metrics with their own secret.
 *
 * @throws {UsageError} when a proxy is neither an address nor a network, or clients are in it, too.
 */
export function throughProxies(passage: Passage): (answer: Answerer) => Answerer {
  const isTrusted = createTrust(passage.proxies);
  return (answer) => async (request, peer = "") => {
    const trusted = isTrusted(peer);
    const sender = trusted ? senderOf(request, peer, isTrusted) : peer;
    const seen = trusted && isSecure(request) ? overTls(request) : request;
    // A proxy on this machine forwards others' requests, even where the service listens on loopback.
    const mustBeSafe = passage.onlyTls || trusted && isForwarded(request);
    if (mustBeSafe && !mayPass(seen, trusted, peer, passage)) {
      const refusal = withoutTls();
      return respond(JSON.stringify(refusal.body), refusal.status);
    }
    return await answer(seen, sender);
  };
}

/** Whether a request may be answered as it came. */
function mayPass(
  request: Request,
  trusted: boolean,
  peer: string,
  { host, metricsSecret }: Passage,
): boolean {
  const url = URL.parse(request.url);
  // The guard refuses a request with an invalid Host header, and says why.
  if (!url) return true;
  const { protocol, pathname } = url;
  if (protocol === "https:" || OPEN.includes(pathname)) return true;
  // The admin secret must not travel in the open: it opens everything.
  if (pathname === METRICS && metricsSecret && hasSecret(request, [metricsSecret])) return true;
  return !trusted && (isLocalHost(plain(peer)) || plain(peer) === plain(host));
}

function withoutTls(): Refusal {
  const message = "This service answers over TLS only; use its https address";
  return new Refusal(403, "authorization_error", message);
}

/** Makes the check whether an address is a trusted proxy's. */
function createTrust(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = "", length, more] = proxy.split("/");
    const version = isIP(address);
    const longest = version === 6 ? 128 : 32;
    const bits = length === undefined ? longest : /^\d{1,3}$/.test(length) ? Number(length) : -1;
    if (version === 0 || more !== undefined || bits < 0 || bits > longest) {
      throw untrusted(proxy, "it is neither an IP address nor a network such as 10.0.0.0/8");
    }
    if (isAnyAddress(canonicalHost(address) ?? "") && bits === longest) {
      throw untrusted(proxy, "no request comes from this address");
    }
    if (isTooWide(address, bits)) {
      throw untrusted(
        proxy,
        "clients are in this network, too, and each could claim another address and TLS",
      );
    }
    list.addSubnet(address, bits, version === 6 ? "ipv6" : "ipv4");
  }
  return (address) => {
    const bare = plain(address);
    const version = isIP(bare);
    return version !== 0 && list.check(bare, version === 6 ? "ipv6" : "ipv4");
  };
}

function untrusted(proxy: string, why: string): UsageError {
  return new UsageError(`Cannot trust the proxy ${JSON.stringify(proxy)}: ${why}`, {
    hint: "Pass the address of each proxy, or a network that only proxies are in, such as " +
      "--trust-proxy 10.0.0.5 or --trust-proxy 10.0.0.0/24",
  });
}

/** How long a network's part of an address must be: 10.0.0.0/8 and fc00::/7 are the widest private ones. */
const SHORTEST = { ipv4: 8, ipv6: 7 };

/** The IPv4 addresses that are written as IPv6. A network of those also has the IPv4 addresses. */
const MAPPED = { start: "::ffff:0:0", bits: 96 };

/** Whether a network is wider than any that only proxies can be in. */
function isTooWide(address: string, bits: number): boolean {
  if (isIP(address) === 4) return bits < SHORTEST.ipv4;
  const mapped = new BlockList();
  mapped.addSubnet(MAPPED.start, MAPPED.bits, "ipv6");
  if (mapped.check(address, "ipv6")) return bits < MAPPED.bits + SHORTEST.ipv4;
  const network = new BlockList();
  network.addSubnet(address, bits, "ipv6");
  return bits < SHORTEST.ipv6 || network.check(MAPPED.start, "ipv6");
}

/** An address without brackets and port; an IPv4 address that is written as IPv6, as IPv4. */
function plain(address: string): string {
  return address.trim().replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d[\d.]+):\d+$/, "$1")
    .replace(/^::ffff:(?=\d+\.)/i, "");
}

/**
 * The address that a request comes from: the last one in the list that no trusted proxy has. The
 * sender may have invented the addresses before it.
 */
function senderOf(
  request: Request,
  peer: string,
  isTrusted: (address: string) => boolean,
): string {
  const named = (request.headers.get("X-Forwarded-For") ?? "").split(",").map(plain);
  const last = named.findLast((address) => !isTrusted(address)) ?? named[0] ?? "";
  return isIP(last) === 0 ? peer : last;
}

/** Whether a proxy forwards a request of another machine. */
function isForwarded({ headers }: Request): boolean {
  return headers.has("X-Forwarded-For") || headers.has("X-Forwarded-Proto");
}

/** Whether the nearest proxy received the request over TLS. */
function isSecure(request: Request): boolean {
  const last = (request.headers.get("X-Forwarded-Proto") ?? "").split(",").at(-1);
  return last?.trim().toLowerCase() === "https";
}

/** Gives a request the address that its sender used. The object stays the same, for its body. */
function overTls(request: Request): Request {
  return Object.defineProperty(request, "url", { value: request.url.replace(/^http:/, "https:") });
}
