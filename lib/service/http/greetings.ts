/**
 * Connections that begin TLS. The runtime's server cannot be stopped before that is done, so they are
 * counted here until then. The runtime keeps the socket of one that was ended until its client closes
 * it; only a proxy in front can end that.
 *
 * @module
 */

/** Connections that begin TLS. */
interface Greetings {
  /** How many there are. */
  size(): number;
  /** Lets a connection begin TLS, and goes on with it then. */
  take(conn: Deno.TlsConn, since: number, then: () => void): void;
  /** Ends the oldest ones. Returns how many. */
  end(count: number): number;
  /** Ends those that have begun by a moment. Returns how many. */
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
