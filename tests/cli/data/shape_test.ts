import { deepEqual, equal, match, ok } from "node:assert/strict";
import { csvLines } from "../../../lib/cli/data/csv.ts";
import { fieldNames, leavesOf, onlyFields, valueAt } from "../../../lib/cli/data/fields.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { at } from "../../support/cli_fixture.ts";
import { openHome } from "../../support/home_fixture.ts";

/** A desk whose service answers every read of a project with this text. */
function openWith(text: string): Promise<Desk> {
  return openDesk({
    intercept: (request, pass) =>
      /\/v2\/projects\/\w+$/.test(new URL(request.url).pathname)
        ? Promise.resolve(new Response(text))
        : pass(request),
  });
}

const ODD = '{"object":"project","id":"p1","big":9007199254740993,"rate":0.10,"more":{"a":null,' +
  '"b.c":"dotted"},"list":[{"x":1},{"x":2.50}],"none":null,"yes":true,"formula":"=1+1",' +
  '"minus":-5.00}';

Deno.test("a field is found by its dotted name, also in arrays and under a key with a dot", () => {
  const found = ["big", "more.a", "more.b.c", "list.x", "none.any", "yes", "absent", "yes.x"]
    .map((field) => valueAt(ODD, field));
  deepEqual(found, [
    "9007199254740993",
    "null",
    '"dotted"',
    "[1,2.50]",
    "null",
    "true",
    undefined,
    undefined,
  ]);
  equal(
    onlyFields(ODD, ["rate", "more.b.c", "list.x", "absent", "none.any"]),
    '{"rate":0.10,"more":{"b.c":"dotted"},"list":[{"x":1},{"x":2.50}],"absent":null,"none":null}',
  );
  deepEqual(leavesOf(ODD).map(([name]) => name).slice(4, 7), ["more.a", "more.b.c", "list"]);
  ok(fieldNames(ODD).includes("list.x"));
});

Deno.test("every format prints the numbers of the answer unchanged", async () => {
  await using desk = await openWith(ODD);
  const shown = async (...words: string[]) => (await desk.run("projects", "view", ...words)).out;
  equal(await shown("--output", "ndjson"), `${ODD}\n`);
  equal(
    await shown("--output", "csv"),
    "object,id,big,rate,more.a,more.b.c,list,none,yes,formula,minus\n" +
      'project,p1,9007199254740993,0.10,,dotted,"[{""x"":1},{""x"":2.50}]",,true,\'=1+1,-5.00\n',
  );
  equal(
    await shown("--output", "csv", "--fields", "rate,list.x"),
    'rate,list.x\n0.10,"[1,2.50]"\n',
  );
  equal(await shown("--fields", "big,rate"), "big   9007199254740993\nrate  0.10\n");
  equal(
    await shown("--output", "json", "--fields", "big,rate"),
    '{\n  "big": 9007199254740993,\n  "rate": 0.10\n}\n',
  );
  equal(await shown("--jq", ".big, .rate"), "9007199254740993\n0.10\n");
});

Deno.test("no cell of CSV begins like a formula, and numbers stay numbers", () => {
  const texts = ["=1", "+1", "-1", "@x", "\tx", "\rx", "x=1", " =1", 'say "hi"', "a,b", "a\nb", ""];
  const rows = texts.map((text) => [JSON.stringify(text), "-12.50"]);
  deepEqual(csvLines(rows).split(",-12.50\n"), [
    "'=1",
    "'+1",
    "'-1",
    "'@x",
    "'\tx",
    '"\'\rx"',
    "x=1",
    " =1",
    '"say ""hi"""',
    '"a,b"',
    '"a\nb"',
    "",
    "",
  ]);
});

