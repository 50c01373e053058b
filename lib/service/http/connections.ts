/**
 * The connections of the service: how many there may be, and how long each may keep it waiting. No
 * client can take so many that the process runs out of files, or that others are not answered.
 *
 * @module
 */

import { isArriving } from "./bytes.ts";

/** What a client may take. */
interface ConnectionLimits {
  /** How many connections there may be at a time. The one that waits longest makes room. */
  most: number;
  /** Seconds until a new connection must have sent the head of its first request. */
  head_s: number;
  /** Seconds until the body of a request must have come. */
  body_s: number;
  /** Seconds that a connection may be kept open after its last answer. */
  idle_s: number;
}

/** The limits of a service. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  most: 512,
  head_s: 10,
  body_s: 30,
  idle_s: 75,
};

/** Why a connection was closed by the service. */
type ClosedFor = "head" | "body" | "idle" | "room" | "refused";

/** An open port. */
export interface Listener {
  /** Its number. */
  readonly port: number;
  /** How many connections were closed, by the limit that closed them. */
  readonly closed: Readonly<Record<ClosedFor, number>>;
  /** Takes no more requests, and lets the ones under way end for so many milliseconds. */
  stop(patienceMs: number): Promise<void>;
}

/** How to listen. */
interface ListenOptions {
  /** The address, IPv6 without brackets. */
  hostname: string;
  /** The port; 0 takes any free one. */
  port: number;
  /** The certificate and its key, in PEM, to speak TLS with. Default: plain HTTP. */
  tls?: { cert: string; key: string } | undefined;
  /** Told when the system gives us no more connections. */
  report(error: unknown): void;
  /** The limits. Default: those of a service. */
  limits?: ConnectionLimits | undefined;
  /** How long a second of the limits is, in milliseconds. Default: 1000. */
  secondMs?: number | undefined;
}

/** One connection. Its times are counted in seconds since the port was opened. */
interface Connection {
  /** What answers on it. */
  server: Answering;
  /** Cuts it. */
  cut: AbortController;
  /** When it began to wait for something from its client. */
  since: number;
  /** Its latest request. */
  request: Request | undefined;
  /** How many of its requests are being answered. */
  busy: number;
  /** Whether it ends with the answer that is under way. */
  closing: boolean;
}

/** What answers the requests of one connection. */
type Answering = Pick<Deno.HttpServer, "finished" | "shutdown">;

type Handler = (request: Request) => Promise<Response>;

/** Answers a request that came from an address. */
type Answerer = (request: Request, sender: string) => Promise<Response>;

/** How long to wait before another try when the system has no more files, in milliseconds. */
const PAUSE_MS = 100;

/** How many connections make room then. */
const MAKE_ROOM = 16;

