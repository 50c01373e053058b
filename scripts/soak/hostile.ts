/**
 * Hostile receivers of webhooks, hostile clients, and a thousand slow connections, each with a
 * reader at the same time.
 *
 * @module
 */

import { pause } from "./crashes.ts";
import type { Figures } from "./figures.ts";
import { type Load, lostOf, startLoad } from "./load.ts";
import type { Service } from "./service.ts";

/** The endless output of a hostile receiver, after its first line. */
const ENDLESS: Record<string, readonly [start: string, again: string]> = {
  "informational answers": ["", "HTTP/1.1 100 Continue\r\n\r\n"],
  "header lines": ["HTTP/1.1 200 OK\r\n", "X-Line: no end of it\r\n"],
  "one header line": ["HTTP/1.1 200 OK\r\nX-Line: ", "xxxxxxxxxxxxxxxx"],
  "trailers": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
    "X-Trailer: again\r\n",
  ],
  "tiny chunks": ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"],
};

/** Sends events to receivers with endless responses, with a reader at the same time. */
export async function feedHostileReceivers(
  service: Service,
  figures: Figures,
  { seconds }: { seconds: number },
): Promise<void> {
  const receivers = Object.entries(ENDLESS).map(([name, texts]) => openReceiver(name, texts));
  for (const { port } of receivers) {
    const body = {
      name: `receiver ${port}`,
      url: `http://127.0.0.1:${port}/`,
      event_types: ["initial_purchase"],
    };
    const made = await service.send("POST", "/integrations/webhooks", body);
    if (!made.ok) figures.wrong(`a webhook was not made: ${await made.text()}`);
    else await made.body?.cancel();
  }
  const load = startLoad(service, 1);
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const sale = {
      customer_id: `soak-buyer-${crypto.randomUUID()}`,
      product_id: "notes_web_monthly",
    };
    await (await service.simulate("/purchases", sale)).body?.cancel();
    await pause(100);
  }
  await conclude("hostile receivers", load, service, figures);
  for (const { name, stop } of receivers) figures.closed(`receiver: ${name}`, await stop());
}

/**
 * Ends a load and records its figures: lost writes, durations of reads and the service's memory.
 */
async function conclude(
  what: string,
  load: Load,
  service: Service,
  figures: Figures,
): Promise<void> {
  await load.stop();
  const lost = await lostOf(service, load.acknowledged);
  figures.writes(what, load.acknowledged.length, lost.length);
  figures.reads(what, load.times);
  figures.peak(service.peak());
}

const FINE = new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

/** A receiver with endless responses, except for its first one. */
function openReceiver(
  name: string,
  [start, again]: readonly [string, string],
): { name: string; port: number; stop(): Promise<number> } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let [closed, probed] = [0, false];
  const bytes = new TextEncoder().encode(again.repeat(Math.ceil(4096 / again.length)));
  const flood = async (connection: Deno.TcpConn) => {
    try {
      await connection.read(new Uint8Array(65_536));
      if (!probed) {
        // The service checks an address before it sends events there.
        probed = true;
        await connection.write(FINE);
        return connection.close();
      }
      await connection.write(new TextEncoder().encode(start));
      for (;;) await connection.write(bytes);
    } catch {
      closed++;
      connection.close();
    }
  };
  const accepting = (async () => {
    for await (const connection of listener) flood(connection);
  })().catch(() => {});
  return {
    name,
    port: listener.addr.port,
    async stop() {
      listener.close();
      await accepting;
      return closed;
    },
  };
}

