/**
 * The guard before every address that the service connects to on somebody's behalf. It judges the
 * URL as it is written and each address that its name leads to, and connects to no other address
 * than those: a name that leads elsewhere a moment later gains nothing by it.
 *
 * @module
 */

import { isAddress } from "./addresses.ts";
import type { Connection, Network } from "./connect.ts";
import {
  createIdle,
  type IdleConnections,
  type IdleTime,
  reusable,
  type ReusableConnection,
} from "./idle.ts";
import {
  checkAddress,
  checkUrl,
  hostOf,
  isLocal,
  TargetError,
  type TargetPolicy,
} from "./judge.ts";

/** A part of connecting: finding the addresses, reaching one, agreeing on keys. */
type ConnectStep = "resolve" | "connect" | "secure";

/** An open connection to a target. */
interface TargetConnection extends Connection {
  /** The address at its other end. */
  readonly address: string;
  /** Whether it has had a request before: the other end may have closed it meanwhile. */
  readonly reused: boolean;
  /** Keeps it for the next request of the same user, in place of closing it. */
  keep(ms: number): void;
}

/** How to connect. */
interface OpenOptions {
  /** Ends the attempt, and the connection whenever it fires. */
  signal: AbortSignal;
  /** Told when a part is done. */
  done?(step: ConnectStep): void;
  /**
   * Whose connections may be used again: nobody else gets them. Without it the connection is new.
   * The URL's addresses are found and judged all the same, and the connection leads to one of them.
   */
  user?: string | undefined;
  /** Connects anew, even if one of the user's connections waits. */
  isNew?: boolean | undefined;
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
  /** Closes the connections that wait for their next request. */
  close(): void;
}

/** How a guard may differ. */
interface TargetOptions {
  /** The way out of this machine. Default: the machine's network. */
  network?: Network | undefined;
  /** How long a probe waits, in milliseconds. Default: 10 seconds. */
  probeMs?: number | undefined;
  /** Ends the waits of connections for their next request. Without it, none waits. */
  time?: IdleTime | undefined;
}

/** So many URLs are remembered as good. What a URL's text says does not change. */
const MOST_JUDGED = 1000;

/** Makes a guard. */
export function createTargets(policy: TargetPolicy, options: TargetOptions = {}): Targets {
  const { probeMs = 10_000 } = options;
  const idle = createIdle(options.time);
  const judged = new Map<string, URL>();
  const check = (text: string): URL => {
    const url = judged.get(text) ?? checkUrl(text, policy);
    if (judged.size >= MOST_JUDGED) judged.clear();
    judged.set(text, url);
    return url;
  };
  const open = async (
    text: string,
    { signal, done = () => {}, user, isNew = false }: OpenOptions,
  ) => {
    const url = check(text);
    const { network = (connecting ??= await import("./connect.ts")).systemNetwork } = options;
    const addresses = await findAddresses(url, network, signal);
    // One bad address among good ones is how a name slips past a guard.
    for (const address of addresses) checkAddress(address, url, policy);
    done("resolve");
    const waiting = isNew ? undefined : waitingFor(url, addresses, { idle, user, signal });
    return waiting ??
      await reach(url, addresses, { policy, network, signal, done, idle, user });
  };
  return {
    policy,
    check,
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
    close: idle.close,
  };
}

/** The code that connects, once it was needed: it loads much of Node's. */
let connecting: typeof import("./connect.ts") | undefined;

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

/** Whose connections may be used again, and where they wait. */
interface Reuse {
  /** The connections that wait. */
  idle: IdleConnections;
  /** The user, if its connections may be used again. */
  user: string | undefined;
}

/** A connection of the same user to the same target that waits at one of the addresses. */
function waitingFor(
  url: URL,
  addresses: readonly string[],
  { idle, user, signal }: Reuse & { signal: AbortSignal },
): TargetConnection | undefined {
  if (user === undefined || signal.aborted) return undefined;
  for (const address of addresses) {
    const connection = idle.take(keyOf(url, address, user), signal);
    if (connection) return targetOf(connection, { url, address, idle, user });
  }
  return undefined;
}

function keyOf({ protocol, host }: URL, address: string, user: string): string {
  return `${protocol} ${host} ${address} ${user}`;
}

/** A connection as its user has it. */
function targetOf(
  connection: ReusableConnection,
  { url, address, idle, user }: Reuse & { url: URL; address: string },
): TargetConnection {
  const { read, write, close } = connection;
  return {
    read,
    write,
    close,
    address,
    reused: connection.uses > 0,
    keep(ms) {
      if (user === undefined) close();
      else idle.keep(keyOf(url, address, user), connection, ms);
    },
  };
}

/** Connects to the first address that answers. */
async function reach(
  url: URL,
  addresses: readonly string[],
  { policy, network, signal, done, ...reuse }: Reuse & {
    policy: TargetPolicy;
    network: Network;
    signal: AbortSignal;
    done(step: ConnectStep): void;
  },
): Promise<TargetConnection> {
  const secure = url.protocol === "https:";
  const port = Number(url.port) || (secure ? 443 : 80);
  const { connectTo, connectUnverified } = connecting ??= await import("./connect.ts");
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
      if (secure) done("secure");
      return targetOf(reusable(connection), { url, address, ...reuse });
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

function unreachable(signal: AbortSignal, message: string, cause?: unknown): TargetError {
  const late = signal.aborted ? "cannot be reached: it did not respond in time" : message;
  return new TargetError("unreachable", late, cause);
}
