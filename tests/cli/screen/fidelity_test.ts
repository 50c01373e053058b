import { equal, match, ok } from "node:assert/strict";
import { linesOf } from "../../support/cli_fixture.ts";
import { openDesk } from "../../support/harness.ts";

/** An item as no JSON library of ours would write it. */
const ITEM = (id: string) =>
  `{"object":"product", "id":"${id}", "store_identifier":"a\\u001b]52;c;eA==\\u0007","type":"x",` +
  `"display_name":"\\ud83d\\ude00 \\u202e日本","app_id":"a\\/b","created_at":9007199254740993,` +
  `"price":0.10,"tiny":1E-7,"huge":1e400,"minus":-0.0,"new_field":{"deep":[1.0,{"n":12345678901234567890}]},` +
  `"twice":1,"twice":2,"__proto__":{"x":1},"state":null,"empty":{},"none":[],"at":"2026"}`;

/** The page of a list. The first page goes on. */
const PAGE = (ids: string[], next: string | null) =>
  `{ "object":"list","items":[${ids.map(ITEM).join(" , ")}],"next_page":${JSON.stringify(next)},` +
  `"url":"/v2/projects/p/products","total":9007199254740995 }`;

/** A desk whose service answers with these texts, page after page. */
function openTelling(texts: string[]) {
  let at = 0;
  return openDesk({
    intercept: async (request, pass) => {
      if (!request.url.includes("/v2/")) return await pass(request);
      return new Response(texts[Math.min(at++, texts.length - 1)]);
    },
  });
}

/** JSON text without the space between its tokens. Strings here hold no space that matters. */
function squeezed(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => part.startsWith('"') ? part : "");
}

Deno.test("JSON output keeps every digit, spelling, unknown field and the order", async () => {
  await using desk = await openTelling([ITEM("prod1")]);
  for (const words of [["products", "view"], ["products", "archive"], ["apps", "view"]]) {
    const { out } = await desk.run(...words, "x", "--output", "json");
    equal(squeezed(out), squeezed(ITEM("prod1")));
  }
});

Deno.test("a list as JSON keeps them as well, over several pages", async () => {
  const pages = [
    PAGE(["1", "2"], "/v2/projects/p/products?starting_after=2"),
    PAGE(["3", "4"], "4"),
    PAGE(["5"], null),
  ];
  await using one = await openTelling([PAGE(["1", "2"], null)]);
  equal(
    squeezed((await one.run("products", "list", "--output", "json")).out),
    squeezed(PAGE(["1", "2"], null)),
  );
  await using all = await openTelling(pages);
  equal(
    squeezed((await all.run("products", "list", "--output", "json")).out),
    squeezed(PAGE(["1", "2", "3", "4", "5"], null)),
  );
  await using cut = await openTelling(pages);
  equal(
    squeezed((await cut.run("products", "list", "--limit", "3", "--output", "json")).out),
    squeezed(PAGE(["1", "2", "3"], "/v2/projects/p/products?starting_after=3")),
  );
});

Deno.test("JSON is indented, and contains nothing that controls a terminal", async () => {
  const raw = '{"a":"\u007f\u009b\u202e\u2028","b":[],"c":{},"d":[1,{"e":null}]}';
  await using desk = await openTelling([raw]);
  const { out } = await desk.run("products", "view", "x", "--output", "json");
  equal(
    out,
    `{
  "a": "\\u007f\\u009b\\u202e\\u2028",
  "b": [],
  "c": {},
  "d": [
    1,
    {
      "e": null
    }
  ]
}
`,
  );
  equal(JSON.stringify(JSON.parse(out)), JSON.stringify(JSON.parse(raw)));
});

Deno.test("tables show escapes, and cards show numbers as sent", async () => {
  await using desk = await openTelling([PAGE(["prod1"], null), ITEM("prod1")]);
  const table = await desk.run("products", "list");
  ok(table.out.includes("a\\u001b]52;c;eA==\\u0007"), table.out);
  const card = await desk.run("products", "view", "x");
  for (const { out } of [table, card]) {
    // deno-lint-ignore no-control-regex
    ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(out), JSON.stringify(out));
  }
  const expected = {
    id: "prod1",
    created_at: "9007199254740993",
    price: "0.10",
    tiny: "1E-7",
    huge: "1e400",
    minus: "-0.0",
    "new_field.deep": '1.0, {"n":"12345678901234567890"}',
    twice: "2",
    state: "-",
    empty: "-",
    none: "-",
    at: "2026",
    display_name: "😀 \\u202e日本",
  };
  for (const [label, value] of Object.entries(expected)) {
    const line = linesOf(card.out).find((one) => one.startsWith(`${label} `));
    equal(line?.slice(label.length).trim(), value, label);
  }
});

Deno.test("the combined offering keeps its numbers, and those of its packages", async () => {
  const packages = '{"object":"list","items":[{"id":"p","n":0.10}, {"n":9007199254740993}],' +
    '"next_page":null,"url":"/x"}';
  await using desk = await openTelling(['{"id":"o","n":1.50}', packages]);
  const { out } = await desk.run("offerings", "view", "o", "--packages", "--output", "json");
  equal(
    squeezed(out),
    '{"offering":{"id":"o","n":1.50},"packages":[{"id":"p","n":0.10},{"n":9007199254740993}]}',
  );
});

Deno.test("the packages of all offerings keep their numbers", async () => {
  const offerings =
    '{"object":"list","items":[{"id":"o","lookup_key":"k"}],"next_page":null,"url":"/x"}';
  const packages = '{"object":"list","items":[{"id":"p","n":0.10}],"next_page":null,"url":"/x"}';
  await using desk = await openTelling([offerings, packages]);
  const { out } = await desk.run("packages", "list", "--output", "json");
  match(squeezed(out), /"items":\[\{"id":"p","n":0\.10\}\]/);
});

Deno.test("requests contain exactly the given numbers, texts and fields", async () => {
  const given = '{"metadata": {"n": 0.1, "big": 9007199254740991, "t": "é\\u001b\\ud83d\\ude00", ' +
    '"__proto__": {"a": 1}, "z": null}}';
  let sent = "";
  await using desk = await openDesk({
    stdin: given,
    intercept: async (request, pass) => {
      if (request.method === "POST" && request.url.includes("/v2/")) {
        sent = await request.clone().text();
      }
      return await pass(request);
    },
  });
  await desk.run("offerings", "update", "default", "-f", "-");
  equal(
    sent,
    '{"metadata":{"n":0.1,"big":9007199254740991,"t":"é\\u001b😀","__proto__":{"a":1},"z":null}}',
  );
});