/** Opens many slow connections, with a reader at the same time. */
export async function holdSlowConnections(
  service: Service,
  figures: Figures,
  { count, seconds }: { count: number; seconds: number },
): Promise<void> {
  const load = startLoad(service, 1);
  const half = new TextEncoder().encode("GET /health HTTP/1.1\r\nHost: 127.0");
  const body = new TextEncoder().encode(service.promise("/customers", 4_000_000));
  const [begun, ended] = [performance.now(), { soon: 0, head: 0, body: 0, refused: 0 }];
  const open: Deno.TcpConn[] = [];
  for (let i = 0; i < count; i++) {
    const slow = i % 2 === 0 ? half : body;
    try {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
      open.push(connection);
      await connection.write(slow);
      drain(connection).then(() => {
        const after = performance.now() - begun;
        if (after > seconds * 1000) return;
        ended[after < 5000 ? "soon" : i % 2 === 0 ? "head" : "body"]++;
      });
    } catch {
      ended.refused++;
    }
  }
  await pause(Math.max(0, seconds * 1000 - (performance.now() - begun)));
  figures.closed("slow connections: no room", ended.soon + ended.refused);
  figures.closed("slow connections: time for the head", ended.head);
  figures.closed("slow connections: time for the body", ended.body);
  await conclude("slow connections", load, service, figures);
  figures.note("slow connections", `${load.failed()} reads found no free connection`);
  for (const connection of open) {
    try {
      connection.close();
    } catch {
      // The service has closed it.
    }
  }
}

/** Reads until the other side closes. */
async function drain(connection: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(1024);
  try {
    while (await connection.read(buffer) !== null);
  } catch {
    // A reset also ends the connection.
  }
}

/** Heads that are not HTTP. */
const BAD_HEADS = ["Host: a b", "Host: [", "Host: ^", "Host: x:99999", "Transfer-Encoding: zzz"];

/** Sends hostile bodies and heads, with a reader at the same time. */
export async function sendHostileRequests(
  service: Service,
  figures: Figures,
  { seconds }: { seconds: number },
): Promise<void> {
  const load = startLoad(service, 1);
  const answers = new Map<string, number>();
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    await sendHostileRound(service, figures, answers);
  }
  await conclude("hostile clients", load, service, figures);
  const told = [...answers].map(([status, count]) => `${count} × ${status}`).join(", ");
  figures.note("hostile clients", told);
}

/** Sends each hostile body and head once, and counts the statuses of the answers. */
async function sendHostileRound(
  service: Service,
  figures: Figures,
  answers: Map<string, number>,
): Promise<void> {
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]));
  const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000));
  for (const body of [keys, { id: "x".repeat(4_500_000) }, { id: deep }, keys]) {
    const status = await service.send("POST", "/customers", body)
      .then(
        async (response) => (await response.body?.cancel(), String(response.status)),
        () => "cut",
      );
    answers.set(status, (answers.get(status) ?? 0) + 1);
    if (status.startsWith("5")) figures.wrong(`a hostile body was answered with ${status}`);
  }
  for (const line of BAD_HEADS) {
    const status = await rawStatus(service.port, `GET /health HTTP/1.1\r\n${line}\r\n\r\n`);
    answers.set(status, (answers.get(status) ?? 0) + 1);
    if (status.startsWith("5") && status !== "501") {
      figures.wrong(`${JSON.stringify(line)} was answered with ${status}`);
    }
  }
  await Promise.all(Array.from({ length: 4 }, () => sendPieces(service.port)));
  const state = "s".repeat(2000);
  for (let i = 0; i < 50; i++) {
    const { status, body } = await fetch(`${service.baseUrl}/oauth2/authorize?state=${state}`);
    await body?.cancel();
    if (status >= 500) figures.wrong(`a sign-in without a client was answered with ${status}`);
  }
}

/** Sends a body of single bytes, each in a chunk of its own, to an address that needs no credential. */
async function sendPieces(port: number): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const text = new TextEncoder();
  try {
    await connection.write(text.encode(
      `POST /oauth2/token HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
        "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n",
    ));
    const piece = text.encode("1\r\nx\r\n");
    for (let i = 0; i < 5000; i++) await connection.write(piece);
  } catch {
    // The service has closed the connection.
  } finally {
    connection.close();
  }
}

/** The status of a raw request's answer; `cut` for a closed connection. */
async function rawStatus(port: number, text: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await connection.write(new TextEncoder().encode(text));
    const buffer = new Uint8Array(1024);
    const count = await connection.read(buffer) ?? 0;
    const head = new TextDecoder().decode(buffer.subarray(0, count));
    return /^HTTP\/1\.\d (\d{3})/.exec(head)?.[1] ?? "cut";
  } catch {
    return "cut";
  } finally {
    connection.close();
  }
}
