import { deepEqual, equal, match } from "node:assert/strict";
import { linesOf, openCounter } from "../../support/cli_fixture.ts";

/** Bodies that lack something: what is said, and what to do. */
const LACKING: [line: string, says: string, hint: string][] = [
  [
    "offerings create",
    "Cannot create an offering: --id and --display-name are missing",
    "Pass --id and --display-name, or a whole body with --file PATH.",
  ],
  [
    "offerings create --id a",
    "Cannot create an offering: --display-name is missing",
    "Pass --display-name, or a whole body with --file PATH.",
  ],
  [
    "offerings create -f empty.json --id a",
    "Cannot create an offering: --display-name is missing",
    "Pass --display-name, or a whole body with --file PATH.",
  ],
  [
    "products create",
    "Cannot create a product: --file is missing",
    "Pass --file PATH (or - for standard input) with store_identifier, type and app_id.",
  ],
  [
    "products create -f part.json",
    'Cannot create a product: "store_identifier" and "app_id" are missing in the body',
    "Pass --file PATH (or - for standard input) with store_identifier and app_id.",
  ],
  [
    "packages create default --id a",
    "Cannot create a package: --display-name is missing",
    "Pass --display-name, or a whole body with --file PATH.",
  ],
  [
    "apps create --type amazon",
    "Cannot create an app: --name is missing",
    "Pass --name, or a whole body with --file PATH.",
  ],
  [
    "apps create --type amazon --name a",
    "Cannot create an app: --package is missing",
    "Pass --package, or the whole body with --file PATH.",
  ],
  [
    "apps create --type mac_app_store --name a --package b",
    "Cannot create an app: --package does not apply to the type mac_app_store",
    "Pass --bundle instead.",
  ],
  [
    "offerings update default",
    "Cannot update an offering: no changes are given",
    "Pass --display-name or --file PATH.",
  ],
  [
    "packages update x -f empty.json",
    "Cannot update a package: no changes are given",
    "Pass --display-name, --position or --file PATH.",
  ],
  [
    "products create -f nope.json",
    'Cannot read "nope.json": no such file',
    "Pass the path of a JSON file, or - for standard input.",
  ],
];

Deno.test("a missing field is named by its flag, or by its name in the file", async () => {
  const files = { "part.json": '{"type": "subscription"}', "empty.json": "{}" };
  await using counter = await openCounter({ files });
  for (const [line, says, hint] of LACKING) {
    const { code, out, err } = await counter.run(line);
    deepEqual([code, out], [2, ""], line);
    deepEqual(linesOf(err), [says, hint], line);
    deepEqual(counter.arrived, [], line);
  }
});

Deno.test("a body that is not a JSON object is refused with line and column, and not sent", async () => {
  const bad: [stdin: string, says: RegExp][] = [
    ['{"display_name": "a",}', /line 1, column 22: expected a name in double quotes/],
    ['{\n  "display_name": a\n}', /line 2, column 19: expected a value/],
    ["[1]", /line 1, column 1: expected an object, found an array/],
    ["null", /expected an object, found null/],
    ["", /standard input: it is empty/],
    ['{"metadata": {"n": 9007199254740993}}', /would be sent as 9007199254740992/],
  ];
  for (const [stdin, says] of bad) {
    await using counter = await openCounter({ stdin });
    const { code, out, err } = await counter.run("offerings update default --file -");
    deepEqual([code, out], [2, ""], stdin);
    match(err, says, stdin);
    deepEqual(counter.arrived, []);
  }
});

Deno.test("a body from a file is sent complete, with fields that have no flag", async () => {
  const web = { type: "svc_billing", name: "Web", svc_billing: { app_name: "N" } };
  const files = {
    "web.json": JSON.stringify(web),
    "ios.json":
      '{"app_store": {"bundle_id": "a.b", "shared_secret": "0123456789abcdef0123456789abcdef"}, "type": "app_store"}',
    "package.json": '{"lookup_key": "a", "display_name": "A", "position": 7}',
    "clear.json": '{"svc_billing": {"support_email": null}}',
  };
  await using counter = await openCounter({ files });
  const cases: [line: string, sent: string, body: unknown][] = [
    ["apps create --file web.json", "POST /apps", web],
    ["apps create --file web.json --name Other", "POST /apps", { ...web, name: "Other" }],
    ["apps create --file ios.json --name I --bundle c.d", "POST /apps", {
      type: "app_store",
      name: "I",
      app_store: { bundle_id: "c.d", shared_secret: "0123456789abcdef0123456789abcdef" },
    }],
    ["packages create default --file package.json", "POST /packages", {
      lookup_key: "a",
      display_name: "A",
      position: 7,
      offering_id: "default",
    }],
    ["packages create default --file package.json --id b --position 0", "POST /packages", {
      lookup_key: "b",
      display_name: "A",
      position: 0,
      offering_id: "default",
    }],
    ["apps update $svc_billing --file clear.json", "POST /apps/$svc_billing", {
      svc_billing: { support_email: null },
    }],
  ];
  for (const [line, sent, body] of cases) {
    const { code, err } = await counter.run(line);
    deepEqual([code, err], [0, ""], line);
    deepEqual(counter.arrived, [{ line: sent, body }], line);
  }
});

Deno.test("every POST and DELETE of the command line has its own idempotency key", async () => {
  const keys: (string | null)[] = [];
  await using counter = await openCounter({
    intercept: async (request, pass) => {
      if (request.url.includes("/v2/")) keys.push(request.headers.get("Idempotency-Key"));
      return await pass(request);
    },
  });
  keys.length = 0;
  await counter.run("offerings create --id a --display-name A");
  await counter.run("offerings archive a");
  await counter.run("offerings delete a -y");
  await counter.run("offerings list");
  equal(new Set(keys).size, 4);
  deepEqual(keys.map((key) => key !== null), [true, true, true, false]);
});
