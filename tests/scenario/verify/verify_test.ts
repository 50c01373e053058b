import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createHandler, type Fault, FAULTS, SECRET } from "../../support/handlers.ts";
import { Cancelled, verifyWebhook } from "../../../mod.ts";
import { SLOW_MS } from "../../../lib/scenario/deeds/made_up.ts";
import { tryHandler } from "../../../lib/scenario/verify/deliver.ts";
import { openFolder, type ScenarioFolder, START } from "../../support/scenarios.ts";

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
  match(err, new RegExp(`${RUNS} histories passed`));
  const situations = ["again", "unknown_type", "wrong_signature", "old_signature", "pause"];
  for (const situation of situations) {
    match(out, new RegExp(situation));
  }
});

Deno.test("a right handler that knows nobody until later passes, too", async () => {
  const handler = createHandler();
  let delivered = 0;
  await using folder = await openFolder((request) => {
    if (request.method !== "GET") delivered = Date.now();
    else if (Date.now() - delivered < 50) {
      return Promise.resolve(new Response("", { status: 404 }));
    }
    return handler(request);
  });
  const { code, out, err } = await folder.run(
    "verify",
    `${BASE}/hook`,
    ...STATE,
    "--runs",
    "4",
    ...["--save", `${folder.path}/v.yaml`],
  );
  equal(code, 0, out + err);
});

/** Faults that take many lives to find; the long tests search for them. */
const RARE: readonly string[] = [
  "last write wins",
  "drops duplicates by type",
  "trusts arrival order",
  "grants on CANCELLATION",
];

/** Histories that show a fault soon; the long tests search with the usual seed. */
const SOON: Readonly<Partial<Record<Fault, string>>> = Deno.env.get("LONG_TESTS")
  ? {}
  : { "forgets aliases": "4", "forgets transfer": "3" };

/** Serves a handler at an address of its own. */
function serve(fault?: Fault) {
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, createHandler(fault));
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, [Symbol.asyncDispose]: () => server.shutdown() };
}

for (const fault of FAULTS) {
  const name = `the fault of a handler (${fault}) is found, made small and shown by its scenario`;
  const ignore = RARE.includes(fault) && !Deno.env.get("LONG_TESTS");
  Deno.test({ name, ignore }, async () => {
    await using folder = await openFolder((request) => fetch(request));
    const file = `${folder.path}/verify.yaml`;
    await using faulty = serve(fault);
    const state = ["--state", `${faulty.url}/users/{customer}`, "--secret", SECRET];
    const { code, out, err } = await folder.run(
      ...["verify", faulty.url, ...state, "--save", file, "--output", "json", "--faults", "1"],
      ...["--seed", SOON[fault] ?? "1"],
    );
    equal(code, 1, err);
    const { fault: found, histories } = JSON.parse(out);
    ok(histories <= 200);
    ok(found.deliveries.length <= 6, found.deliveries.join("\n"));
    await isShown(folder, file, faulty.url, fault);
  });
}

/** The scenario fails with a fresh handler that has the fault, and passes with a right one. */
async function isShown(
  folder: ScenarioFolder,
  file: string,
  found: string,
  fault: Fault,
): Promise<void> {
  const text = await Deno.readTextFile(file);
  match(text, /^# Found with: cli verify/);
  await Deno.writeTextFile(file, text.replaceAll(found, "${HOST}"));
  for (const kind of [fault, undefined]) {
    await using handler = serve(kind);
    const hook = ["--webhook", handler.url, "--secret", SECRET, "--var", `HOST=${handler.url}`];
    const { code, out } = await folder.run("scenario", "run", file, ...hook);
    equal(code, kind === undefined ? 0 : 1, `${text}\n${out}`);
  }
}

Deno.test("a made-up delivery fails its step where the handler believes it", async () => {
  await using folder = await openFolder((request) => fetch(request));
  const trusting = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(),
  );
  try {
    const file = await folder.write(
      "a.yaml",
      `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
  - deliver: { event: 1, type: EXPIRATION, signature: wrong }
  - deliver: { event: 1, signature: old }
  - deliver: { event: 1, fields: { a_new_field: 1 } }
  - deliver: { event: 2 }
`,
    );
    const hook = ["--webhook", `http://127.0.0.1:${trusting.addr.port}/`];
    const { code, out } = await folder.run("scenario", "run", file, ...hook);
    equal(code, 1);
    match(out, /:9:5: step 2 .*: The handler accepted EXPIRATION with a wrong signature/);
    match(out, /:10:5: step 3 .*: The handler accepted INITIAL_PURCHASE with a signature of an h/);
    match(out, /:12:5: step 5 .*: Cannot do it: there is no event 2; events so far: 1/);
    equal(out.includes("step 4"), false);
    match((await folder.run("scenario", "run", file)).out, /there is no webhook: pass --webhook/);
  } finally {
    await trusting.shutdown();
  }
});

