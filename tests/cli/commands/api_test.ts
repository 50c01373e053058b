import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openDesk } from "../../support/harness.ts";

Deno.test("cli api sends any request, from the project or from the service's address", async () => {
  await using desk = await openDesk({
    files: { "b.json": '{"display_name":"File","metadata":null}' },
  });
  const project = `/v2/projects/${desk.projectId}`;
  const lines: [words: string[], sent: string][] = [
    [["GET", "/offerings"], `GET ${project}/offerings`],
    [["get", "offerings/default"], `GET ${project}/offerings/default`],
    [["GET", "/v2/projects/{project_id}/apps", "-f", "limit=1"], `GET ${project}/apps?limit=1`],
    [["GET", "http://127.0.0.1:4010/v2/projects"], "GET /v2/projects"],
    [["GET", "/projects"], "GET /v2/projects"],
    [["GET", "/projects/{project_id}/apps"], `GET ${project}/apps`],
    [
      [
        "POST",
        "/offerings",
        "-f",
        "lookup_key=sale",
        "--body",
        "@b.json",
        "-F",
        'metadata={"a":1}',
      ],
      `POST ${project}/offerings`,
    ],
    [["DELETE", "/offerings/sale", "-y"], `DELETE ${project}/offerings/sale`],
  ];
  for (const [words, sent] of lines) {
    const { code, json, err } = await desk.run("api", ...words);
    equal(code, 0, err);
    ok(json());
    const { method, path } = desk.sent.at(-1) ?? { method: "", path: "" };
    equal(`${method} ${path}`, sent);
  }
});

Deno.test("fields come from -f as text, from -F as JSON, and from the file below them", async () => {
  await using desk = await openDesk({ stdin: '{"lookup_key":"x","display_name":"File"}' });
  const words = ["api", "POST", "/offerings", "--body", "-", "-f", "display_name=7"];
  const { json } = await desk.run(...words, "-F", 'metadata={"n":[1,true]}');
  const { lookup_key, display_name, metadata } = json() as Record<string, unknown>;
  deepEqual({ lookup_key, display_name, metadata }, {
    lookup_key: "x",
    display_name: "7",
    metadata: { n: [1, true] },
  });
});

Deno.test("cli api --all reads every page, in each format", async () => {
  await using desk = await openDesk();
  const { json, err } = await desk.run("api", "GET", "/offerings?limit=1", "--all");
  equal((json() as { items: object[] }).items.length, 2);
  equal(err, "Read 2 items\n");
  const csv = await desk.run(
    ...["api", "GET", "/offerings?limit=1", "--all", "--output", "csv", "--fields", "lookup_key"],
  );
  equal(csv.out, "lookup_key\ndefault\nwinter_sale\n");
});

Deno.test("cli api asks before what cannot be undone, however its path is written", async () => {
  await using desk = await openDesk();
  for (
    const words of [
      ["DELETE", "/offerings/default"],
      ["POST", "/subscriptions/s/actions/cancel"],
      ["POST", "/subscriptions/s/actions/%72efund?x=1"],
      ["POST", "/subscriptions/s/actions/refund%2F"],
      ["POST", "/subscriptions/s/actions/Refund"],
      ["POST", "/customers/c/actions/revoke%5Fgranted_entitlement"],
      ["POST", "/customers/c/actions/transfer/"],
    ]
  ) {
    const { code, err } = await desk.run("api", ...words);
    equal(code, 3, err);
  }
  deepEqual(desk.sent.filter(({ method }) => method !== "GET"), []);
});

Deno.test("cli api refuses other origins, own headers and malformed values, and sends nothing", async () => {
  await using desk = await openDesk();
  const cases: [words: string[], message: RegExp][] = [
    [["GET", "https://other.example/v2/projects"], /^Cannot send a request to https:\/\/other/],
    [["GET", "http://127.0.0.1:4011/v2/projects"], /: the service is at http:\/\/127/],
    [["HEAD", "/offerings"], /^Cannot send "HEAD": there is no such method\n/],
    [["GET", "/offerings", "-H", "Authorization: Bearer x"], /the client sets it itself\n/],
    [["GET", "/offerings", "-H", "X-A:1", "-H", "X-B: é"], /it is malformed\n/],
    [["GET", "/offerings", "-H", "oops"], /"oops": it is malformed\n/],
    [["GET", "/offerings", "-H", ": x"], /": x": it is malformed\n/],
    [["POST", "/offerings", "-F", "a=nope"], /^Cannot use "nope" for a: it is not JSON\n/],
    [["POST", "/offerings", "-F", "a="], /^Cannot use "" for a: it is not JSON\n/],
    [
      ["POST", "/offerings", "-F", "a=[1,]"],
      /: it is not JSON: line 1, column 4: expected a value\n/,
    ],
    [
      ["POST", "/offerings", "-F", "a=9007199254740993"],
      / for a: the number \S+ would be sent as 9007199254740992\n/,
    ],
    [["POST", "/offerings", "-f", "a=1", "-f", "a=2"], /^Cannot send the field "a" twice\n/],
    [["POST", "/offerings", "--body", "b.json"], /it names no file\n/],
    [["POST", "/offerings", "--all"], /only GET lists\n/],
    [["GET", "/offerings", "--body", "-"], /^Cannot send a body with GET\n/],
  ];
  for (const [words, message] of cases) {
    const { code, err } = await desk.run("api", ...words);
    equal(code, 2, err);
    match(err, message);
  }
  deepEqual(desk.sent, []);
});

Deno.test("cli api sends headers, hides secrets in the log and reports errors as other commands", async () => {
  const seen: (string | null)[] = [];
  await using desk = await openDesk({
    intercept: (request, pass) => {
      if (request.method === "POST" && request.url.includes("/offerings")) {
        seen.push(request.headers.get("x-note"), request.headers.get("idempotency-key"));
      }
      return pass(request);
    },
  });
  desk.env["CLI_DEBUG"] = "http";
  const words = ["api", "POST", "/offerings", "-f", "lookup_key=default", "-f", "display_name=x"];
  const headers = ["-H", "X-Note: hello", "-H", "Idempotency-Key: k1", "-H", "X-Api-Key: s3cr3t"];
  const { code, err } = await desk.run(...words, ...headers);
  equal(code, 7);
  deepEqual(seen, ["hello", "k1"]);
  match(err, /x-note: hello/);
  ok(!err.includes("s3cr3t") && !/Bearer [a-z0-9]/i.test(err));
});

Deno.test("cli api refuses a path that would mean another one", async () => {
  await using desk = await openDesk();
  const lines = [
    ["/../proj_other/offerings", '".."'],
    ["/offerings/./default", '"."'],
    ["/offerings/%2E%2e/apps", '"%2E%2e"'],
    ["/offerings/.\t./apps", '".."'],
    ["/offerings\\..\\apps", '".."'],
    ["http://127.0.0.1:4010/v2/../v2/projects", '".."'],
    ["/projects/{project}/offerings", "{project}"],
    ["/offerings/{id}?limit=1", "{id}"],
  ];
  for (const [path = "", named = ""] of lines) {
    const { code, out, err } = await desk.run("api", "GET", path);
    deepEqual([code, out], [2, ""], path);
    ok(err.startsWith(`Cannot send a request to ${JSON.stringify(path)}: `), err);
    ok(err.split("\n")[0]?.includes(named), err);
  }
  deepEqual(desk.sent, []);
  equal((await desk.run("api", "GET", "/offerings?limit=1&x=../{id}")).code, 0);
});
