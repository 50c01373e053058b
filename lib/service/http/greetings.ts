/**
 * Connections during their TLS handshake. The runtime's server cannot be stopped before its end, so
 * they are counted here until then. After a connection was ended, the runtime keeps its socket until
 * the client closes it; only a proxy in front can prevent that.
 *
 * @module
 */

/** Connections during their TLS handshake. */
interface Greetings {
  /** Returns their number. */
  size(): number;
  /** Begins a handshake at a second, and calls `then` after it. A failed one ends the connection. */
  take(conn: Deno.TlsConn, since: number, then: () => void): void;
  /** Ends the oldest ones. Returns the number of ended ones. */
  end(count: number): number;
  /** Ends those that began at or before a second. Returns the number of ended ones. */
  endBefore(second: number): number;
}

/** Makes an empty set. */
export function createGreetings(): Greetings {
  const greeting = new Map<Deno.TlsConn, number>();
  const close = (conn: Deno.TlsConn): void => {
    if (greeting.delete(conn)) conn.close();
  };
  const end = (conns: readonly Deno.TlsConn[]): number => {
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
