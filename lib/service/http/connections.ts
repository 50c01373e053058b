/**
 * The connections of the service, with limits on their number and on waiting times. No client can
 * use up the process's files or keep other clients from being answered.
 *
 * @module
 */

import { hasUnreadBody, isArriving } from "./bytes.ts";
import { createGreetings } from "./greetings.ts";
import {
  type Answerer,
  type ClosedFor,
  type ConnectionLimits,
  type Listener,
  type ListenOptions,
  type Port,
  withinTime,
} from "./port.ts";
import { takeUnbounded } from "./unbounded.ts";

/** The limits of a service. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  most: 512,
  head_s: 10,
  body_s: 30,
  idle_s: 75,
};

/** One connection. Its times are in seconds since the port opened. */
interface Connection {
  /** Its HTTP server. */
  server: Answering;
  /** Closes it. */
  cut: AbortController;
  /** When it began to wait for its client. */
  since: number;
  /** Its requests in progress, with their starts. HTTP/2 has several at a time. */
  requests: Map<Request, number>;
  /** Whether it has had a request. */
  used: boolean;
  /** Whether it was answered without reading all of a body, which its client may still owe. */
  unread: boolean;
  /** Whether it ends after the response in progress. */
  closing: boolean;
}

/** The HTTP server of one connection. */
type Answering = Pick<Deno.HttpServer, "finished" | "shutdown">;

type Handler = (request: Request) => Promise<Response>;

/** The wait before the next try when the system has no more files, in milliseconds. */
const PAUSE_MS = 100;

/** The time for a client to take a response whose request was not read to its end. */
const LAST_ANSWER_MS = 200;

/** The number of connections closed then. */
const MAKE_ROOM = 16;

/**
 * Takes a port. Connections wait in the system's queue until the port has a handler.
 *
 * @throws what `Deno.listen` throws.
 */
export function takePort(options: ListenOptions): Port {
  const serve = serveOnConnection();
  if (!serve) return takeUnbounded(options);
  const { hostname, port, tls } = options;
  const listener: NetListener = tls
    ? Deno.listenTls({ hostname, port, ...tls })
    : Deno.listen({ hostname, port });
  let isAnswered = false;
  return {
    answer(handle) {
      isAnswered = true;
      return acceptOn(listener, options, serve, handle);
    },
    close: () => isAnswered || listener.close(),
  };
}

/** A port as the runtime opens it. */
type NetListener = Deno.Listener<Deno.TcpConn | Deno.TlsConn, Deno.NetAddr>;

