import { equal, rejects } from "node:assert/strict";
import { exchange, ReplyError } from "../../../lib/service/events/exchange.ts";

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