Deno.test("every different fault is reported, each with a scenario of its own", async () => {
  const right = createHandler();
  // It believes any signature, and fails on types that it does not know.
  const bad = async (request: Request): Promise<Response> => {
    if (request.method === "GET") return await right(request);
    const { event } = await request.clone().json();
    if (event.type === "A_NEW_TYPE") return new Response(null, { status: 500 });
    const taken = await right(request);
    return taken.status === 401 ? new Response() : taken;
  };
  await using folder = await openFolder(bad);
  const file = `${folder.path}/v.yaml`;
  const words = ["verify", `${BASE}/hook`, ...STATE, "--save", file, "--runs", "60"];
  const { code, out, err } = await folder.run(...words, "--output", "json");
  equal(code, 1);
  const { faults } = JSON.parse(out) as { faults: { kind: string; message: string }[] };
  const told = faults.map(({ message }) => message).join("\n");
  match(told, /answered 500 to A_NEW_TYPE/);
  match(told, /with a wrong signature/);
  match(told, /with a signature of an hour ago/);
  equal(faults.length, 3, told);
  match(err, /the handler has 3 faults/);
  for (const path of ["v.yaml", "v-2.yaml", "v-3.yaml"]) {
    match(await Deno.readTextFile(`${folder.path}/${path}`), /^# Found with: cli verify/);
  }
});

Deno.test("the files of all faults fail one after another, whatever the handler remembers", async () => {
  await using folder = await openFolder((request) => fetch(request));
  const known = new Set<string>();
  // It ends access on CANCELLATION, knows no passes and no sandbox, and forgets nobody.
  const faulty = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (r) => {
    if (r.method === "GET") {
      const id = decodeURIComponent(new URL(r.url).pathname.split("/").at(-1) ?? "");
      return Response.json({ pro: known.has(id) });
    }
    const event = await verifyWebhook(r, SECRET).catch(() => undefined);
    if (!event) return new Response(null, { status: 401 });
    const { type, app_user_id } = event as { type: string; app_user_id?: string };
    if (type === "CANCELLATION" || type === "EXPIRATION") known.delete(app_user_id ?? "");
    if (type === "INITIAL_PURCHASE" || type === "RENEWAL") known.add(app_user_id ?? "");
    return new Response();
  });
  try {
    const url = `http://127.0.0.1:${faulty.addr.port}`;
    const state = ["--state", `${url}/users/{customer}`, "--secret", SECRET];
    const words = [...state, "--faults", "4", "--save", `${folder.path}/v.yaml`];
    const found = await folder.run("verify", url, ...words);
    equal(found.code, 1);
    equal(found.out.includes("ada-1-"), false);
    match(found.out, /^[A-Z].*, then .*: the handler takes (ada|bob)'s access away$/m);
    match(found.out, /^ {2}\d\. INITIAL_PURCHASE of notes\S+ for (ada|bob)$/m);
    const hook = ["--webhook", url, "--secret", SECRET, "--output", "json"];
    const text = await Deno.readTextFile(`${folder.path}/v.yaml`);
    match(text, /customer: ada-1-\d+\n/);
    const ran = await folder.run("scenario", "run", folder.path, ...hook);
    const { scenarios } = ran.json() as { scenarios: { file: string; failures: unknown[] }[] };
    equal(scenarios.length, 4);
    deepEqual(scenarios.filter(({ failures }) => failures.length === 0), []);
  } finally {
    await faulty.shutdown();
  }
});

Deno.test("an answer that takes too long is reported, with how long it took", async () => {
  const event = { id: "e", type: "INITIAL_PURCHASE", customer: "ada", body: { event: {} } };
  const played = {
    ...{ customers: ["ada", "bob"], told: ["ada", "bob"] } as const,
    ...{ names: ["ada-1-0", "bob-1-0"], signed: ["ada-1-0", "bob-1-0"] } as const,
    events: [event],
    truth: new Map(),
    steps: [],
  };
  const handler = (ms: number) => ({
    deliver: () => Promise.resolve({ status: 200, ms }),
    state: () => Promise.resolve(false),
    pause: () => Promise.resolve(),
  });
  const options = { tricks: [], entitlement: "pro", coverage: new Map() };
  equal(await tryHandler(handler(SLOW_MS), played, options), undefined);
  const complaint = await tryHandler(handler(SLOW_MS + 1), played, options);
  equal(complaint?.kind, "slow");
  equal(
    complaint.message,
    "the handler took 10001 ms for INITIAL_PURCHASE; at most 10000 are allowed",
  );
});

Deno.test("only events of different customers change their order", async () => {
  const { roundsOf } = await import("../../../lib/scenario/verify/rounds.ts");
  const event = (id: string, customer: string, type = "RENEWAL") => ({
    id,
    type,
    customer,
    body: { event: { id } },
  });
  const order = (events: ReturnType<typeof event>[], what: "swapped" | "pause", of = 0) =>
    roundsOf({ events }, [{ what, after: 0, of }])
      .map((lanes) => lanes.map((lane) => lane.map(({ id }) => id).join("")).join("|")).join(" ");
  const [a, b, c] = [event("a", "ada"), event("b", "bob"), event("c", "ada")];
  equal(order([a, b, c], "swapped"), "b a c");
  equal(order([a, c, b], "swapped"), "a c b");
  equal(order([a, event("t", "bob", "TRANSFER"), c], "swapped"), "a t c");
  equal(order([a, b, c], "pause", 2), "a ac|b");
  equal(order([a, event("t", "bob", "TRANSFER"), c], "pause", 2), "a a t c");
});

Deno.test("the example with a database passes", async () => {
  const program = new URL("../../../scripts/examples/webhook_access.ts", import.meta.url);
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
    [[BASE, ...STATE, "--path", "a..b"], /it is not a path such as \.pro/],
    [[BASE, "--state", "https://example.com/{customer}", "--secret", SECRET], /--state: example/],
  ];
  for (const [words, message] of cases) {
    const { code, err } = await folder.run("verify", ...words);
    equal(code, 2, err);
    match(err, message);
  }
});

Deno.test("an error of the search itself is no passed life, and Ctrl-C ends it", async () => {
  const { searchFaults } = await import("../../../lib/scenario/verify/search.ts");
  const handler = {
    deliver: () => Promise.resolve({ status: 200, ms: 0 }),
    state: () => Promise.resolve(undefined),
    pause: () => Promise.resolve(),
  };
  let opened = 0;
  const controller = new AbortController();
  const search = () =>
    searchFaults({
      ...{ runs: 50, faults: 1, seed: 1, entitlement: "pro", prefix: "v", handler },
      open() {
        opened++;
        throw new TypeError("no stage");
      },
      signal: controller.signal,
    });
  await rejects(search, /no stage/);
  equal(opened, 1);
  controller.abort(new TypeError("stopped"));
  await rejects(search, Cancelled);
  equal(opened, 1);
});