Deno.test("lists are printed in every format", async () => {
  await using desk = await openDesk();
  const shown = async (...words: string[]) => {
    const { code, out, err } = await desk.run("offerings", "list", ...words);
    deepEqual([code, err], [0, ""], words.join(" "));
    return out;
  };
  const fields = ["--fields", "lookup_key,metadata.badge,is_current"];
  equal(
    await shown("--output", "csv", ...fields),
    "lookup_key,metadata.badge,is_current\ndefault,,true\nwinter_sale,Save 40 %,false\n",
  );
  equal(
    await shown("--output", "ndjson", ...fields),
    '{"lookup_key":"default","metadata":null,"is_current":true}\n' +
      '{"lookup_key":"winter_sale","metadata":{"badge":"Save 40 %"},"is_current":false}\n',
  );
  equal(
    await shown(...fields),
    "LOOKUP_KEY   METADATA.BADGE  IS_CURRENT\n" +
      "default      -               yes\n" +
      "winter_sale  Save 40 %       no\n",
  );
  const json = JSON.parse(await shown("--output", "json", "--fields", "lookup_key"));
  deepEqual(json.items, [{ lookup_key: "default" }, { lookup_key: "winter_sale" }]);
  equal(json.next_page, null);
  match(await shown("--fields"), /^object\nid\nlookup_key\n[^]*metadata\.badge\n$/);
  const all = await shown("--output", "csv");
  match(all, /^object,id,lookup_key,display_name,is_current,state,created_at,.*metadata\.badge\n/);
});

Deno.test("documents with rows of their own are tables in CSV", async () => {
  await using desk = await openDesk();
  const first = async (...words: string[]) => {
    const { out } = await desk.run(...words, "--output", "csv");
    return out.split("\n", 1)[0];
  };
  match(await first("charts", "get", "mrr") ?? "", /^cohort,incomplete,measure,value$/);
  match(await first("metrics", "overview") ?? "", /^object,id,name,/);
  equal(await first("doctor"), "check,status,detail,fix");
  equal(await first("events", "types"), "type,meaning,trigger,why_not");
});

Deno.test("an unknown field is an error, and after a change a warning", async () => {
  await using desk = await openDesk();
  const { code, out, err } = await desk.run("offerings", "list", "--fields", "id,nam");
  deepEqual([code, out], [2, ""]);
  match(err, /^Cannot show the field "nam": the answer has object, id, lookup_key/);
  const made = await desk.run(
    ...["offerings", "create", "--id", "new", "--display-name", "New"],
    ...["--fields", "lookup_key,nam", "--output", "json"],
  );
  deepEqual([made.code, made.json()], [0, { lookup_key: "new", nam: null }]);
  match(made.err, /^Warning: Cannot show the field "nam"/);
});

Deno.test("--fields alone sends no change", async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.run("offerings", "archive", "winter_sale", "--fields");
  deepEqual([code, desk.sent], [2, []]);
  match(err, /^Cannot list the fields of cli offerings archive: it changes something\n/);
});

Deno.test("conflicting flags for data are refused with the valid combinations", async () => {
  await using desk = await openDesk();
  const cases: [words: string[], message: RegExp][] = [
    [["-r"], /^Cannot use -r: it needs --jq\nPass --jq PROGRAM\.\n$/],
    [["--jq", ".", "--output", "csv"], /^Cannot print as CSV: jq prints its results itself\n/],
    [["--fields", "id,,name"], /^Cannot use "id,,name" for --fields: a name is empty\n/],
    [
      ["--output", "xml"],
      /no such format\nPass one of: --output table, --output json, --output csv/,
    ],
  ];
  for (const [words, message] of cases) {
    const { code, err } = await desk.run("offerings", "list", ...words);
    equal(code, 2);
    match(err, message);
  }
});

Deno.test("fields that only later rows have are named", async () => {
  const page = (more: string) =>
    `{"object":"list","items":[{"id":"a"}],${more}"url":"/v2/projects"}`;
  let asked = 0;
  await using desk = await openDesk({
    intercept: (request, pass) => {
      if (new URL(request.url).pathname !== "/v2/projects") return pass(request);
      const last = '{"object":"list","items":[{"id":"b","name":"B"}],"next_page":null,' +
        '"url":"/v2/projects"}';
      const first = page('"next_page":"/v2/projects?starting_after=a",');
      return Promise.resolve(new Response(asked++ === 0 ? first : last));
    },
  });
  const { code, out, err } = await desk.run("projects", "list", "--output", "csv");
  deepEqual([code, out], [0, "id\na\nb\n"]);
  match(err, /^Warning: The first rows lack fields that later ones have: name\./);
});

