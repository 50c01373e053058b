import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { openFolder, START } from "../../support/scenarios.ts";

/** A run as JSON. */
interface Run {
  scenarios: {
    file: string;
    result: string;
    events: number;
    events_sha256: string;
    failures: { line: number; step: number; message: string; diff: string[]; because: string[] }[];
  }[];
}

/** A case of a JUnit file, as an independent parser reads it. */
interface Case {
  /** Its name. */
  name: string;
  /** Its failures. */
  failure?: { message: string }[];
  /** Its errors. */
  error?: { message: string }[];
}

/** Reads a JUnit file with an independent parser. */
function readJunit(text: string): {
  tests: string;
  failures: string;
  errors: string;
  testsuite: { name: string; failures: string; testcase: Case[] }[];
} {
  equal(XMLValidator.validate(text), true);
  const lists = ["testsuite", "testcase", "failure", "error"];
  const isArray = (name: string) => lists.includes(name);
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", isArray });
  return parser.parse(text).testsuites;
}

const BUY = `${START}steps:
  - purchase: { customer: ada, product: pro.monthly, trial: true }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
`;

Deno.test("all failures of a file are shown, each with line, diff and explanation", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${BUY}  - advance: P1W
    expect:
      events: [BILLING_ISSUE]
      subscription: { s: { status: trialing } }
  - cancel: s
  - advance: P1M
    expect:
      access: { ada: [pro] }
  - renew: s
  - purchase: { customer: bob, product: pro.monthly }
    expect: { refused: true }
`,
  );
  const { code, out, err } = await folder.run("scenario", "run", file);
  equal(code, 1);
  const lines = out.split("\n").filter((line) => line.includes(".yaml:"))
    .map((line) => line.replace(/^.*\.yaml:/, ""));
  deepEqual(lines, [
    "14:15: step 2 (advance P1W): The events differ",
    "15:36: step 2 (advance P1W): The subscription s differs in status",
    "19:22: step 4 (advance P1M): The access of ada differs",
    "20:5: step 5 (renew s): The service refused the step: A subscription that is expired cannot be renewed now (422)",
    "22:24: step 6 (purchase bob pro.monthly): The service did not refuse the step",
  ]);
  match(out, /- BILLING_ISSUE\n +\+ RENEWAL\n/);
  match(out, /RENEWAL for ada of pro\.monthly with the charge of 9\.99 USD .* came with step 2/);
  match(out, /The subscription s \(sub\w+\) is expired since 2026-03-07T00:00:00Z/);
  match(out, /EXPIRATION for ada of pro\.monthly \(UNSUBSCRIBE\)/);
  match(err, /Cannot pass 1 of 1 scenario: 5 expectations did not hold/);
});

Deno.test("a step that needs what a failed step makes is left out, the rest goes on", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${BUY}  - purchase: { customer: ada, product: pro.monthly }
    as: second
  - cancel: second
  - cancel: s
    expect: { events: [CANCELLATION] }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1);
  match(out, /step 3 \(cancel second\): Cannot do it: the step that makes "second" failed/);
  equal(out.includes("step 4"), false);
});

Deno.test("values match by number, text, list, absence, moment and reference", async () => {
  await using folder = await openFolder();
  const expectations = (good: boolean) =>
    `${BUY}  - expect:
      subscription:
        s:
          status: { one_of: [trialing, ${good ? "active" : "trial"}] }
          id: { matches: "${good ? "^sub[0-9a-f]{10}$" : "^x"}" }
          customer_id: { contains: ${good ? "ad" : "bo"} }
          ends_at: ${good ? "2026-02-07" : "2026-02-08"}
          current_period_ends_at: 2026-02-07T01:00:00+01:00
          pending_changes: { absent: ${good} }
          total_revenue_in_usd: { gross: { near: ${good ? "0.004" : "0.2"}, within: 0.01 } }
          gives_access: "\${OPEN}"
          starts_at: "\${START}"
  - advance: P1W
    expect:
      events: [{ type: RENEWAL, store: APP_STORE, aliases: { contains: [ada] }, product_id: "pro.\${WHAT}" }]
      subscription: { s: { id: "\${s.id}" } }
`;
  const good = await folder.write("good.yaml", expectations(true));
  const bad = await folder.write("bad.yaml", expectations(false));
  const vars = ["--var", "OPEN=true", "--var", `START=${Date.UTC(2026, 0, 31)}`];
  const passed = await folder.run("scenario", "run", good, "--var", "WHAT=monthly", ...vars);
  equal(passed.code, 0, passed.out);
  const others = ["--var", "OPEN=false", "--var", "START=1"];
  const failed = await folder.run("scenario", "run", bad, "--var", "WHAT=annual", ...others);
  const where = [...failed.out.matchAll(/differs in ([\w.]+)/g)].map(([, name]) => name);
  deepEqual(where, [
    "id",
    "customer_id",
    "ends_at",
    "pending_changes",
    "total_revenue_in_usd.gross",
    "gives_access",
    "starts_at",
    "product_id",
  ]);
});

Deno.test("a pattern made to take for ever fails like any other, with file and line", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${BUY}  - attributes: { customer: ada, set: { x: "${"a".repeat(100)}!" } }
    expect: { attributes: { ada: { x: { matches: "^(a+)+$" } } } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1);
  match(out, /a\.yaml:13:39: step 2 .*: The attributes of ada differ in x/);
});

Deno.test("the JUnit file takes the place of no scenario, also through a link", async () => {
  await using folder = await openFolder();
  const file = await folder.write("a.yaml", BUY);
  const link = `${folder.path}/link.xml`;
  await Deno.symlink(file, link);
  for (const junit of [file, link, `${folder.path}/./a.yaml`]) {
    const { code, err } = await folder.run("scenario", "run", folder.path, "--junit", junit);
    equal(code, 2);
    match(err, /^Cannot use ".+" for --junit: it is one of the scenario files\n/);
    equal(await Deno.readTextFile(file), BUY);
  }
});

Deno.test("the same file and seed give the same events, another seed gives others", async () => {
  await using folder = await openFolder();
  const file = await folder.write("a.yaml", `${BUY}  - advance: P1Y\n`);
  const junit = `${folder.path}/junit.xml`;
  const play = async (...flags: string[]) => {
    const words = ["scenario", "run", file, "--output", "json", "--junit", junit, ...flags];
    const ran = await folder.run(...words);
    equal(ran.code, 0);
    return ran;
  };
  const first = await play("--seed", "7");
  const report = await Deno.readTextFile(junit);
  equal((await play("--seed", "7")).out, first.out);
  equal(await Deno.readTextFile(junit), report);
  const digest = (ran: { json(): unknown }) => (ran.json() as Run).scenarios[0]?.events_sha256;
  notEqual(digest(await play("--seed", "8")), digest(first));
});

Deno.test("24 files run side by side, and a parser of JUnit reads what came of them", async () => {
  await using folder = await openFolder();
  for (let i = 0; i < 24; i++) {
    const wanted = i % 8 === 3 ? "CANCELLATION" : "RENEWAL";
    await folder.write(
      `s${String(i).padStart(2, "0")}.yaml`,
      `name: "Story <${i}> & 'more'"\n${BUY}  - advance: P1W\n    expect: { events: [${wanted}] }\n`,
    );
  }
  const junit = `${folder.path}/junit.xml`;
  const { code, err } = await folder.run(
    ...["scenario", "run", folder.path, "--parallel", "4", "--junit", junit],
  );
  equal(code, 1);
  match(err, /Cannot pass 3 of 24 scenarios/);
  const text = await Deno.readTextFile(junit);
  const read = readJunit(text);
  deepEqual([read.tests, read.failures, read.testsuite.length], ["48", "3", 24]);
  const suite = read.testsuite[3];
  equal(suite?.name, "Story <3> & 'more'");
  equal(suite?.failures, "1");
  equal(suite?.testcase[1]?.failure?.[0]?.message, "The events differ");
});

Deno.test("--update writes what happened and leaves the rest of the file as it is", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `# A comment\n${BUY}  - advance: P1W # a week
    expect:
      events:
        - CANCELLATION
        - EXPIRATION
      # The end of the month
      subscription: { s: { status: expired, ends_at: 2026-01-01 } }
      access: { ada: [] }
`,
  );
  const before = await Deno.readTextFile(file);
  const { code, err } = await folder.run("scenario", "run", file, "--update");
  equal(code, 1);
  match(err, /Wrote 4 expectations into/);
  const after = await Deno.readTextFile(file);
  equal(
    after,
    before.replace("- CANCELLATION\n        - EXPIRATION", "[RENEWAL]")
      .replace("expired, ends_at: 2026-01-01", "active, ends_at: 2026-03-07T00:00:00Z")
      .replace("{ ada: [] }", "{ ada: [pro] }"),
  );
  equal((await folder.run("scenario", "run", file)).code, 0);
});

Deno.test("a wrong file exits with 2, and does not hide what came of the others", async () => {
  await using folder = await openFolder();
  const good = await folder.write("good.yaml", BUY);
  const wrong = await folder.write("wrong.yaml", BUY.replace("purchase:", "purchse:"));
  const junit = `${folder.path}/junit.xml`;
  const { code, out } = await folder.run("scenario", "run", wrong, good, "--junit", junit);
  equal(code, 2);
  match(out, /wrong\.yaml:8:5: there is no action "purchse"; did you mean "purchase"\?/);
  match(out, /ok +.*good\.yaml/);
  equal(readJunit(await Deno.readTextFile(junit)).errors, "1");
});

Deno.test("a file that is missing is said to be unreadable, not wrong", async () => {
  await using folder = await openFolder();
  const wrong = await folder.write("wrong.yaml", BUY.replace("purchase:", "purchse:"));
  const missing = `${folder.path}/nope.yaml`;
  const tell = async (...files: string[]) => (await folder.run("scenario", "run", ...files)).err;
  match(
    await tell(missing),
    /^Cannot run 1 of 1 scenario: the file cannot be read\nCheck the path/,
  );
  match(await tell(wrong), /^Cannot run 1 of 1 scenario: the file is wrong\n/);
  match(
    await tell(wrong, missing),
    /^Cannot run 2 of 2 scenarios: the files are wrong or cannot be read\n/,
  );
});

Deno.test("past access, grants, currencies, attributes, metrics and charts can be expected", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `start:
  at: 2026-01-10
  time_zone: America/New_York
  catalogue:
    apps: { ios: app_store, test: test_store }
    products:
      pro.monthly: { app: ios, duration: P1M, price: 9.99, entitlements: [pro] }
      coins: { app: ios, type: consumable, price: 1 }
      test.monthly: { app: test, duration: P1M, price: 5, entitlements: [pro] }
    coins: { COIN: { products: { coins: 10 } } }
steps:
  - purchase: { customer: ada, product: pro.monthly, currency: EUR, country: DE }
    as: s
  - attributes: { customer: ada, set: { plan: family, $email: ada@example.com } }
    expect: { attributes: { ada: { plan: family, other: { absent: true } } } }
  - give: { customer: ada, currency: COIN, amount: 5 }
  - purchase: { customer: ada, product: coins }
    as: c
    expect:
      balances: { ada: { COIN: 15 } }
      metrics: { active_subscriptions: 1 }
      charts: { name: revenue, query: { start_date: 2026-01-01, end_date: 2026-01-31 }, answer: { object: chart_data } }
  - cancel: c
    expect: { refused: true }
`,
  );
  const wrong = await folder.run("scenario", "run", file);
  equal(wrong.code, 2, "a purchase cannot be cancelled");
  match(wrong.out, /"c" is a purchase, not a subscription/);
  const text = (await Deno.readTextFile(file)).replace(/ {2}- cancel: c\n.*\n/, "");
  await Deno.writeTextFile(
    file,
    `${text}  - cancel: s
  - advance: P2M
    expect:
      access: { ada: [] }
      past: [{ at: 2026-01-10, access: { ada: [pro] } }, { at: 2026-02-10T00:00, access: { ada: [], bob: [] } }]
  - grant: { customer: ada, entitlement: pro, for: P1M }
    expect: { access: { ada: [pro] } }
  - revoke: { customer: ada, entitlement: pro }
    expect: { access: { ada: [] } }
  - price: { product: pro.monthly, price: 12 }
  - refund_window: 1
  - fault: { path: /v2/projects/*/metrics/overview, status: 503 }
    expect: { access: { ada: [] } }
  - clear_faults:
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 0, out);
});

Deno.test("a field that is not there gets the name that was probably meant", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    as: s
    expect:
      subscription: { s: { total_revenue_in_usd: { gros: 0 } } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1);
  match(out, /:11:\d+: .* in total_revenue_in_usd\.gros; did you mean "gross"\?/);
});

Deno.test("a dollar more takes ${ as it is, and variables stand in keys and past moments", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - customer: ada
  - attributes: { customer: "\${WHO}", set: { a: "\$\${WHO} \${WHO}", b: "\$\${s.id}" } }
    expect:
      attributes: { "\${WHO}": { a: "\$\${WHO} ada", b: "\$\${s.id}" } }
  - purchase: { customer: ada, product: pro.monthly }
    expect: { access: { "\${WHO}": [pro] } }
  - advance: P1M
    expect: { past: { at: "\${DAY}", access: { "\${WHO}": [pro] } } }
  - expect:
      attributes: { ada: { a: other } }
`,
  );
  const vars = ["--var", "WHO=ada", "--var", "DAY=2026-02-03"];
  const { code, out } = await folder.run("scenario", "run", file, ...vars, "--update");
  equal(code, 1);
  equal(out.match(/a\.yaml:\d+:/g)?.length, 1, out);
  equal((await folder.run("scenario", "run", file, ...vars)).code, 0);
  match(await Deno.readTextFile(file), /\{ a: "\$\$\{WHO\} ada" \} \}\n$/);
});

Deno.test("ids cannot change the writing direction of the terminal", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: "ada\\u202eeve", product: pro.monthly }
    expect: { access: { "ada\\u202eeve": [] } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1);
  match(out, /The access of ada\\u202eeve differs/);
  equal(out.includes("\u202e"), false);
});
