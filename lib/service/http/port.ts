/**
 * A port of the service: its settings, its limits and its states.
 *
 * @module
 */

/** The limits of clients. */
export interface ConnectionLimits {
  /** The most connections at a time. A new one replaces the one that waits longest. */
  most: number;
  /** Seconds for the head of a new connection's first request. */
  head_s: number;
  /** Seconds for the whole body of a request. */
  body_s: number;
  /** Seconds that a connection may stay open after its last response. */
  idle_s: number;
}

/** The reason for closing a connection. */
export type ClosedFor = "head" | "body" | "idle" | "room" | "refused";

/** A port that was taken, and has no handler yet. */
export interface Port {
  /** Answers its connections, also those that wait already. */
  answer(handle: Answerer): Listener;
  /** Gives it back, unless it answers: then the listener stops it. */
  close(): void;
}

/** A port that answers. */
export interface Listener {
  /** Its number. */
  readonly port: number;
  /** The number of closed connections, by limit. */
  readonly closed: Readonly<Record<ClosedFor, number>>;
  /**
   * Goes on accepting requests, but ends each connection after its next response, so that its client
   * opens another one, elsewhere.
   */
  drain(): void;
  /** Stops accepting requests, and gives those in progress so many milliseconds. */
  stop(patienceMs: number): Promise<void>;
}

/** How to listen. */
export interface ListenOptions {
  /** The address, IPv6 without brackets. */
  hostname: string;
  /** The port; 0 takes any free one. */
  port: number;
  /** The certificate and its key, in PEM, to speak TLS with. Default: plain HTTP. */
  tls?: { cert: string; key: string } | undefined;
  /** Called when the system refuses further connections. */
  report(error: unknown): void;
  /** The limits. Default: those of a service. */
  limits?: ConnectionLimits | undefined;
  /** The length of a second of the limits, in milliseconds. Default: 1000. */
  secondMs?: number | undefined;
}

/** Answers a request from an address. */
export type Answerer = (request: Request, sender: string) => Promise<Response>;

/** Waits for a promise, at most so many milliseconds. */
export async function withinTime(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
