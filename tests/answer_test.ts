import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { LARGEST_ANSWER, readAnswer } from "../lib/answer.ts";
import { type Client, createClient } from "../lib/client.ts";
import { NetworkError } from "../lib/errors.ts";
import { each, type Page } from "../lib/page.ts";
import { path } from "../lib/path.ts";

/** A client whose service has one answer, with the number of requests. */
function answering(
  answer: () => BodyInit | ReadableStream<Uint8Array<ArrayBuffer>>,
): { client: Client; asked: () => number } {
  let asked = 0;
  const client = createClient({
    baseUrl: "http://127.0.0.1:1",
    projectId: "proj1",
    silenceMs: 50,
    pause: () => Promise.resolve(),
    fetch: () => {
      asked++;
      return Promise.resolve(new Response(answer()));
    },
  });
  return { client, asked: () => asked };
}

/** A stream that ends after so many bytes, or never. */
function stream(bytes: number, sent: { bytes: number }): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunk = new Uint8Array(65_536).fill(0x20);
  return new ReadableStream({
    pull(controller) {
      if (sent.bytes >= bytes) return controller.close();
      controller.enqueue(chunk);
      sent.bytes += chunk.length;
    },
  });
}

Deno.test("an answer is read up to 32 MiB after decompression", async () => {
  const sent = { bytes: 0 };
  const { client, asked } = answering(() =>
    stream(64 * LARGEST_ANSWER, sent).pipeThrough(new CompressionStream("gzip"))
      .pipeThrough(new DecompressionStream("gzip"))
  );
  await rejects(client.get(path`/apps`), (error) => {
    ok(error instanceof NetworkError);
    match(error.message, /it exceeds 32 MiB$/);
    return true;
  });
  strictEqual(asked(), 1, "it is not asked for again");
  ok(sent.bytes < 2 * LARGEST_ANSWER, `${sent.bytes} bytes were read`);
});

Deno.test("an answer that stalls is aborted and requested again", async () => {
  const { client, asked } = answering(() =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"object"')),
    })
  );
  await rejects(client.get(path`/apps`), /it did not answer in time/);
  strictEqual(asked(), 5);
});

Deno.test("a text split across chunks is decoded correctly", async () => {
  const bytes = new TextEncoder().encode('\ufeff{"name":"é🎈"}');
  const { client } = answering(() => ReadableStream.from([...bytes].map((b) => Uint8Array.of(b))));
  strictEqual((await client.get<{ name: string }>(path`/apps`)).name, "é🎈");
});

Deno.test("answers that arrive at the same time, in parts, do not mix", async () => {
  const bodies = Array.from({ length: 12 }, (_, i) => `{"n":"${`${i}é`.repeat(20_000)}"}`);
  const inParts = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at += 7001));
      },
    });
  };
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => new Response(inParts(bodies[Number(new URL(url).pathname.slice(1))] ?? "")),
  );
  const { port } = server.addr;
  const received = (i: number) => fetch(`http://127.0.0.1:${port}/${i}`);
  const made = (i: number) => Promise.resolve(new Response(inParts(bodies[i] ?? "")));
  for (const get of [received, received, made]) {
    const texts = await Promise.all(bodies.map(async (_, i) => await readAnswer(await get(i))));
    deepStrictEqual(texts, bodies);
  }
  strictEqual(await readAnswer(await received(99)), "");
  strictEqual(await readAnswer(new Response(null)), "");
});

Deno.test("what the platform keeps of a request until a full collection is let go or never made", async () => {
  const { fetch, Request } = globalThis;
  const answers: Response[] = [];
  let requests = 0;
  globalThis.fetch = async (...sent) => {
    const response = await fetch(...sent);
    answers.push(response);
    return response;
  };
  globalThis.Request = class extends Request {
    constructor(...words: ConstructorParameters<typeof Request>) {
      super(...words);
      requests++;
    }
  };
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(`{"a":"${"é".repeat(100_000)}"}`),
  );
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  try {
    await createClient({ baseUrl, projectId: "proj1" }).get(path`/apps`);
    strictEqual(requests, 0, "one is made for a listener only");
    const seen: string[] = [];
    const onExchange = ({ request }: { request: Request }) => void seen.push(request.url);
    await createClient({ baseUrl, projectId: "proj1", onExchange }).get(path`/apps`);
    deepStrictEqual([requests, seen], [1, [`${baseUrl}/v2/projects/proj1/apps`]]);
  } finally {
    Object.assign(globalThis, { fetch, Request });
  }
  deepStrictEqual(answers.map(({ body }) => body?.locked), [false, false], "readers are released");
});

const LIST = { object: "list", items: [], next_page: null, url: "/v2/projects/proj1/apps" };

Deno.test("an answer of another form is an error of the answer, not a bug of the program", async () => {
  const nested = (open: string, close: string, levels: number) =>
    `{"a":${open.repeat(levels)}1${close.repeat(levels)}}`;
  const answers: [string, RegExp][] = [
    [JSON.stringify({ ...LIST, next_page: 5 }), /a list whose next_page is not a string/],
    [JSON.stringify({ ...LIST, url: {} }), /a list whose url is not a string/],
    [JSON.stringify({ ...LIST, items: [null] }), /a list with an item that is not an object/],
    [JSON.stringify({ ...LIST, items: ["x"] }), /a list with an item that is not an object/],
    [JSON.stringify({ ...LIST, items: 1 }), /a list without an array of items/],
    [
      JSON.stringify({ items: [{ object: "app", list: { ...LIST, items: [null] } }] }),
      /not an object/,
    ],
    [JSON.stringify({ items: [{ list: { object: "list", items: 1 } }] }), /without an array/],
    [JSON.stringify({ items: [3], next_page: null }), /a list with an item that is not an object/],
    ...["null", "5", '"x"', "true", "[]", "[null]"].map((text): [string, RegExp] => [
      text,
      /a value that is not an object/,
    ]),
    [nested("[", "]", 1_000_000), /more than 100 levels/],
    [nested('{"a":', "}", 50_000), /more than 100 levels/],
  ];
  for (const [text, why] of answers) {
    const { client } = answering(() => text);
    const walk = Array.fromAsync(each(client, client.get<Page<unknown>>(path`/apps`)));
    await rejects(walk, (error) => {
      ok(error instanceof NetworkError, String(error));
      match(error.message, why);
      return true;
    });
  }
  const { client } = answering(() => nested("[", "]", 90));
  await client.get(path`/apps`);
});
