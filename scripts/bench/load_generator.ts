/**
 * Sends requests as fast as they are answered, for a while, on connections that stay open. Takes one
 * order per line of standard input, as JSON, and answers each with a line.
 *
 * @module
 */

import { linesOf } from "./child.ts";

/** What to send, and how. */
export interface Order {
  /** The server's address, with its port. */
  base_url: string;
  /** Further servers: connections are spread evenly over all. Default: none. */
  others?: readonly string[];
  /** What to send. */
  request: Template;
  /** How many requests are under way at any time, each on a connection of its own. */
  connections: number;
  /** For how long, in milliseconds. */
  ms: number;
  /** `fetch` sends as any Deno program does; `socket` spends as little as possible on it. */
  by: "fetch" | "socket";
}

/** A request. `{n}` in a header or the body stands for a number that no other request has. */
export interface Template {
  /** The method. */
  method: "GET" | "POST";
  /** The path and query. */
  path: string;
  /** The headers. */
  headers: Record<string, string>;
  /** The body, empty for none. */
  body: string;
}

/** What came of an order. */
export interface Outcome {
  /** Requests that were answered per second. */
  per_second: number;
  /** Requests that were answered. */
  answered: number;
}

let last = 0;

/** A number that no other request has, always of the same length. */
function nextNumber(): string {
  return String(++last).padStart(9, "0");
}

/** Carries out an order. */
async function load(order: Order): Promise<Outcome> {
  const start = performance.now();
  const end = start + order.ms;
  let answered = 0;
  const servers = [order.base_url, ...order.others ?? []];
  await Promise.all(Array.from({ length: order.connections }, async (_, i) => {
    const own = { ...order, base_url: servers[i % servers.length] ?? order.base_url };
    using sender = order.by === "fetch" ? sendByFetch(own) : await sendBySocket(own);
    do {
      await sender.send();
      answered++;
    } while (performance.now() < end);
  }));
  return { per_second: answered / (performance.now() - start) * 1000, answered };
}

/** Sends one request after another. */
interface Sender extends Disposable {
  /** Sends a request and reads its answer. */
  send(): Promise<void>;
}

/** Sends as any Deno program does. */
function sendByFetch({ base_url, request }: Order): Sender {
  const { method, path, headers, body } = request;
  return {
    async send() {
      const number = nextNumber();
      const filled = Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        value.replace("{n}", number),
      ]);
      const response = await fetch(base_url + path, {
        method,
        headers: filled,
        ...body !== "" && { body: body.replace("{n}", number) },
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    },
    [Symbol.dispose]: () => {},
  };
}

/** Sends the bytes of a request, and reads no more of an answer than where it ends. */
async function sendBySocket({ base_url, request }: Order): Promise<Sender> {
  const { host, hostname, port } = new URL(base_url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  connection.setNoDelay(true);
  const text = requestText(request, host);
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(1 << 20);
  return {
    async send() {
      let rest = encoder.encode(text.replaceAll("{n}", nextNumber()));
      while (rest.length > 0) rest = rest.subarray(await connection.write(rest));
      let size = 0;
      let end = Infinity;
      while (size < end) {
        const count = await connection.read(buffer.subarray(size));
        if (count === null) throw new Error("The server has closed the connection");
        size += count;
        if (end === Infinity) end = endOfAnswer(buffer.subarray(0, size));
      }
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

/** A request as HTTP/1.1 writes it. */
function requestText({ method, path, headers, body }: Template, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body.replaceAll("{n}", nextNumber()).length;
  if (body !== "") lines.push(`Content-Length: ${length}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join("")}\r\n${body}`;
}

const decoder = new TextDecoder();

/** Where an answer ends, or infinity while its head is not all there. */
function endOfAnswer(bytes: Uint8Array): number {
  const text = decoder.decode(bytes);
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return Infinity;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, head))?.[1];
  if (!/^HTTP\/1\.1 20[01] /.test(text) || length === undefined) throw new Error(text);
  // The head is ASCII, so its characters are its bytes.
  return head + 4 + Number(length);
}

if (import.meta.main) {
  for await (const line of linesOf(Deno.stdin.readable)) {
    const order: Order = JSON.parse(line);
    console.log(JSON.stringify(await load(order)));
  }
}
