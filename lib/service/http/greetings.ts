/**
 * Connections during their TLS handshake. The runtime's server cannot be stopped before its end, so
 * they are counted here until then. After a connection was ended, the runtime keeps its socket until
 * the client closes it; only a proxy in front can prevent that.
 *
 * @module
 */

/** What is used of a connection during its handshake. */
type Greeting = Pick<Deno.TlsConn, "handshake" | "close">;

/** Connections during their TLS handshake. */
interface Greetings {
  /** Returns their number. */
  size(): number;
  /** Begins a handshake at a second, and calls `then` after it. A failed one ends the connection. */
  take(conn: Greeting, since: number, then: () => void): void;
  /** Ends the oldest ones. Returns the number of ended ones. */
  end(count: number): number;
  /** Ends those that began at or before a second. Returns the number of ended ones. */
  endBefore(second: number): number;
}

/** Makes an empty set. */
export function createGreetings(): Greetings {
  const greeting = new Map<Greeting, number>();
  const close = (conn: Greeting): void => {
    if (greeting.delete(conn)) conn.close();
  };
  const end = (conns: readonly Greeting[]): number => {
    conns.forEach(close);
    return conns.length;
  };
  return {
    size: () => greeting.size,
    take(conn, since, then) {
      greeting.set(conn, since);
      const done = () => {
        if (greeting.delete(conn)) then();
      };
      conn.handshake().then(done, () => close(conn));
    },
    end: (count) => end([...greeting.keys()].slice(0, count)),
    endBefore: (second) =>
      end([...greeting].filter(([, since]) => since <= second).map(([conn]) => conn)),
  };
}