/** Accepts the connections of a port. */
function acceptOn(
  listener: NetListener,
  { report, limits = CONNECTION_LIMITS, secondMs = 1000 }: ListenOptions,
  serve: ServeOnConnection,
  handle: Answerer,
): Listener {
  const pool = createPool(limits, serve, handle);
  const timer = setInterval(pool.tick, secondMs);
  Deno.unrefTimer(timer);
  let stopping = false;
  let reportedAt = -Infinity;
  const accept = async (): Promise<void> => {
    while (!stopping) {
      try {
        pool.take(await listener.accept());
      } catch (error) {
        if (stopping) return;
        // Once a minute is often enough.
        if (pool.age() >= reportedAt + 60) {
          reportedAt = pool.age();
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
    drain: pool.drain,
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
  /** Accepts a new one, or closes it at the limit. */
  take(conn: Deno.TcpConn | Deno.TlsConn): void;
  /** Closes some that wait for their clients. Returns whether there were any. */
  makeRoom(count: number): boolean;
  /** The seconds since the start. */
  age(): number;
  /** Advances by a second, and closes connections over a limit. */
  tick(): void;
  /** From now on ends each connection after its next response. */
  drain(): void;
  /** Ends all; those with requests in progress after so many milliseconds. */
  end(patienceMs: number): Promise<void>;
}

function createPool(limits: ConnectionLimits, serve: ServeOnConnection, handle: Answerer): Pool {
  const closed = { head: 0, body: 0, idle: 0, room: 0, refused: 0 };
  const open = new Set<Connection>();
  let second = 0;
  let isDraining = false;
  const close = (one: Connection, reason: ClosedFor): void => {
    closed[reason]++;
    open.delete(one);
    // A client that does not read its last response would keep it open for ever.
    one.cut.abort();
  };
  const greetings = createGreetings();
  const makeRoom = (count: number): boolean => {
    const ended = greetings.end(count);
    closed.room += ended;
    if (ended > 0) return true;
    const waiting = [...open].filter(isWaiting).sort(byPatience).slice(0, count);
    for (const one of waiting) close(one, "room");
    return waiting.length > 0;
  };
  const begin = (conn: Deno.TcpConn | Deno.TlsConn): void => {
    const now = { second: () => second, isDraining: () => isDraining };
    const one = openConnection(conn, serve, handle, now);
    open.add(one);
    const forget = () => void open.delete(one);
    // A broken connection is no error of the service.
    one.server.finished.then(forget, forget);
  };
  return {
    closed,
    makeRoom,
    age: () => second,
    take(conn) {
      if (open.size + greetings.size() >= limits.most && !makeRoom(1)) {
        closed.refused++;
        return conn.close();
      }
      if ("handshake" in conn) return greetings.take(conn, second, () => begin(conn));
      conn.setNoDelay();
      begin(conn);
    },
    tick() {
      second++;
      closed.head += greetings.endBefore(second - limits.head_s);
      for (const one of open) {
        const reason = overdue(one, second, limits);
        if (reason) close(one, reason);
      }
    },
    drain: () => void (isDraining = true),
    async end(patienceMs) {
      greetings.end(Infinity);
      const ended = Promise.allSettled([...open].map(({ server }) => server.finished));
      for (const one of open) endAfterRequests(one);
      await withinTime(ended, patienceMs);
      // A connection that is closing gracefully cannot be aborted; it ends with the process.
      for (const { cut, requests } of open) if (requests.size > 0) cut.abort();
    },
  };
}

/** Starts answering on a connection. */
function openConnection(
  conn: Deno.TcpConn | Deno.TlsConn,
  serve: ServeOnConnection,
  handle: Answerer,
  { second: now, isDraining }: { second(): number; isDraining(): boolean },
): Connection {
  const cut = new AbortController();
  const sender = conn.remoteAddr.hostname;
  const answer: Handler = async (request) => {
    one.requests.set(request, now());
    one.used = true;
    try {
      const response = await handle(request, sender);
      if (isDraining()) one.closing = true;
      // Else the client may send its next request on a connection that ends.
      if (one.closing) response.headers.set("Connection", "close");
      return response;
    } finally {
      one.requests.delete(request);
      one.since = now();
      // Later the runtime has forgotten the request.
      one.unread = hasUnreadBody(request);
      if (one.closing) endAfterRequests(one);
    }
  };
  const one: Connection = {
    server: serve(conn, cut.signal, answer, failed, () => {}),
    cut,
    since: now(),
    requests: new Map(),
    used: false,
    unread: false,
    closing: false,
  };
  return one;
}

/** The response to an error that no handler caught. */
function failed(): Response {
  return new Response(null, { status: 500 });
}

/** Ends a connection after its requests in progress. It does not wait for missing bodies. */
function endAfterRequests(one: Connection): void {
  if (isWaiting(one) && one.requests.size > 0) return one.cut.abort();
  one.closing = true;
  if (one.requests.size > 0) return;
  // The runtime would wait for the rest of the body.
  if (one.unread) return void setTimeout(() => one.cut.abort(), LAST_ANSWER_MS);
  // It may just have ended by itself.
  one.server.shutdown().catch(() => {});
}

/** Whether a connection waits for its client only. */
function isWaiting({ requests }: Connection): boolean {
  return [...requests.keys()].every(isArriving);
}

/** Connections without a request first, then by longest wait. */
function byPatience(a: Connection, b: Connection): number {
  return a.requests.size - b.requests.size || a.since - b.since;
}

/** The limit that a connection exceeds in a second, if any. */
function overdue(
  { requests, since, used }: Connection,
  second: number,
  { head_s, body_s, idle_s }: ConnectionLimits,
): ClosedFor | undefined {
  for (const [request, start] of requests) {
    if (second - start >= body_s && isArriving(request)) return "body";
  }
  if (requests.size > 0) return undefined;
  if (!used) return second - since >= head_s ? "head" : undefined;
  return second - since >= idle_s ? "idle" : undefined;
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
 * `Deno.serve` accepts connections itself and has no limits. Node's server has limits and takes
 * three times the CPU. Both use this function. It is not part of the documented API, so the tests
 * of this file check the parts used here.
 */
function serveOnConnection(): ServeOnConnection | undefined {
  const inside: object | undefined = Reflect.get(Deno, Reflect.get(Deno, "internal"));
  return inside && Reflect.get(inside, "serveHttpOnConnection");
}
