/**
 * A port on a runtime that cannot limit connections.
 *
 * @module
 */

import { type Answerer, type ListenOptions, type Port, withinTime } from "./port.ts";

/** Takes a port with `Deno.serve`. Requests wait until the port has a handler. */
export function takeUnbounded({ hostname, port, tls, report }: ListenOptions): Port {
  const cut = new AbortController();
  const { signal } = cut;
  const { promise: handler, resolve } = Promise.withResolvers<Answerer>();
  const server = Deno.serve(
    { hostname, port, signal, onListen: () => {}, ...tls },
    async (request, { remoteAddr }) => await (await handler)(request, remoteAddr.hostname),
  );
  report("This version of Deno cannot limit connections: one client can use all of them");
  server.finished.catch(report);
  let isAnswered = false;
  return {
    answer(handle) {
      isAnswered = true;
      resolve(handle);
      return {
        port: server.addr.port,
        closed: { head: 0, body: 0, idle: 0, room: 0, refused: 0 },
        drain: () => {},
        // A server that shuts down cannot be aborted: late requests end with the process.
        stop: (patienceMs) => withinTime(server.shutdown(), patienceMs),
      };
    },
    close: () => isAnswered || cut.abort(),
  };
}
