import { equal, rejects } from "node:assert/strict";
import {
  ANSWER_LIMITS,
  exchange,
  type Reply,
  ReplyError,
} from "../../../lib/service/events/http_client.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

const request = {
  method: "POST",
  url: new URL("http://127.0.0.1/hooks"),
  headers: [],
  body: new TextEncoder().encode("a body"),
};

/** Exchanges with a receiver that answers before or after it has everything. */
async function keptFor(isEarly: boolean): Promise<number> {
  const has = Promise.withResolvers<void>();
  if (isEarly) has.resolve();
  let left: string | null = ANSWER;
  const reply = await exchange(
    {
      async read(into) {
        await has.promise;
        const text = left;
        left = null;
        return text === null ? null : new TextEncoder().encodeInto(text, into).written;
      },
      async write(bytes) {
        await new Promise((resolve) => setTimeout(resolve));
        // Half of it at a time.
        const count = Math.ceil(bytes.length / 2);
        if (count === bytes.length) has.resolve();
        return count;
      },
      close() {},
    },
    request,
    () => {},
  );
  equal(reply.status, 200);
  return reply.keepMs;
}

Deno.test("a connection waits for more unless the receiver answered before it had everything", async () => {
  equal(await keptFor(false), Infinity);
  equal(await keptFor(true), 0);
});

Deno.test("a connection that ends without a byte is told from one that ends in an answer", async () => {
  for (const [text, isSilent] of [["", true], ["HTTP", false]] as const) {
    const parts = [...text === "" ? [] : [text]];
    const connection = {
      read(into: Uint8Array) {
        const part = parts.shift();
        return Promise.resolve(
          part === undefined ? null : new TextEncoder().encodeInto(part, into).written,
        );
      },
      write: (bytes: Uint8Array) => Promise.resolve(bytes.length),
      close() {},
    };
    await rejects(
      exchange(connection, request, () => {}),
      (error) => error instanceof ReplyError && error.isSilent === isSilent,
    );
  }
});

/** The answer of a receiver that sends a text, at most so many bytes at a time. */
function answerOf(text: string, most = Infinity): Promise<Reply> {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  const connection = {
    read(into: Uint8Array) {
      const part = bytes.subarray(sent, sent + Math.min(most, into.length));
      into.set(part);
      sent += part.length;
      return Promise.resolve(part.length || null);
    },
    write: (bytes: Uint8Array) => Promise.resolve(bytes.length),
    close() {},
  };
  return exchange(connection, request, () => {});
}

Deno.test("a head of exactly the limit is read, and a longer one is refused", async () => {
  const start = ["HTTP/1.1 200 OK", "Content-Length: 0", "X-Long: "];
  const size = start.join("").length;
  const head = (length: number) =>
    answerOf(`${start.join("\r\n")}${"a".repeat(length - size)}\r\n\r\n`);
  equal((await head(ANSWER_LIMITS.head)).status, 200);
  await rejects(head(ANSWER_LIMITS.head + 1), /headers that are too long/);
});

Deno.test("a head that comes in more parts than the limit is refused", async () => {
  const [start, end] = ["HTTP/1.1 200 OK\r\nX-Long: ", "\r\nContent-Length: 0\r\n\r\n"];
  const inBytes = (parts: number) =>
    answerOf(`${start}${"a".repeat(parts - start.length - end.length)}${end}`, 1);
  equal((await inBytes(ANSWER_LIMITS.pieces)).status, 200);
  await rejects(inBytes(ANSWER_LIMITS.pieces + 1), /response that is too long/);
});

Deno.test("a head of as many lines as the limit is read, and one of more is refused", async () => {
  const inLines = (count: number) =>
    answerOf(`HTTP/1.1 204 Empty\r\n${"a: b\r\n".repeat(count - 2)}\r\n`);
  equal((await inLines(ANSWER_LIMITS.lines)).status, 204);
  await rejects(inLines(ANSWER_LIMITS.lines + 1), /response of too many lines/);
});

Deno.test("other work gets its turn while a head of many lines is read", async () => {
  let hadTurn = false;
  const timer = setTimeout(() => hadTurn = true);
  await answerOf(`HTTP/1.1 204 Empty\r\n${"a: b\r\n".repeat(1000)}\r\n`);
  clearTimeout(timer);
  equal(hadTurn, true);
});

Deno.test("a connection is kept only after a response with a clear end that allows it", async () => {
  const chunked = "Transfer-Encoding: chunked";
  const cases: [string, string[], string, number][] = [
    ["1.1 200", ["Content-Length: 0"], "", Infinity],
    ["1.1 200", [chunked], "0\r\n\r\n", Infinity],
    ["1.1 200", [], "", 0],
    ["1.1 200", [chunked, "Content-Length: 0"], "0\r\n\r\n", 0],
    ["1.1 200", ["Content-Length: 0", "Content-Length: 0"], "", 0],
    ["1.1 204", [], "", Infinity],
    ["1.1 304", [], "", Infinity],
    ["1.1 304", ["Content-Length: 0"], "", Infinity],
    ["1.1 304", ["Content-Length: 5"], "", 0],
    ["1.1 204", [chunked], "", 0],
    ["1.0 200", ["Content-Length: 0"], "", 0],
    ["1.1 200", ["Content-Length: 0", "Connection: Close"], "", 0],
    ["1.1 200", ["Content-Length: 0", "Connection: closed"], "", Infinity],
    ["1.1 200", ["Content-Length: 0", "Keep-Alive: max=9, timeout=5"], "", 4000],
  ];
  for (const [first, headers, body, kept] of cases) {
    const head = [`HTTP/${first} Any`, ...headers].join("\r\n");
    equal((await answerOf(`${head}\r\n\r\n${body}`)).keepMs, kept, head);
  }
});