/** Opens a port. It throws what `Deno.listen` throws. */
export function listen(options: ListenOptions, handle: Answerer): Listener {
  const serve = serveOnConnection();
  if (!serve) return listenUnbounded(options, handle);
  const { hostname, port, tls, report, limits = CONNECTION_LIMITS, secondMs = 1000 } = options;
  const listener: Deno.Listener<Deno.TcpConn | Deno.TlsConn, Deno.NetAddr> = tls
    ? Deno.listenTls({ hostname, port, ...tls })
    : Deno.listen({ hostname, port });
  const pool = createPool(limits, serve, handle);
  const timer = setInterval(pool.tick, secondMs);
  Deno.unrefTimer(timer);
  let stopping = false;
  let told = -Infinity;
  const accept = async (): Promise<void> => {
    while (!stopping) {
      try {
        pool.take(await listener.accept());
      } catch (error) {
        if (stopping) return;
        // Once a minute is often enough.
        if (pool.age() >= told + 60) {
          told = pool.age();
          report(
            `Cannot take another connection: ${error instanceof Error ? error.message : error}`,
          );
        }
        pool.makeRoom(MAKE_ROOM);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  };
  const accepting = accept();
  return {
    port: listener.addr.port,
    closed: pool.closed,
    async stop(patienceMs) {
      stopping = true;
      listener.close();
      await pool.end(patienceMs);
      clearInterval(timer);
      await accepting;
    },
  };
}

/** The connections of a port. */
interface Pool {
  /** How many were closed, by the limit that closed them. */
  readonly closed: Record<ClosedFor, number>;
  /** Takes a new one, or closes it where there is no room. */
  take(conn: Deno.TcpConn | Deno.TlsConn): void;
  /** Closes some that wait for their clients. Returns whether there were any. */
  makeRoom(count: number): boolean;
  /** How many seconds have passed. */
  age(): number;
  /** Lets a second pass: what is over its limit is closed. */
  tick(): void;
  /** Ends all, after so many milliseconds also those with requests under way. */
  end(patienceMs: number): Promise<void>;
}

function createPool(limits: ConnectionLimits, serve: ServeOnConnection, handle: Answerer): Pool {
  const closed = { head: 0, body: 0, idle: 0, room: 0, refused: 0 };
  const open = new Set<Connection>();
  let second = 0;
  const close = (one: Connection, reason: ClosedFor): void => {
    closed[reason]++;
    open.delete(one);
    // A client that does not read its last answer would never let it end in peace.
    one.cut.abort();
  };
  const makeRoom = (count: number): boolean => {
    const waiting = [...open].filter(isWaiting).sort(byPatience).slice(0, count);
    for (const one of waiting) close(one, "room");
    return waiting.length > 0;
  };
  return {
    closed,
    makeRoom,
    age: () => second,
    take(conn) {
      if (open.size >= limits.most && !makeRoom(1)) {
        closed.refused++;
        return conn.close();
      }
      if ("setNoDelay" in conn) conn.setNoDelay();
      const one = openConnection(conn, serve, handle, () => second);
      open.add(one);
      const forget = () => void open.delete(one);
      // A connection that breaks off is none that somebody must be told of.
      one.server.finished.then(forget, forget);
    },
    tick() {
      second++;
      for (const one of open) {
        const reason = overdue(one, second - one.since, limits);
        if (reason) close(one, reason);
      }
    },
    async end(patienceMs) {
      const ended = Promise.allSettled([...open].map(({ server }) => server.finished));
      for (const one of open) part(one);
      await withinTime(ended, patienceMs);
      // What was told to end by itself can no longer be cut; it ends with the process.
      for (const { cut, busy } of open) if (busy > 0) cut.abort();
    },
  };
}

/** Begins to answer on a connection. */
function openConnection(
  conn: Deno.TcpConn | Deno.TlsConn,
  serve: ServeOnConnection,
  handle: Answerer,
  now: () => number,
): Connection {
  const cut = new AbortController();
  const sender = conn.remoteAddr.hostname;
  const answer: Handler = async (request) => {
    one.busy++;
    one.request = request;
    one.since = now();
    try {
      return await handle(request, sender);
    } finally {
      one.busy--;
      one.since = now();
      if (one.closing) part(one);
    }
  };
  const server = serve(conn, cut.signal, answer, failed, () => {});
  const one: Connection = {
    server,
    cut,
    since: now(),
    request: undefined,
    busy: 0,
    closing: false,
  };
  return one;
}

/** The answer for an error that no handler has caught. */
function failed(): Response {
  return new Response(null, { status: 500 });
}

/** Opens a port on a runtime that cannot bound its connections. */
function listenUnbounded(
  { hostname, port, tls, report }: ListenOptions,
  handle: Answerer,
): Listener {
  const cut = new AbortController();
  const { signal } = cut;
  const server = Deno.serve(
    { hostname, port, signal, onListen: () => {}, ...tls },
    (request, { remoteAddr }) => handle(request, remoteAddr.hostname),
  );
  report("This version of Deno cannot limit connections: one client can use all of them");
  server.finished.catch(report);
  return {
    port: server.addr.port,
    closed: { head: 0, body: 0, idle: 0, room: 0, refused: 0 },
    async stop(patienceMs) {
      let ended = false;
      const shutdown = server.shutdown().then(() => ended = true);
      await withinTime(shutdown, patienceMs);
      if (!ended) cut.abort();
    },
  };
}

/** Ends a connection once its requests are answered. A body that does not come is not waited for. */
function part(one: Connection): void {
  if (isWaiting(one) && one.busy > 0) return one.cut.abort();
  one.closing = true;
  // It may have ended by itself in this very moment.
  if (one.busy === 0) one.server.shutdown().catch(() => {});
}

/** Whether it is the client's turn on a connection. */
function isWaiting({ busy, request }: Connection): boolean {
  return busy === 0 || request !== undefined && isArriving(request);
}

/** Connections without a request first, then those that have waited for longest. */
function byPatience(a: Connection, b: Connection): number {
  return a.busy - b.busy || a.since - b.since;
}

/** The limit that a connection of an age is over, if it is over one. */
function overdue(
  one: Connection,
  age: number,
  { head_s, body_s, idle_s }: ConnectionLimits,
): ClosedFor | undefined {
  if (!isWaiting(one)) return undefined;
  if (one.busy > 0) return age >= body_s ? "body" : undefined;
  if (one.request === undefined) return age >= head_s ? "head" : undefined;
  return age >= idle_s ? "idle" : undefined;
}

/** Waits for a promise, but not for longer than so many milliseconds. */
export async function withinTime(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The runtime's own function behind `Deno.serve`, for one connection. */
type ServeOnConnection = (
  conn: Deno.TcpConn | Deno.TlsConn,
  signal: AbortSignal,
  handler: Handler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Answering;

/**
 * The function that answers on one connection, if this runtime has it.
 *
 * `Deno.serve` accepts by itself and has no limits; Node's server has them and needs three times as
 * much of the processor. This is the function that both are made of. It is no part of the documented
 * API, so the tests of this file hold it to what is used of it here.
 */
function serveOnConnection(): ServeOnConnection | undefined {
  const inside: object | undefined = Reflect.get(Deno, Reflect.get(Deno, "internal"));
  return inside && Reflect.get(inside, "serveHttpOnConnection");
}
