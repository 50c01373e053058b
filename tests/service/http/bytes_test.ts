import { deepEqual, equal, rejects } from "node:assert/strict";
import { hasUnreadBody, isArriving, readBytes } from "../../../lib/service/http/bytes.ts";

/** A request whose body comes in pieces, and does not end unless they do. */
function requestOf(pieces: Uint8Array<ArrayBuffer>[], length?: number, ends = true): Request {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(stream) {
      const piece = left.shift();
      if (piece) stream.enqueue(piece);
      else if (ends) stream.close();
      else await new Promise(() => {});
    },
  });
  const headers = new Headers();
  if (length !== undefined) headers.set("Content-Length", String(length));
  return new Request("http://127.0.0.1/", { method: "POST", body, headers });
}

/** Bytes that differ from their neighbours. */
function bytesOf(length: number, from = 0): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (from + i) % 251);
}

const TOO_LARGE = {
  name: "Refusal",
  status: 413,
  message: "The body is larger than 10 bytes",
};

Deno.test("a body that is announced as too large is refused before it comes", async () => {
  const waiting = requestOf([], 11, false);
  await rejects(readBytes(waiting, 10), TOO_LARGE);
  deepEqual([isArriving(waiting), hasUnreadBody(waiting)], [false, true]);
  deepEqual(await readBytes(requestOf([bytesOf(10)], 10), 10), bytesOf(10));
});

Deno.test("a body of unknown length is refused at the first byte over the limit", async () => {
  const ten = [bytesOf(4), bytesOf(6, 4)];
  deepEqual(await readBytes(requestOf(ten), 10), bytesOf(10));
  await rejects(readBytes(requestOf([...ten, bytesOf(1)], undefined, false), 10), TOO_LARGE);
});

Deno.test("a body has the same bytes in any pieces, whether its length is known or not", async () => {
  for (const sizes of [[0], [1, 4095], [1, 4096], [4096, 1], [3000, 3000, 3000], [70_000, 5]]) {
    let from = 0;
    const pieces = sizes.map((size) => bytesOf(size, (from += size) - size));
    const all = bytesOf(from);
    for (const length of [undefined, from]) {
      const read = await readBytes(
        requestOf(pieces.filter(({ length }) => length > 0), length),
        from,
      );
      deepEqual(read, all, `${sizes} of ${length}`);
    }
  }
});

Deno.test("a body arrives until it is read, and is unread until then", async () => {
  for (const length of [1, 300_000]) {
    const whole = requestOf([bytesOf(length)], length);
    deepEqual([isArriving(whole), hasUnreadBody(whole)], [false, true]);
    const read = readBytes(whole, length);
    equal(isArriving(whole), true);
    await read;
    deepEqual([isArriving(whole), hasUnreadBody(whole)], [false, false]);
  }
  const chunked = new Request("http://127.0.0.1/", {
    method: "POST",
    body: "a",
    headers: { "Transfer-Encoding": "chunked" },
  });
  equal(hasUnreadBody(chunked), true);
  const none = new Request("http://127.0.0.1/", { headers: { "Content-Length": "0" } });
  equal(hasUnreadBody(none), false);
  equal(hasUnreadBody(new Request("http://127.0.0.1/")), false);
});
