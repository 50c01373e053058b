/**
 * The guard before every address that the service connects to on somebody's behalf. It judges the
 * URL as it is written and each address that its name leads to, and connects to no other address
 * than those: a name that leads elsewhere a moment later gains nothing by it.
 *
 * @module
 */

import { type AddressUse, isAddress, useOf } from "./addresses.ts";
import {
  type Connection,
  connectTo,
  connectUnverified,
  type Network,
  systemNetwork,
} from "./connect.ts";

/**
 * Where webhooks may go: to the Internet only; to this machine besides; to this machine and private
 * networks besides. Only local addresses may do without HTTPS or with a certificate that proves
 * nothing.
 */
export type TargetPolicy = "public" | "loopback" | "private";

/** A part of connecting: finding the addresses, reaching one, agreeing on keys. */
type ConnectStep = "resolve" | "connect" | "secure";

/** An open connection to a target. */
interface TargetConnection extends Connection {
  /** The address at its other end. */
  readonly address: string;
}

/** How to connect. */
interface OpenOptions {
  /** Ends the attempt, and the connection whenever it fires. */
  signal: AbortSignal;
  /** Told when a part is done. */
  done?(step: ConnectStep): void;
}

/** The guard. */
export interface Targets {
  /** Which targets it lets pass. */
  readonly policy: TargetPolicy;
  /**
   * Judges a URL by its text alone.
   *
   * @throws {TargetError} of the kind `forbidden`.
   */
  check(url: string): URL;
  /**
   * Judges a URL, finds its addresses, judges all of them, and connects to one.
   *
   * @throws {TargetError} `forbidden` where the guard says no, `unreachable` where nobody answers.
   */
  open(url: string, options: OpenOptions): Promise<TargetConnection>;
  /**
   * Makes sure that somebody answers at a URL: connects, agrees on keys, and hangs up.
   *
   * @throws {TargetError} as `open` does; `unreachable` after the time limit of a probe.
   */
  probe(url: string): Promise<void>;
}

/** How a guard may differ. */
interface TargetOptions {
  /** The way out of this machine. Default: the machine's network. */
  network?: Network | undefined;
  /** How long a probe waits, in milliseconds. Default: 10 seconds. */
  probeMs?: number | undefined;
}

/** A target that cannot be used. The message says why, after "the URL". */
export class TargetError extends Error {
  /** Whether the guard forbids it, or nobody answers there. */
  readonly kind: "forbidden" | "unreachable";

  /** Builds the error from its kind and what is wrong. */
  constructor(kind: "forbidden" | "unreachable", message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "TargetError";
    this.kind = kind;
  }
}

/** The longest URL, in characters. */
export const LONGEST_URL = 5000;

/** Names that lead nowhere, or only where they are used (RFC 2606, 6761, 6762, 8375, 9476). */
const RESERVED_NAMES = [
  "alt",
  "arpa",
  "example",
  "example.com",
  "example.net",
  "example.org",
  "internal",
  "invalid",
  "local",
  "localhost",
  "onion",
  "test",
];

/** What a policy allows besides the Internet. */
const LOCAL: Readonly<Record<TargetPolicy, { uses: AddressUse[]; names: string[] }>> = {
  public: { uses: [], names: [] },
  loopback: { uses: ["loopback"], names: ["localhost"] },
  private: {
    uses: ["loopback", "private"],
    names: ["localhost", "local", "internal", "home.arpa"],
  },
};