Deno.test("no text of the answer controls the terminal, in any format", async () => {
  const text = '{"object":"project","id":"p1","name":"a\\u001b[2Jb\\u009bc"}';
  await using desk = await openDesk({
    columns: 80,
    intercept: (request, pass) =>
      /\/v2\/projects\/\w+$/.test(new URL(request.url).pathname)
        ? Promise.resolve(new Response(text))
        : pass(request),
  });
  for (
    const words of [["--output", "csv"], ["--output", "ndjson"], ["--fields", "name"], [
      "--jq",
      ".name",
      "-r",
    ]]
  ) {
    const { code, out } = await desk.run("projects", "view", ...words);
    equal(code, 0);
    ok(
      !out.includes("\x1b") && !out.includes("\x9b") && out.includes("\\u001b[2Jb"),
      words.join(" "),
    );
  }
});

/** Lists of the demonstration project, and their fields in a row of CSV. */
const LISTS = [
  "projects list",
  "apps list",
  "products list",
  "entitlements list",
  "offerings list",
  "packages list",
  "packages list --offering default",
  "paywalls list",
  "subscribers list",
  "virtual-currencies list",
  "webhooks list",
  "collaborators list",
  "audit-logs list",
  "events list",
];

/** A desk whose service has a project, and nothing in any list. */
function openEmpty(): Promise<Desk> {
  return openDesk({
    intercept: async (request, pass) => {
      const response = await pass(request);
      const isList = /"object":"list"/.test(await response.clone().text());
      if (!isList || request.method !== "GET") return response;
      return Response.json({ ...await response.json(), items: [], next_page: null });
    },
  });
}

Deno.test("an empty list has the same CSV header as a full one", async () => {
  await using full = await openDesk({ buyers: true });
  await using none = await openEmpty();
  for (const { env, service } of [full, none]) {
    env["CLI_SERVICE_ADMIN_SECRET"] = service.adminSecret;
  }
  for (const line of LISTS) {
    const words = [...line.split(" "), "--output", "csv"];
    const { code, out, err } = await none.run(...words);
    deepEqual([code, err], [0, ""], line);
    const [header = ""] = (await full.run(...words)).out.split("\n");
    // A row tells an object that may be null only where it is there.
    const fields = new Set(out.trimEnd().split(","));
    const isKnown = (field: string) =>
      fields.has(field) || [...fields].some((one) => one.startsWith(`${field}.`)) ||
      [...fields].some((one) => field.startsWith(`${one}.`));
    ok(out.trimEnd().split(",").length > 2, line);
    deepEqual(header.split(",").filter((field) => !isKnown(field)), [], line);
  }
});

Deno.test("an empty list refuses fields that its items cannot have, in every format", async () => {
  await using desk = await openEmpty();
  for (const words of [["csv"], ["ndjson"], ["json"], ["table"], ["json", "--jq", ".items"]]) {
    const shown = ["offerings", "list", "--output", ...words, "--fields"];
    const { code, out, err } = await desk.run(...shown, "id,nosuch");
    deepEqual([code, out], [2, ""], words.join(" "));
    const message = err.startsWith("{") ? at(JSON.parse(err), "error", "message") : err;
    match(
      String(message),
      /^Cannot show the field "nosuch": its items have object, id, lookup_key, /,
    );
    const known = await desk.run(...shown, "id,metadata.badge,packages.items.lookup_key");
    equal(known.code, 0, known.err);
  }
  const names = (await desk.run("products", "list", "--fields")).out;
  match(names, /^object\nid\nstore_identifier\ntype\nsubscription\nsubscription\.duration\n/);
  const csv = await desk.run("products", "list", "--output", "csv", "--fields", "id,app.name");
  equal(csv.out, "id,app.name\n");
  const aliases = await desk.run("api", "GET", "/customers/ada/aliases", "--output", "csv");
  equal(aliases.out, "object,id,created_at\n");
});

Deno.test("lists that this program makes have their header when they are empty", async () => {
  await using home = await openHome();
  equal((await home.run("alias list --output csv")).out, "name,command\n");
  const sign = "name,active,base_url,token,expires_at,problem\n";
  equal((await home.run("auth list --output csv")).out, sign);
  await home.run(["alias", "set", "keys", "offerings list"]);
  equal((await home.run("alias list --output csv")).out, "name,command\nkeys,offerings list\n");
  equal((await home.run("alias list --fields nosuch")).code, 2);
});
