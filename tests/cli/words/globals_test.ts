import { deepEqual, equal, match, ok } from "node:assert/strict";
import { at, linesOf, openCounter } from "../../support/cli_fixture.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("global flags work before, between and after the words, with a space or =", async () => {
  await using desk = await openDesk();
  const expected = await desk.run("offerings", "view", "default", "--output", "json");
  equal(at(expected.json(), "lookup_key"), "default");
  const forms = [
    ["--output", "json", "offerings", "view", "default"],
    ["--output=json", "offerings", "view", "default"],
    ["offerings", "--output", "json", "view", "default"],
    ["offerings", "view", "--output=json", "default"],
    ["offerings", "view", "default", "--output=json"],
    ["offer", "view", "--no-packages", "--output", "json", "default"],
    ["offerings", "view", "--output", "json", "--", "default"],
  ];
  for (const words of forms) {
    deepEqual(await outOf(desk.run(...words)), expected.out, words.join(" "));
  }
  const { out } = await desk.run("offerings", "view", "default", "--output=table");
  match(out, /^id +ofrng/);
});

async function outOf(running: Promise<{ out: string }>): Promise<string> {
  return (await running).out;
}

Deno.test("text after -- is never a flag", async () => {
  await using desk = await openDesk();
  const body = { lookup_key: "--output", display_name: "A trap" };
  const asked: string[] = [];
  for (const id of ["--output", "--output=json", "-y", "--help", "-h", "--"]) {
    const { code, err } = await desk.run("offerings", "view", "--", id);
    deepEqual([code, err.includes(JSON.stringify(id))], [5, true], id);
    asked.push(`GET /v2/projects/${desk.projectId}/offerings/${encodeURIComponent(id)}`);
  }
  const paths = desk.sent.filter(({ path }) => path.startsWith("/v2/"));
  deepEqual(paths.map(({ method, path }) => `${method} ${path}`), asked);
  equal((await desk.send("POST", `/v2/projects/${desk.projectId}/offerings`, body)).status, 201);
  match((await desk.run("offerings", "view", "--", "--output")).out, /^display_name +A trap$/m);
});

Deno.test("an id that looks like a flag is an error with the right spelling", async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.run("offerings", "view", "-abc");
  equal(code, 2);
  match(err, /there is no flag -a$/m);
  match(err, /write --flag=-value; for an argument, put -- before it$/m);
  deepEqual(desk.sent, []);
});

Deno.test("an unknown format is refused with the choices, before anything else happens", async () => {
  await using desk = await openDesk();
  for (const format of ["xml", "JSON", "yaml", " json"]) {
    for (const words of [["offerings", "list"], ["nonsense"], []]) {
      const { code, out, err } = await desk.run(...words, `--output=${format}`);
      deepEqual([code, out], [2, ""]);
      deepEqual(linesOf(err), [
        `Cannot print as ${JSON.stringify(format)}: there is no such format`,
        "Pass one of: --output table, --output json, --output csv, --output ndjson",
      ]);
    }
  }
  deepEqual(desk.sent, []);
});

Deno.test("a global flag without its value is refused", async () => {
  await using desk = await openDesk();
  const forms = [
    ["offerings", "list", "--output"],
    ["offerings", "list", "--output="],
    ["offerings", "list", "--profile"],
    ["offerings", "list", "--project-id="],
    ["--project-id", "--output", "json", "offerings", "list"],
    ["offerings", "list", "--profile", "--", "x"],
  ];
  for (const words of forms) {
    const { code, out, err } = await desk.run(...words);
    deepEqual([code, out], [2, ""], words.join(" "));
    match(err, /Cannot read --(output|profile|project-id): its value is missing/, words.join(" "));
  }
  deepEqual(desk.sent, []);
});

Deno.test("a repeated global flag is refused, even with equal values", async () => {
  await using desk = await openDesk();
  for (
    const words of [
      ["offerings", "list", "--output", "json", "--output", "json"],
      ["--output=table", "offerings", "list", "--output", "json"],
      ["--project-id", "a", "offerings", "list", "--project-id=b"],
    ]
  ) {
    const { code, out, err } = await desk.run(...words);
    deepEqual([code, out], [2, ""], words.join(" "));
    match(err, /Cannot read the command line: --(output|project-id) is given twice/);
  }
  deepEqual(desk.sent, []);
});

Deno.test("--project-id overrides the environment, for every command", async () => {
  await using counter = await openCounter();
  const { desk } = counter;
  const { out } = await desk.run("projects", "create", "--name", "Two", "--output", "json");
  const id = String(at(JSON.parse(out), "id"));
  const listed = await desk.run("apps", "list", "--project-id", id, "--output", "json");
  deepEqual(at(listed.json(), "items"), []);
  match((await desk.run(`--project-id=${id}`, "projects", "view")).out, /^name +Two$/m);
  ok(desk.sent.some(({ path }) => path.startsWith(`/v2/projects/${id}/apps`)));
});

