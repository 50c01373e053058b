import { doesNotThrow, equal, throws } from "node:assert/strict";
import { fc } from "./support/properties.ts";
import { UsageError } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { anyText } from "./support/any_text.ts";

Deno.test("any id survives a URL as exactly one segment", () => {
  fc.assert(fc.property(anyText, anyText, (first, second) => {
    fc.pre(isUsable(first) && isUsable(second));
    const url = new URL("http://127.0.0.1:4010/v2/projects/p" + path`/a/${first}/b/${second}`);
    equal(url.search, "");
    equal(url.hash, "");
    const segments = url.pathname.split("/");
    equal(segments.length, 8);
    equal(decodeURIComponent(segments[5] ?? ""), first);
    equal(decodeURIComponent(segments[7] ?? ""), second);
  }));
});

Deno.test("an encoded id is encoded again, so that it keeps its value", () => {
  equal(path`/a/${"%2F"}`, "/a/%252F");
  equal(path`/a/${"%2e%2e"}`, "/a/%252e%252e");
  equal(path`/a/${"$anon:1 b+c/d?e#f\\g"}/x`, "/a/%24anon%3A1%20b%2Bc%2Fd%3Fe%23f%5Cg/x");
});

Deno.test("ids that a URL would change or cannot contain are refused", () => {
  for (const id of ["", ".", "..", "\ud800", "a\udc00b"]) {
    throws(() => path`/a/${id}`, (error) => error instanceof UsageError, JSON.stringify(id));
  }
  throws(() => path`/a/${".."}/b`, {
    message: 'Cannot use ".." as an id: a URL cannot contain it',
  });
  for (const id of ["...", ".a", " ", "\t", "\0", "%", "/", "ä".repeat(1500)]) {
    doesNotThrow(() => path`/a/${id}`, JSON.stringify(id));
  }
});

Deno.test("an id of an answer that is not a text is refused", () => {
  const answer: { id: string } = JSON.parse('{"id":5}');
  throws(() => path`/a/${answer.id}`, /the service's answer has an invalid id/);
});

function isUsable(id: string): boolean {
  return !["", ".", ".."].includes(id) && id.isWellFormed();
}
