import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import {
  formatJson,
  joinPages,
  listItems,
  membersOf,
  valueText,
} from "../../../lib/cli/screen/json_text.ts";
import { NetworkError } from "../../../lib/errors.ts";

/** What may not stand raw in output, said in another way than the code under test says it. */
function isUnsafe(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f) || unit === 0x61c ||
    [0x200e, 0x200f, 0x2028, 0x2029].includes(unit) ||
    (unit >= 0x202a && unit <= 0x202e) || (unit >= 0x2066 && unit <= 0x2069);
}

/** `JSON.stringify`, with what is unsafe escaped character by character. */
function stringified(value: unknown): string {
  return [...JSON.stringify(value, null, 2)].map((character) => {
    const unit = character.charCodeAt(0);
    const hex = `\\u${unit.toString(16).padStart(4, "0")}`;
    return isUnsafe(unit) && character !== "\n" ? hex : character;
  }).join("");
}

/** Any JSON value, with text from all of Unicode. */
const anyValue = fc.jsonValue({ stringUnit: "binary", maxDepth: 6 });

/** White space that JSON allows between tokens. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** JSON text that `JSON.stringify` would never write: odd numbers, equal keys, escapes, spaces. */
const { odd } = fc.letrec<{ odd: string; list: string; members: string }>((tie) => ({
  odd: fc.tuple(
    space,
    fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("9007199254740993", "0.10", "1e400", "-0", "1E+2", "true", "null"),
      fc.constantFrom(
        '"\\u0041\\/\\ud83d"',
        '"a\u007f\u009b\u2028\u202e"',
        '"\ud800"',
        '"\\\\\\""',
      ),
      tie("list"),
      tie("members"),
    ),
    space,
  ).map((parts) => parts.join("")),
  list: fc.array(tie("odd"), { maxLength: 4 }).map((all) => `[${all.join(",")}]`),
  members: fc.array(fc.tuple(fc.constantFrom('"2"', '"1"', '"a\\"b"', '"items"'), tie("odd")))
    .map((all) => `{ ${all.map(([key, value]) => `${key}:${value}`).join(",")}}`),
}));

Deno.test("formatJson formats any value like JSON.stringify", () => {
  fc.assert(fc.property(anyValue, (value) => {
    strictEqual(formatJson(JSON.stringify(value)), stringified(value));
    strictEqual(formatJson(JSON.stringify(value, null, 7)), stringified(value));
  }));
});

Deno.test("formatJson keeps text that no serializer writes", () => {
  fc.assert(fc.property(odd, (text) => {
    const formatted = formatJson(text);
    deepStrictEqual(JSON.parse(formatted), JSON.parse(text));
    strictEqual(formatJson(formatted), formatted);
    strictEqual(formatJson(formatted, 0), formatJson(text, 0));
    ok(![...formatted].some((c) => isUnsafe(c.charCodeAt(0)) && c !== "\n"), formatted);
    ok(formatted.isWellFormed());
  }));
});

Deno.test("formatJson keeps numbers, order of keys, equal keys and escapes", () => {
  const text = String.raw`{"b":9007199254740993,"2":0.10,"1":1e400,"b":-0,"s":"\u00e9\/\n\"é"}`;
  const expected = String.raw`{
  "b": 9007199254740993,
  "2": 0.10,
  "1": 1e400,
  "b": -0,
  "s": "\u00e9\/\n\"é"
}`;
  strictEqual(formatJson(text), expected);
  strictEqual(formatJson(expected, 0), text);
});

Deno.test("formatJson leaves empty objects and arrays on one line", () => {
  strictEqual(
    formatJson(' {"a": [ ], "b":{\n}, "c":[[],{}]} '),
    '{\n  "a": [],\n  "b": {},\n  "c": [\n    [],\n    {}\n  ]\n}',
  );
  strictEqual(formatJson("[]"), "[]");
  strictEqual(formatJson(' "lone" '), '"lone"');
});

Deno.test("formatJson escapes only characters that could control a terminal", () => {
  strictEqual(
    formatJson('"\u007f\u0085\u009b\u2028\u202e\u2066\u200f\u061c\ud800é😀\u200d"'),
    '"\\u007f\\u0085\\u009b\\u2028\\u202e\\u2066\\u200f\\u061c\\ud800é😀\u200d"',
  );
});

Deno.test("JSON text may be a million levels deep", () => {
  const deep = (levels: number) => `${'[{"a":'.repeat(levels)}1${"}]".repeat(levels)}`;
  const text = formatJson(deep(5000));
  strictEqual(formatJson(text, 0), deep(5000));
  ok(text.length < 6_000_000, "indentation grows with the square of the depth");
  const page = `{"items":[${deep(500_000)},2],"next_page":null}`;
  deepStrictEqual(listItems(page), [deep(500_000), "2"]);
});

Deno.test("JSON text may be long: one string, much space, many items", () => {
  const escapes = `"${"\\n\\\\".repeat(2_000_000)}"`;
  strictEqual(formatJson(escapes), escapes);
  strictEqual(formatJson(`[1${" ".repeat(5_000_000)}]`, 0), "[1]");
  const items = Array(200_000).fill('{"a":[1.50]}');
  strictEqual(listItems(`{"items":[${items.join(",")}]}`).length, 200_000);
});

