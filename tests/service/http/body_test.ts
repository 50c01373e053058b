import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { z } from "zod";
import {
  DEEPEST_BODY,
  LARGEST_BODY,
  MOST_VALUES,
  readBody,
  validate,
} from "../../../lib/service/http/body.ts";

/** Reads a body as JSON, or with other headers. */
function read(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return readBody(
    new Request("http://127.0.0.1/", {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", ...headers },
    }),
  );
}

/** The refusal of a request that cannot be read. */
function refusal(message: string, status = 400) {
  return { name: "Refusal", status, type: "invalid_request", message };
}

/** Lists in lists, so many levels of them. */
function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

Deno.test("JSON has its media type, with or without parameters, in any case", async () => {
  for (const type of ["application/json", "Application/JSON", "application/json ; charset=utf-8"]) {
    deepEqual(await read('{"a":1}', { "Content-Type": type }), {
      text: '{"a":1}',
      value: { a: 1 },
    });
  }
  for (
    const type of ["application/json5", "text/json", "x application/json", "application/json x"]
  ) {
    const message = `The body must be JSON: send Content-Type: application/json, not "${type}"`;
    await rejects(read("{}", { "Content-Type": type }), refusal(message));
  }
  const bytes = new TextEncoder().encode("{}");
  const none = new Request("http://127.0.0.1/", { method: "POST", body: bytes });
  await rejects(
    readBody(none),
    refusal(
      'The body must be JSON: send Content-Type: application/json, not ""',
    ),
  );
});

Deno.test("a body of nothing or of white space is an empty object, of any media type", async () => {
  for (const text of ["", " ", "\n\t"]) {
    deepEqual(await read(text, { "Content-Type": "text/plain" }), { text: "", value: {} });
  }
});

Deno.test("a body is not compressed, and may say so", async () => {
  for (const encoding of ["identity", " Identity ", ""]) {
    deepEqual((await read("{}", { "Content-Encoding": encoding })).value, {});
  }
  for (const encoding of ["gzip", "identity, gzip", "identityx", "x identity"]) {
    const message = `The body must not be compressed; it has Content-Encoding: ${encoding}`;
    await rejects(read("{}", { "Content-Encoding": encoding }), refusal(message));
  }
});

Deno.test("a body is UTF-8, with or without a byte order mark", async () => {
  const bytes = (...before: number[]) =>
    Uint8Array.from([...before, ...new TextEncoder().encode('{"a":"€"}')]);
  deepEqual(await read(bytes(0xef, 0xbb, 0xbf)), { text: '{"a":"€"}', value: { a: "€" } });
  await rejects(read(bytes(0xff)), refusal("The body is not valid UTF-8"));
});

Deno.test("a body has at most 4 MiB", async () => {
  const fits = `"${"a".repeat(LARGEST_BODY - 2)}"`;
  equal(LARGEST_BODY, 4_194_304);
  equal((await read(fits)).text.length, LARGEST_BODY);
  await rejects(read(`${fits} `), refusal("The body is larger than 4194304 bytes", 413));
});

Deno.test("a body has at most 20,000 values, and text is one of them", async () => {
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1));
  equal((await read(list(MOST_VALUES))).text.length, 40_001);
  await rejects(read(list(MOST_VALUES + 1)), refusal("The body has more than 20000 values"));
  const text = JSON.stringify({ a: ',{[:\\"'.repeat(20_000) });
  equal((await read(text)).text, text);
});

Deno.test("a body has at most 64 levels, and no text that would come back changed", async () => {
  equal(DEEPEST_BODY, 64);
  equal((await read(nested(64))).text.length, 128);
  const deep = refusal("The body is nested deeper than 64 levels");
  await rejects(read(nested(65)), deep);
  await rejects(read(`{"a":${nested(64)}}`), deep);
  const odd = refusal("The body contains invalid Unicode or a NUL character");
  for (const text of ['"\\ud800"', '["\\u0000"]', '{"a":[{"b":"\\udc00x"}]}', '{"\\u0000":1}']) {
    await rejects(read(text), odd, text);
  }
  await read('"\\ud83d\\ude00"');
  const special = refusal("The body has a field named __proto__");
  await rejects(read('{"a":[{"__proto__":1}]}'), special);
  await rejects(read("{"), refusal("The body is not valid JSON"));
});

Deno.test("a number keeps its exact value, or is refused with its place", () => {
  const free = z.record(z.string(), z.unknown());
  const most = Number.MAX_SAFE_INTEGER;
  const exact = { a: [most, -most, 0.1, 1e-7, { b: null, c: "9007199254740993", d: true }] };
  deepEqual(validate(free, exact), exact);
  const cases: [value: object, place: string][] = [
    [{ a: most + 1 }, "a"],
    [{ a: { b: [1, -most - 1] } }, "a.b.1"],
    [{ a: [{ b: Infinity }] }, "a.0.b"],
  ];
  for (const [value, place] of cases) {
    throws(() => validate(free, value), {
      name: "Refusal",
      message: `'${place}' must be at most ${most} in magnitude to keep its exact value; send it ` +
        "as text",
      details: { param: place },
    });
  }
});

Deno.test("of two limits of a number, its own is told", () => {
  const form = z.strictObject({ count: z.int().min(1).max(9), other: z.int() });
  const refused = (count: unknown, other: unknown, message: string) =>
    throws(() => validate(form, { count, other }), { message });
  refused(1e20, 0, "'count' must be 9 or less");
  refused(-1e20, 0, "'count' must be 1 or more");
  refused(1, 1e20, `'other' must be ${Number.MAX_SAFE_INTEGER} or less`);
  refused(10, 1e20, "'count' must be 9 or less");
  refused(1e20, "x", "'count' must be 9 or less");
  // The limit of another field with the same letters is not its own.
  const twins = z.strictObject({ a: z.strictObject({ b: z.int() }), ab: z.int().max(9) });
  throws(() => validate(twins, { a: { b: 1e20 }, ab: 10 }), {
    message: `'a.b' must be ${Number.MAX_SAFE_INTEGER} or less`,
  });
});

Deno.test("a missing field is named with its place, and a body of another kind as a whole", () => {
  const form = z.strictObject({ list: z.array(z.strictObject({ name: z.string() })).optional() });
  const refused = (body: unknown, message: string, param?: string) =>
    throws(() => validate(form, body), { status: 400, message, details: param ? { param } : {} });
  refused({ list: [{ name: "a" }, {}] }, "'list.1.name' is a required property", "list.1.name");
  refused({ list: [{ name: null }] }, "'list.0.name' must be text", "list.0.name");
  refused({ list: [{ name: "a", x: 1 }] }, "'list.0.x' is not a known field", "list.0.x");
  for (const body of [[], "text", null, 1]) refused(body, "The body must be an object");
});
