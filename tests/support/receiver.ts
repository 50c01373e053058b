/**
 * A receiver of webhooks on this machine, with the behaviour that a test chooses.
 *
 * @module
 */

import { HOST, type Internet, openInternet, PUBLIC, TLS } from "./internet.ts";

/** A delivery as it arrived. */
export interface Arrived {
  /** The request line. */
  line: string;
  /** The headers, their names as they were sent. */
  headers: Record<string, string>;
  /** The body's text. */
  body: string;
  /** The connection that it came on, counted from 1. One that only looks is not counted. */
  connection: number;
  /** The event in it. */
  event: { id: string; type: string; [field: string]: unknown };
}

/**
 * The reaction of a receiver to a delivery, on the open connection. It is closed afterwards, unless
 * the receiver expects the next delivery on it.
 */
export type Behaviour = (arrived: Arrived, conn: Deno.Conn) => Promise<Next> | Next;

/** Whether a receiver expects the next delivery on the same connection. */
export type Next = "next" | void;

/** A receiver. */
export interface Receiver extends Disposable {
  /** Its address, for this machine. */
  readonly url: string;
  /** Its port. */
  readonly port: number;
  /** Every delivery, in order of arrival. */
  readonly arrived: Arrived[];
  /** Its behaviour, which can be changed. */
  behave: Behaviour;
  /** Resolves when so many deliveries have arrived in all. */
  has(count: number): Promise<void>;
}

/** Opens a receiver, with TLS for `hooks.acme.dev` or without. */
export function openReceiver(behave: Behaviour = answers(200), secure = false): Receiver {
  const at = { hostname: "127.0.0.1", port: 0 };
  const listener = secure ? Deno.listenTls({ ...at, ...TLS }) : Deno.listen(at);
  const { port } = listener.addr as Deno.NetAddr;
  const open = new Set<Deno.Conn>();
  const waiting: { count: number; resolve: () => void }[] = [];
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hooks?from=test`,
    port,
    arrived: [],
    behave,
    has: (count) =>
      new Promise((resolve) => {
        if (receiver.arrived.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    [Symbol.dispose]() {
      listener.close();
      open.forEach(close);
    },
  };
  let connections = 0;
  const take = async (conn: Deno.Conn) => {
    open.add(conn);
    let connection: number | undefined;
    for (let next: Next = "next"; next === "next";) {
      const request = await readRequest(conn);
      if (!request) return;
      connection ??= ++connections;
      const arrived = { ...request, connection };
      receiver.arrived.push(arrived);
      for (const one of waiting) if (receiver.arrived.length >= one.count) one.resolve();
      next = await receiver.behave(arrived, conn);
    }
  };
  void (async () => {
    for await (const conn of listener) {
      void take(conn).catch(() => {}).finally(() => {
        close(conn);
        open.delete(conn);
      });
    }
  })();
  return receiver;
}

/** A receiver that answers with a status, headers and a body. */
export function answers(
  status: number,
  headers: Record<string, string> = {},
  body = "thanks",
): Behaviour {
  return async (_arrived, conn) => {
    const head = Object.entries({ ...headers, "Content-Length": String(body.length) })
      .map(([name, value]) => `${name}: ${value}\r\n`).join("");
    await write(conn, `HTTP/1.1 ${status} Whatever\r\n${head}\r\n${body}`);
  };
}

/** A receiver that answers with some text and expects the next delivery on the connection. */
export function keeps(text: string): Behaviour {
  return async (_arrived, conn): Promise<Next> => {
    await write(conn, text);
    return "next";
  };
}

/** Writes text on a connection. */
export async function write(conn: Deno.Conn, text: string): Promise<void> {
  for (let rest = new TextEncoder().encode(text); rest.length > 0;) {
    rest = rest.subarray(await conn.write(rest));
  }
}

/** Waits until the other end hangs up. */
export async function hangUp(conn: Deno.Conn): Promise<void> {
  while (await conn.read(new Uint8Array(1000)).catch(() => null) !== null);
}

/** An Internet in which `hooks.acme.dev` is a receiver. */
export function internetOf(receiver: Receiver): Internet {
  const internet = openInternet();
  internet.names.set(HOST, [PUBLIC]);
  internet.ports.set(PUBLIC, receiver.port);
  return internet;
}

/** Reads a whole request, or nothing of a connection that only looks. */
async function readRequest(conn: Deno.Conn): Promise<Omit<Arrived, "connection"> | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(65_536);
  for (;;) {
    const [, head = "", body] = /^(.*?)\r\n\r\n(.*)$/s.exec(text) ?? [];
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (body !== undefined && new TextEncoder().encode(body).length >= Number(length)) {
      const [line = "", ...headers] = head.split("\r\n");
      return {
        line,
        headers: Object.fromEntries(headers.map((one) => one.split(/: (.*)/s).slice(0, 2))),
        body,
        event: JSON.parse(body).event,
      };
    }
    const count = await conn.read(chunk).catch(() => null);
    if (count === null) return undefined;
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
