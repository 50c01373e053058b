/**
 * A relay between a service and a server, which can stop to pass on what it gets: as a server does that
 * is frozen, or a network that loses everything without a word.
 *
 * @module
 */

/** A relay. At the end of its scope it closes, with its connections. */
export interface Relay extends Disposable {
  /** Its port on 127.0.0.1. */
  readonly port: number;
  /** Keeps what arrives, and takes connections without passing them on. */
  pause(): void;
  /** Passes on what was kept, and what arrives from now on. */
  resume(): void;
}

/** Opens a relay to a server. */
export function openRelay(target: { hostname: string; port: number }): Relay {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const pass = async (from: Deno.Conn, to: Deno.Conn): Promise<void> => {
    const buffer = new Uint8Array(65536);
    try {
      for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
        await gate.promise;
        for (let sent = 0; sent < size;) sent += await to.write(buffer.subarray(sent, size));
      }
    } catch {
      // One of the two is closed, and so is the other one.
    }
    await gate.promise;
    for (const connection of [from, to]) {
      if (open.delete(connection)) connection.close();
    }
  };
  const relay = async (near: Deno.Conn): Promise<void> => {
    open.add(near);
    await gate.promise;
    const far = await Deno.connect(target);
    open.add(far);
    await Promise.all([pass(near, far), pass(far, near)]);
  };
  const accept = async (): Promise<void> => {
    for await (const near of listener) void relay(near);
  };
  void accept();
  return {
    port: listener.addr.port,
    pause: () => void (gate = Promise.withResolvers<void>()),
    resume: () => gate.resolve(),
    [Symbol.dispose]() {
      gate.resolve();
      listener.close();
      for (const connection of open) connection.close();
      open.clear();
    },
  };
}
