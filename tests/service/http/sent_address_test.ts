import { equal } from "node:assert/strict";
import {
  originOf,
  parsedPath,
  parsedPathAndQuery,
  sentPath,
  sentQuery,
} from "../../../lib/service/http/sent_address.ts";
import { fc } from "../../support/properties.ts";

Deno.test("an address has the parts that were sent", () => {
  const cases: [url: string, origin: string, path: string, query: string][] = [
    ["http://127.0.0.1:4010/v2/a?x=/y", "http://127.0.0.1:4010", "/v2/a", "?x=/y"],
    ["https://[::1]/", "https://[::1]", "/", ""],
    ["http://a", "http://a", "", ""],
    ["http://a/b#c?d", "http://a", "/b", "?d"],
    ["http://a/b?c#d", "http://a", "/b", "?c#d"],
    ["http://a/x/../b%2Fc", "http://a", "/x/../b%2Fc", ""],
  ];
  for (const [url, origin, path, query] of cases) {
    equal(originOf(url), origin, url);
    equal(sentPath(url), path, url);
    equal(sentQuery(url), query, url);
  }
});

Deno.test("the path and query are those of a parser, whatever was sent", () => {
  const sign = fc.constantFrom(..."/./..?#%2e%2F\\:@$!*'()[]{}|^`~+,;=&\"<> aé\t", "..", "//");
  const rest = fc.array(fc.oneof(sign, fc.string({ unit: "binary" })), { maxLength: 12 });
  fc.assert(
    fc.property(rest, (signs) => {
      const url = `http://127.0.0.1:4010/${signs.join("")}`;
      const { pathname, search } = new URL(url);
      equal(parsedPath(url), pathname, url);
      equal(parsedPathAndQuery(url), pathname + search, url);
    }),
    { numRuns: 2000 },
  );
});