Deno.test("a project id is encoded once, and an invalid one is refused", async () => {
  await using desk = await openDesk();
  await desk.run("offerings", "list", "--project-id", "a/b?c");
  equal(desk.sent.at(-1)?.path, "/v2/projects/a%2Fb%3Fc/offerings?limit=100");
  desk.sent.length = 0;
  for (const id of ["..", "."]) {
    const { code, err } = await desk.run("offerings", "list", "--project-id", id);
    equal(code, 2);
    match(err, /as an id: a URL cannot contain it/);
  }
  deepEqual(desk.sent.filter(({ path }) => path.startsWith("/v2")), []);
});

Deno.test("a missing profile is named in the error", async () => {
  await using desk = await openDesk();
  desk.env["CLI_REFRESH_TOKEN"] = "";
  for (const words of [["--profile", "work"], ["--profile=work"]]) {
    const { code, err } = await desk.run("offerings", "list", ...words);
    equal(code, 4);
    match(err, /"work"/);
  }
});

Deno.test("version is the same under all its names, and available as JSON", async () => {
  await using desk = await openDesk({ empty: true });
  const { out } = await desk.run("version");
  for (const words of [["--version"], ["-V"]]) equal((await desk.run(...words)).out, out);
  const { json } = await desk.run("--version", "--output", "json");
  equal(at(json(), "name"), "cli");
  match(String(at(json(), "version")), /^\d+\.\d+\.\d+/);
});

Deno.test("a group without a command is an error, with its commands for a person", async () => {
  await using desk = await openDesk();
  for (const words of [["offerings"], ["offer"], ["packages"], ["service", "account"]]) {
    const { code, out, err } = await desk.run(...words);
    deepEqual([code, out], [2, ""]);
    match(err, /^USAGE\n {2}cli (offerings|packages|service account) <command>/m);
    match(err, /\n\nCannot run "[a-z ]+": it is a group of commands\nRun: cli [a-z ]+ --help\n$/);
  }
  for (const format of ["json", "ndjson"]) {
    const { code, out, err } = await desk.run("offerings", "--output", format);
    deepEqual([code, out], [2, ""]);
    equal(
      at(JSON.parse(err), "error", "message"),
      'Cannot run "offerings": it is a group of commands',
    );
  }
  deepEqual(desk.sent, []);
});

Deno.test("help that is asked for goes to standard output", async () => {
  await using desk = await openDesk();
  const asked = [[], ["help"], ["--help"], ["offerings", "--help"], ["help", "offerings"]];
  for (const words of [...asked, ["offerings", "help"], ["offer", "-h"]]) {
    const { code, out, err } = await desk.run(...words);
    deepEqual([code, err], [0, ""], words.join(" "));
    match(out, /^USAGE\n {2}cli /m);
    const { json } = await desk.run(...words, "--output", "json");
    ok(Array.isArray(at(json(), "commands")), words.join(" "));
  }
});

Deno.test("-- before the command's own words has no effect", async () => {
  await using desk = await openDesk();
  for (const words of [["--", "apps", "list"], ["apps", "--", "list"]]) {
    const { code, out } = await desk.run(...words);
    equal(code, 0);
    match(out, /^ID/);
  }
  match((await desk.run("apps", "--")).err, /List the apps/);
});

Deno.test("a flag with an empty value is refused, not sent as an argument", async () => {
  await using desk = await openDesk();
  for (
    const words of [
      ["entitlements", "attach", "pro", "--bogus="],
      ["packages", "attach", "p", "q", "--eligibility="],
      ["products", "view", "--file="],
    ]
  ) {
    const { code, err } = await desk.run(...words);
    equal(code, 2);
    match(err, /--\w+ needs a value$/m);
  }
  equal(desk.sent.length, 0);
});

Deno.test("a long wait for the service is announced", async () => {
  let limited = true;
  await using desk = await openDesk({
    intercept: async (request, pass) => {
      if (!limited || !request.url.includes("/apps")) return await pass(request);
      limited = false;
      return Response.json({ retryable: true }, { status: 429, headers: { "Retry-After": "44" } });
    },
  });
  const { code, err } = await desk.run("apps", "list");
  equal(code, 0);
  match(err, /The rate limit of the service is reached; retrying in 4[45] s/);
});

Deno.test("two problems are one line with a single beginning", async () => {
  await using counter = await openCounter();
  const missing = await counter.run("simulate purchase");
  match(missing.err, /^Cannot [^:]*: <user-id> is missing; <product-id> is missing\nRun: /);
  const wrong = await counter.run("simulate purchase zoe pro --price free --duration nope");
  match(wrong.err, /^Cannot use "free" for --price: [^\n]*; Cannot use "nope" [^\n]*\nRun: /);
  deepEqual([missing.code, wrong.code], [2, 2]);
});
