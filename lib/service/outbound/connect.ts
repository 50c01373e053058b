/**
 * Connections to addresses that were judged before. Nothing here looks up a name.
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** The way out of this machine. Tests hand in their own. */
export interface Network {
  /** All addresses that a name leads to. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Connects to an address. The signal ends the attempt. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Deno.TcpConn>;
  /** Certificates to trust besides the machine's own, as PEM. */
  readonly caCerts?: readonly string[];
}

/** An open connection. */
export interface Connection {
  /** Reads some bytes, and says how many; null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes some bytes, and says how many. */
  write(bytes: Uint8Array): Promise<number>;
  /** Ends it. */
  close(): void;
}

/** A connection that a signal may close, which fails whatever waits for it. */
export interface HeldConnection extends Connection {
  /** From now on, this signal closes it, and no other. */
  hold(signal: AbortSignal): void;
  /** From now on, no signal closes it. */
  letGo(): void;
}

/** What to connect to. */
interface ConnectOptions {
  /** The address, never a name. */
  address: string;
  /** The port. */
  port: number;
  /** The name that the other end must prove, for TLS; undefined for a plain connection. */
  tlsName: string | undefined;
  /** Ends the attempt, and the connection whenever it fires. */
  signal: AbortSignal;
  /** Told when the connection stands, before TLS. */
  connected(): void;
}

/**
 * So many names are looked up at once. A lookup takes a thread of the runtime, which has 32, for as long
 * as it lasts, and so does bringing a commit to the disk.
 */
const MOST_LOOKUPS = 16;

/** Makes a function that looks names up, a few at a time. Whoever asks for the same name shares a lookup. */
export function createResolver(
  look: (hostname: string) => Promise<string[]>,
  most: number = MOST_LOOKUPS,
): Network["resolve"] {
  const looking = new Map<string, Promise<string[]>>();
  const waiting: (() => void)[] = [];
  let count = 0;
  const inTurn = async (hostname: string): Promise<string[]> => {
    while (count >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    count++;
    try {
      return await look(hostname);
    } finally {
      count--;
      waiting.shift()?.();
    }
  };
  return (hostname) => {
    const known = looking.get(hostname);
    if (known) return known;
    const found = inTurn(hostname).finally(() => looking.delete(hostname));
    looking.set(hostname, found);
    return found;
  };
}

/** The machine's own network. */
export const systemNetwork: Network = {
  resolve: createResolver(async (hostname) => {
    const found = await lookup(hostname, { all: true, verbatim: true });
    return found.map(({ address }) => address);
  }),
  connect: (hostname, port, signal) => Deno.connect({ hostname, port, signal }),
};

/** Connects, with TLS where a name is to be proven. */
export async function connectTo(
  network: Network,
  options: ConnectOptions,
): Promise<HeldConnection> {
  const { address, port, tlsName, signal, connected } = options;
  const conn = await network.connect(address, port, signal);
  connected();
  if (tlsName === undefined) return guarded(conn, signal);
  const tls = await Deno.startTls(conn, {
    hostname: tlsName,
    caCerts: [...network.caCerts ?? []],
    alpnProtocols: ["http/1.1"],
  });
  const connection = guarded(tls, signal);
  try {
    await tls.handshake();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Connects with TLS to a machine that need not prove its name. For local addresses only. */
export async function connectUnverified(
  options: Omit<ConnectOptions, "tlsName">,
): Promise<HeldConnection> {
  const { address, port, signal, connected } = options;
  const socket = connectTls({
    host: address,
    port,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
  const connection = guarded(socketConnection(socket), signal);
  socket.once("connect", connected);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", () => resolve());
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("it closed the connection")));
    });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Lets a signal close a connection. */
function guarded(connection: Connection, signal: AbortSignal): HeldConnection {
  const closeOnce = closing(connection);
  let holder: AbortSignal | undefined;
  const letGo = () => {
    holder?.removeEventListener("abort", closeOnce);
    holder = undefined;
  };
  const hold = (by: AbortSignal) => {
    letGo();
    if (by.aborted) return closeOnce();
    holder = by;
    by.addEventListener("abort", closeOnce, { once: true });
  };
  hold(signal);
  return {
    read: (into) => connection.read(into),
    write: (bytes) => connection.write(bytes),
    close() {
      letGo();
      closeOnce();
    },
    hold,
    letGo,
  };
}

/** Closes a connection, which may be closed or broken already. */
function closing(connection: Pick<Connection, "close">): () => void {
  return () => {
    try {
      connection.close();
    } catch {
      // It is gone, which is what was wanted.
    }
  };
}

/** A socket of Node's kind as a connection. */
function socketConnection(socket: TLSSocket): Connection {
  const chunks = socket[Symbol.asyncIterator]();
  let rest = new Uint8Array();
  return {
    async read(into) {
      while (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) return null;
        rest = new Uint8Array(next.value);
      }
      const count = Math.min(rest.length, into.length);
      into.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      return count;
    },
    write: (bytes) =>
      new Promise((resolve, reject) =>
        socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length))
      ),
    close: () => socket.destroy(),
  };
}