Deno.test("text that is not JSON still ends, and cannot control the terminal", () => {
  for (
    const text of ["", "   ", "]]}", "[", '{"a', "\u001b[31m", '{"a":', '"\\', "[1 2", "{,,:}"]
  ) {
    const formatted = formatJson(text);
    ok(![...formatted].some((c) => isUnsafe(c.charCodeAt(0)) && c !== "\n"), text);
    throws(() => listItems(text), NetworkError);
  }
  strictEqual(listItems('{"items":[1,2').length, 2);
});

Deno.test("listItems returns each item as the service wrote it", () => {
  const page = String.raw`
    { "object" : "list", "nested": {"items": [0]}, "items" : [ {"n": 9007199254740993, "n":0.10},
      [1, [2]], "a,]\"}" ,1e400,{} ], "next_page": null, "after": [{"items":[7]}] }`;
  deepStrictEqual(listItems(page), [
    '{"n": 9007199254740993, "n":0.10}',
    "[1, [2]]",
    String.raw`"a,]\"}"`,
    "1e400",
    "{}",
  ]);
  deepStrictEqual(listItems('{"items":[ ]}'), []);
  deepStrictEqual(listItems('{"items":[1],"\\u0069tems":[2,3]}'), ["2", "3"]);
});

Deno.test("listItems finds the items of any page that JSON.parse accepts", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), anyValue), fc.array(anyValue), (rest, items) => {
    for (const page of [{ items, ...rest, items2: 0 }, { ...rest, items }]) {
      if (!Array.isArray(page.items)) continue;
      const found = listItems(JSON.stringify(page, null, 1));
      deepStrictEqual(
        found.map((text) => JSON.parse(text)),
        JSON.parse(JSON.stringify(page.items)),
      );
    }
  }));
});

Deno.test("a page without items is refused", () => {
  const pages = [
    '{"object":"list"}',
    '{"items":null}',
    '{"items":{"a":1}}',
    '[{"items":[1]}]',
    "1",
  ];
  for (const page of pages) {
    throws(() => listItems(page), (error) => {
      ok(error instanceof NetworkError);
      match(error.message, /^Cannot show the list: /);
      return true;
    });
  }
  throws(() => joinPages([]), NetworkError);
});

Deno.test("joinPages keeps a single whole page unchanged", () => {
  const page = '{ "items" : [ 1.0 , 2 ],\n"next_page":null } ';
  strictEqual(joinPages([page]), page);
  strictEqual(joinPages([page], 2), page);
  strictEqual(joinPages([page], 1), '{ "items" : [1.0],\n"next_page":null } ');
});

Deno.test("joinPages takes every field but the items from the last page that has it", () => {
  const pages = [
    '{"object":"list","items":[{"id":"a","n":1.10}],"next_page":"/x?starting_after=a","url":"/x"}',
    '{"object":"list","items":[],"next_page":"/x?starting_after=a2","url":"/x"}',
    '{"new":9007199254740993,"object":"list","items":[{"id":"b"},{"id":"c"}],"next_page":null}',
  ];
  strictEqual(
    joinPages(pages),
    '{"new":9007199254740993,"object":"list",' +
      '"items":[{"id":"a","n":1.10},{"id":"b"},{"id":"c"}],"next_page":null,"url":"/x"}',
  );
  const odd = [
    '{"items":[],"\\u0061":1.0,"b":1,"next_page":"/x"}',
    '{ "b":2,"items":[],"a" : 3 } ',
  ];
  strictEqual(joinPages(odd), '{ "b":2,"items":[],"a" : 3 } ');
  strictEqual(joinPages([odd[0] ?? "", '{"items":[]}']), '{"items":[],"\\u0061":1.0,"b":1}');
  deepStrictEqual(listItems(joinPages(pages, 2)), ['{"id":"a","n":1.10}', '{"id":"b"}']);
  deepStrictEqual(listItems(joinPages(pages, 0)), []);
});

Deno.test("joinPages equals joining the parsed pages", () => {
  const anyPage = fc.record({ before: anyValue, items: fc.array(anyValue), next_page: anyValue });
  const pages = fc.array(anyPage, { minLength: 1, maxLength: 4 });
  fc.assert(fc.property(pages, fc.option(fc.nat(9), { nil: undefined }), (all, limit) => {
    const joined = joinPages(all.map((page) => JSON.stringify(page, null, 2)), limit);
    const items = all.flatMap((page) => page.items).slice(0, limit);
    deepStrictEqual(JSON.parse(joined), JSON.parse(JSON.stringify({ ...all.at(-1), items })));
  }));
});

Deno.test("an empty object has no members, and what follows an object is none of them", () => {
  deepStrictEqual(membersOf(" { } "), []);
  deepStrictEqual(membersOf('{"a":{}}\n  '), [["a", "{}"]]);
  strictEqual(valueText("{}\n", ""), undefined);
});
