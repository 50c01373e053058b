import { equal, match, ok } from "node:assert/strict";
import { createHandler, type Fault, FAULTS, SECRET } from "../support/handlers.ts";
import { openFolder } from "../support/scenarios.ts";

/** Lives for a right handler; the long tests try 1,000. */
const RUNS = Deno.env.get("LONG_TESTS") ? "1000" : "25";

const BASE = "http://localhost:3000";

const STATE = ["--state", `${BASE}/users/{customer}`, "--secret", SECRET];

Deno.test("a right handler passes every life", async () => {
  await using folder = await openFolder(createHandler());
  const { code, out, err } = await folder.run(
    "verify",
    `${BASE}/hook`,
    ...STATE,
    "--runs",
    RUNS,
    ...["--save", `${folder.path}/v.yaml`],
  );
  equal(code, 0, out + err);
  match(err, new RegExp(`${RUNS} lives passed`));
  for (const situation of ["again", "unknown_type", "wrong_signature", "old_signature"]) {
    match(out, new RegExp(situation));
  }
});

/** Faults that take many lives to find; the long tests search for them. */
const RARE: readonly string[] = [
  "last write wins",
  "drops duplicates by type",
  "trusts arrival order",
  "grants on CANCELLATION",
];

for (const fault of FAULTS) {
  const name = `the fault of a handler (${fault}) is found and made small`;
  const ignore = RARE.includes(fault) && !Deno.env.get("LONG_TESTS");
  Deno.test({ name, ignore }, async () => {
    await using folder = await openFolder(createHandler(fault));
    const file = `${folder.path}/verify.yaml`;
    const { code, out, err } = await folder.run(
      ...["verify", `${BASE}/hook`, ...STATE, "--save", file, "--output", "json"],
    );
    equal(code, 1, err);
    const { fault: found, lives } = JSON.parse(out);
    ok(lives <= 200);
    ok(found.deliveries.length <= 6, found.deliveries.join("\n"));
    match(await Deno.readTextFile(file), /^# Found with: cli verify/);
  });
}

/** Serves a handler at an address of its own. */
function serve(fault?: Fault) {
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, createHandler(fault));
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("the scenario of a fault fails with that handler, and passes with a right one", async () => {
  await using folder = await openFolder((request) => fetch(request));
  const file = `${folder.path}/verify.yaml`;
  {
    await using faulty = serve("forgets transfer");
    const state = ["--state", `${faulty.url}/users/{customer}`, "--secret", SECRET];
    equal((await folder.run("verify", faulty.url, ...state, "--save", file)).code, 1);
    const text = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, text.replaceAll(faulty.url, "${HOST}"));
  }
  for (const fault of ["forgets transfer", undefined] as const) {
    await using handler = serve(fault);
    const hook = ["--webhook", handler.url, "--secret", SECRET, "--var", `HOST=${handler.url}`];
    const { code, out } = await folder.run("scenario", "run", file, ...hook);
    equal(code, fault === undefined ? 0 : 1, out);
  }
});

Deno.test("the example with a database passes", async () => {
  const program = new URL("../../scripts/examples/webhook_access.ts", import.meta.url);
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--allow-net=127.0.0.1"],
      ...["--allow-env=CLI_WEBHOOK_SECRET,CLI_WEBHOOK_PORT", program.href],
    ],
    env: { CLI_WEBHOOK_SECRET: SECRET, CLI_WEBHOOK_PORT: "0" },
    stderr: "piped",
    stdout: "null",
  });
  const child = command.spawn();
  try {
    const { value } = await child.stderr.pipeThrough(new TextDecoderStream()).getReader().read();
    const url = /http:\/\/\S+/.exec(value ?? "")?.[0] ?? "";
    await using folder = await openFolder((request) => fetch(request));
    const state = ["--state", `${url}users/{customer}`, "--secret", SECRET];
    const save = ["--save", `${folder.path}/v.yaml`];
    const { code, out } = await folder.run("verify", url, ...state, "--runs", RUNS, ...save);
    equal(code, 0, out);
  } finally {
    child.kill();
    await child.status;
  }
});

Deno.test("verify refuses what it cannot use", async () => {
  await using folder = await openFolder(createHandler());
  const cases: [string[], RegExp][] = [
    [[BASE, "--state", `${BASE}/users`, "--secret", SECRET], /it has no \{customer\}/],
    [[BASE, "--state", `${BASE}/{customer}`], /no signing secret is given/],
    [[BASE, "--state", `${BASE}/{customer}`, "--secret", "x"], /it is not whsec_/],
    [["https://example.com", ...STATE], /example\.com is not this machine/],
    [[BASE, ...STATE, "--path", "a..b"], /it is no path such as \.pro/],
    [[BASE, "--state", "https://example.com/{customer}", "--secret", SECRET], /--state: example/],
  ];
  for (const [words, message] of cases) {
    const { code, err } = await folder.run("verify", ...words);
    equal(code, 2, err);
    match(err, message);
  }
});