/** Makes a guard. */
export function createTargets(policy: TargetPolicy, options: TargetOptions = {}): Targets {
  const { network = systemNetwork, probeMs = 10_000 } = options;
  const open = async (text: string, { signal, done = () => {} }: OpenOptions) => {
    const url = checkUrl(text, policy);
    const addresses = await findAddresses(url, network, signal);
    // One bad address among good ones is how a name slips past a guard.
    for (const address of addresses) checkAddress(address, url, policy);
    done("resolve");
    const connection = await reach(url, addresses, { policy, network, signal, done });
    if (url.protocol === "https:") done("secure");
    return connection;
  };
  return {
    policy,
    check: (url) => checkUrl(url, policy),
    open,
    async probe(url) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), probeMs);
      try {
        (await open(url, { signal: limit.signal })).close();
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function checkUrl(text: string, policy: TargetPolicy): URL {
  if (text.length > LONGEST_URL) throw forbidden(`must have at most ${LONGEST_URL} characters`);
  // The parser would drop or turn these, and the URL would not be what it looks like.
  if (/[\s\p{C}\\]/u.test(text)) throw forbidden("must not contain spaces or backslashes");
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url || (policy === "public" && url.protocol !== "https:")) {
    const local = policy === "public" ? "" : ", or with http:// for a local address";
    throw forbidden(`must begin with https://${local}`);
  }
  if (url.username || url.password) throw forbidden("must not contain a user name or password");
  if (url.port === "0") throw forbidden("must not have the port 0");
  const host = hostOf(url);
  if (isAddress(host)) checkAddress(host, url, policy);
  else checkName(host, policy);
  return url;
}

/** The name or address in a URL, in its plain form. The parser has undone all other notations. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** Refuses a name that is reserved, or that the Internet cannot know. */
function checkName(name: string, policy: TargetPolicy): void {
  const labels = name.split(".");
  const isLabel = (label: string) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label);
  if (name.length > 253 || !labels.every(isLabel)) throw forbidden("must name a host");
  const isIn = (names: readonly string[]) =>
    names.some((one) => name === one || name.endsWith(`.${one}`));
  if (isIn(LOCAL[policy].names)) return;
  if (isIn(RESERVED_NAMES)) throw forbidden(`must not use the reserved host ${name}`);
  if (labels.length === 1 && policy !== "private") {
    throw forbidden("must have a full domain name");
  }
}

/** Refuses an address that the policy does not allow, and plain HTTP to one that is not local. */
function checkAddress(address: string, url: URL, policy: TargetPolicy): void {
  if (isLocal(address, policy)) return;
  // The address is not told: it may be one that only our resolver knows.
  if (useOf(address) !== "public") {
    throw forbidden("must not resolve to a local or reserved address");
  }
  if (url.protocol !== "https:") {
    throw forbidden("must begin with https:// unless the address is local");
  }
}

/** Whether an address is one that the policy allows besides public ones. */
function isLocal(address: string, policy: TargetPolicy): boolean {
  return LOCAL[policy].uses.includes(useOf(address));
}

/** All addresses of a URL's host. */
async function findAddresses(
  url: URL,
  network: Network,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostOf(url);
  if (isAddress(host)) return [host];
  const nobody = "cannot be reached: its host name has no address";
  try {
    const addresses = await untilAborted(network.resolve(host), signal);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    throw unreachable(signal, nobody, error);
  }
  throw unreachable(signal, nobody);
}

/** How many of a host's addresses are tried. */
const MOST_ADDRESSES = 4;

/** Connects to the first address that answers. */
async function reach(
  url: URL,
  addresses: readonly string[],
  { policy, network, signal, done }: {
    policy: TargetPolicy;
    network: Network;
    signal: AbortSignal;
    done(step: ConnectStep): void;
  },
): Promise<TargetConnection> {
  const secure = url.protocol === "https:";
  const port = Number(url.port) || (secure ? 443 : 80);
  const connected = () => done("connect");
  let failure: unknown;
  for (const address of addresses.slice(0, MOST_ADDRESSES)) {
    try {
      const connection = secure && isLocal(address, policy)
        ? await connectUnverified({ address, port, signal, connected })
        : await connectTo(network, {
          address,
          port,
          tlsName: secure ? hostOf(url) : undefined,
          signal,
          connected,
        });
      return { ...connection, address };
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    }
  }
  const why = failure instanceof Error ? failure.message : String(failure);
  throw unreachable(signal, `cannot be reached: ${why}`, failure);
}

/** Waits no longer than the signal lets it. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function forbidden(message: string): TargetError {
  return new TargetError("forbidden", message);
}

function unreachable(signal: AbortSignal, message: string, cause?: unknown): TargetError {
  const late = signal.aborted ? "cannot be reached: it did not respond in time" : message;
  return new TargetError("unreachable", late, cause);
}
