import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { parseScenario } from "../../../lib/scenario/file/parse.ts";
import { LARGEST_FILE, MOST_VALUES } from "../../../lib/scenario/file/read.ts";
import { LONGEST_SEARCHED, openSearcher } from "../../../lib/scenario/file/regular.ts";
import { isDuration } from "../../../lib/service/domain/calendar.ts";
import { openFolder, START } from "../../support/scenarios.ts";

/** What is wrong with a text, one line each. */
async function problemsOf(text: string, vars: Record<string, string> = {}): Promise<string[]> {
  const readFile = () => Promise.reject(new Error("cannot read it"));
  const { scenario, problems } = await parseScenario(text, { vars, readFile });
  equal(scenario === undefined, problems.length > 0);
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** A file with every kind of mistake. */
const MISTAKES = `nam: x
start:
  at: 2026-02-30
  time_zone: Europe/Lundon
  catalogue:
    apps: { ios: app_stor }
    products:
      pro.monthly: { app: ioss, duration: 1x, price: free, entitlments: [pro] }
  webhook: { event_types: [RENEWEL] }
steps:
  - purchse: { customer: ada, product: pro.monthly }
  - purchase: { customer: a/b, product: pro.montly, trial: maybe }
    as: S
  - purchase: { product: pro.monthly }
    as: s
    expect:
      event: []
      events: [RENEWEL, { price: 1 }]
      access: { ada: pro }
      subscription: { t: {}, s: { price: { near: x } } }
  - grant: { customer: ada, entitlement: pro, for: P1M, until: 2026-02-01 }
  - extend: { subscription: s }
  - cancel: s
    renew: s
  - cancel: s
    as: again
  - just text
  - advance: 3 weeks
  - to: tomorrow
  - alias: { customer: ada, alias: "\${WHO}" }
  - expect: { attributes: { ada: { x: { matches: "(" }, y: "\${s}", z: "\${q.id}" } } }
  - expire: { subscription: s, reason: UNSUBSCRIB }
  - purchase: { customer: ada, product: pro.monthly }
    as: s
  - {}
  - expect: { refused: true }
`;

Deno.test("a file with every kind of mistake gets one message for each, with its place", async () => {
  const problems = await problemsOf(MISTAKES);
  deepEqual(problems, [
    '1:1 a scenario has no "nam"; did you mean "name"?',
    '3:7 "2026-02-30" is not a moment such as 2027-01-31 or 2027-01-31T12:00:00Z',
    '4:14 "Europe/Lundon" is not a time zone such as Europe/London',
    '6:18 "app_stor" is not one of app_store, play_store, mac_app_store, amazon, stripe, ' +
    'svc_billing, roku, paddle, test_store; did you mean "app_store"?',
    '8:27 the catalogue has no app "ioss"',
    '8:43 "1x" is not a period such as P1M or 30d',
    '8:54 "free" is not a number between 0 and 100000000',
    '8:60 a product has no field "entitlments"; did you mean "entitlements"?',
    '9:28 there is no event of the type "RENEWEL"; did you mean "RENEWAL"?',
    '11:5 there is no action "purchse"; did you mean "purchase"?',
    '12:27 "a/b" cannot be the id of a customer: it contains a slash',
    '12:41 the catalogue has no product "pro.montly"; did you mean "pro.monthly"?',
    '12:60 "maybe" is not true, false or a period such as P1W',
    '13:9 "S" is not a name: a name has lower-case letters, digits and underscores',
    '14:15 "purchase" needs the field "customer"',
    '17:7 "expect" has no "event"; did you mean "events"?',
    '18:16 there is no event of the type "RENEWEL"; did you mean "RENEWAL"?',
    '18:25 an event is a type, or a map with the field "type"',
    '19:22 a list of lookup keys is needed here, not "pro"',
    '20:23 no step above makes "t"',
    '20:50 a number is needed here, not "x"',
    '21:12 "grant" takes for or until, not both',
    '21:42 the catalogue has no entitlement "pro"',
    '22:13 "extend" needs by or until',
    "24:5 step 6 has two actions, cancel and renew",
    '26:5 "cancel" makes nothing that "as" could name',
    '27:5 step 8 is a map, not "just text"',
    '28:14 "3 weeks" is not a period such as P1M or 30d',
    '29:9 "tomorrow" is not a moment such as 2027-01-31 or 2027-01-31T12:00:00Z',
    "30:36 the variable WHO has no value",
    '31:50 "(" is not a regular expression: missing closing ): "("',
    "31:60 ${s} names no field",
    '31:71 no step above makes "q"',
    '32:40 "UNSUBSCRIB" is not one of UNSUBSCRIBE, BILLING_ERROR, DEVELOPER_INITIATED, ' +
    'PRICE_INCREASE, CUSTOMER_SUPPORT, UNKNOWN; did you mean "UNSUBSCRIBE"?',
    '34:9 a step above already made "s"',
    "35:5 step 15 does nothing and expects nothing",
    '36:24 "refused" needs an action in the same step',
  ]);
});

Deno.test("a product that is not in the catalogue gets the names that are", async () => {
  const readFile = () => Promise.reject(new Error("cannot read it"));
  const hintsFor = async (text: string) => {
    const { problems } = await parseScenario(text, { vars: {}, readFile });
    return problems.map(({ hint }) => hint);
  };
  const steps = "steps:\n  - purchase: { customer: ada, product: pro.yearly }\n";
  deepEqual(await hintsFor(START + steps), ["There are: pro.monthly"]);
  const empty = "start: { catalogue: { apps: { ios: app_store }, products: {} } }\n";
  deepEqual(await hintsFor(empty + steps), ["There are: none"]);
});

Deno.test("a number is written in digits, and in no other way", async () => {
  const priced = (price: string) =>
    problemsOf(
      `${START}steps:\n  - purchase: { customer: ada, product: pro.monthly, price: ${price} }\n`,
    );
  for (const price of ["0", "7", "9.99", "007"]) deepEqual(await priced(price), [], price);
  for (const price of ["1e3", "0x10", ".5", '""', '" "', "-1"]) {
    const [problem = "", ...more] = await priced(price);
    match(problem, /^8:61 ".*" is not a number between 0 and \d+$/, price);
    deepEqual(more, []);
  }
});

Deno.test("a refusal is true, false or a map of fields", async () => {
  const refusing = (refused: string) =>
    problemsOf(`${START}steps:\n  - advance: P1M\n    expect: { refused: ${refused} }\n`);
  for (const form of ["true", "false", "{ status: 422 }"]) deepEqual(await refusing(form), []);
  deepEqual(await refusing('{ message: "${WHY}" }'), ["9:35 the variable WHY has no value"]);
  deepEqual(await refusing("maybe"), [
    '9:24 "refused" is true, false or a map, not "maybe"',
  ]);
  deepEqual(await refusing("[]"), ['9:24 "refused" is true, false or a map, not a list']);
});

Deno.test("YAML that cannot be read is named with its line", async () => {
  deepEqual(await problemsOf("a: 1\na: 2\n"), ["2:1 the key is there twice"]);
  deepEqual(await problemsOf(""), ["1:1 the file is not a map with start and steps"]);
  match((await problemsOf("start: {\n"))[0] ?? "", /^2:1 /);
  deepEqual(await problemsOf("a: *b\n"), ["1:4 there is no anchor &b"]);
});

Deno.test("a key that is there twice is refused, whether it is a number or a text", async () => {
  for (const keys of ["1: {}, 1: {}", '1: {}, "1": {}', "ada: {}, 'ada': {}"]) {
    const problems = await problemsOf(`${START}steps: [{ expect: { attributes: { ${keys} } } }]\n`);
    equal(problems.length, 1, keys);
    match(problems[0] ?? "", /the key is there twice/);
  }
});

Deno.test("a text that is not Unicode is refused as such", async () => {
  const problems = await problemsOf(`name: "a\\ud800"\n${START}steps: [{ customer: ada }]\n`);
  equal(problems.length, 1);
  match(problems[0] ?? "", /the text is not valid Unicode/);
});

Deno.test("a tab gets one message for its line", async () => {
  const tab = "a tab stands at the beginning of a line; YAML takes spaces only";
  const text = `${START}steps:\n  - customer: ada\n\t- advance: P1M\n\t- advance: P1M\n`;
  const problems = await problemsOf(text);
  equal(problems[0], `9:1 ${tab}`);
  equal(problems.filter((problem) => problem.startsWith("9:")).length, 1);
});

Deno.test("a step refuses fields and other references that it would take as text", async () => {
  const problems = await problemsOf(`${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    as: s
  - attributes: { customer: ada, set: { a: "\${s.id}", b: "\${host}", c: "$\${host}" } }
  - customer: "\${s.id}"
  - expect:
      handler:
        - { get: "http://localhost/\${t.id}", headers: { a: "\${HOST}", b: "\${s.id}" } }
`);
  deepEqual(problems, [
    '10:44 "${s.id}" is a field, and only "expect" can have fields',
    '10:58 "${host}" is not a variable such as ${PRICE}',
    '11:15 "${s.id}" is a field, and only "expect" can have fields',
    '14:18 no step above makes "t"',
    "14:60 the variable HOST has no value",
  ]);
});

Deno.test("a field that no event has is refused, also where it must be absent", async () => {
  const problems = await problemsOf(`${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    expect:
      events: [{ type: INITIAL_PURCHASE, cancel_resaon: { absent: true } }]
      events_include: [{ type: RENEWAL, price: 1, xyz: 1, metadata: { xyz: 1 } }]
`);
  deepEqual(problems, [
    '10:42 no event has the field "cancel_resaon"; did you mean "cancel_reason"?',
    '11:51 no event has the field "xyz"',
  ]);
});

Deno.test("a tag that YAML does not define is refused where it stands", async () => {
  const text = `${START}steps:\n  - customer: !!js/function ada\n`;
  const message = "a scenario takes no YAML tags such as !name; remove the tag";
  deepEqual(await problemsOf(text), [`8:15 ${message}`]);
  deepEqual(await problemsOf(text.replace("!!js/function", "!x")), [`8:15 ${message}`]);
  deepEqual(await problemsOf(text.replace("!!js/function", "!!str")), []);
});

Deno.test("a file is too deep in the same words, however deep it is", async () => {
  for (const levels of [50, 500, 50_000]) {
    const [problem = "", ...more] = await problemsOf(
      `start: ${"[".repeat(levels)}${"]".repeat(levels)}\n`,
    );
    match(problem, /^1:\d+ more than 40 maps and lists stand in each other$/);
    deepEqual(more, []);
  }
});

Deno.test("a file takes the periods that the service takes", async () => {
  const periods = [
    "P1M",
    "P9999Y",
    "P10000Y",
    "P0D",
    "PT0S",
    "P0M1D",
    "P1000000D",
    "PT1H",
    "P",
    "P1W2D",
  ];
  for (const period of [...periods, "30d", "0d", "9999999d"]) {
    const problems = await problemsOf(`${START}steps:\n  - advance: ${period}\n`);
    const taken = isDuration(period) || period === "30d";
    deepEqual(problems, taken ? [] : [`8:14 "${period}" is not a period such as P1M or 30d`]);
  }
});

Deno.test("a file without start or steps says so", async () => {
  deepEqual(await problemsOf("name: x\n"), [
    '1:1 the scenario has no "start"',
    '1:1 the scenario has no "steps"',
  ]);
  deepEqual(await problemsOf(`${START}steps: []\n`), ['7:8 "steps" is empty']);
  deepEqual(await problemsOf("start: { at: 2026-01-01 }\nsteps: [{ customer: ada }]\n"), [
    '1:8 "start" needs a "catalogue" or "from"',
  ]);
});

Deno.test("aliases that expand without end are refused, and so are depths without end", async () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 9; i++) {
    lines.push(`a${i}: &a${i} [${new Array(10).fill(`*a${i - 1}`).join(", ")}]`);
  }
  const [bomb = ""] = await problemsOf(lines.join("\n"));
  match(bomb, new RegExp(`^\\d+:\\d+ the file expands to more than ${MOST_VALUES} values$`));
  const deep = await problemsOf(`a: ${"[".repeat(60)}${"]".repeat(60)}`);
  match(deep[0] ?? "", /more than 40 maps and lists stand in each other/);
});

Deno.test("what a pattern cannot be is named with its place, and none takes long", async () => {
  const step = (pattern: string) =>
    `${START}steps: [{ expect: { attributes: { ada: { x: { matches: '${pattern}' } } } } }]\n`;
  const cases: [pattern: string, why: RegExp][] = [
    ["(", /^7:56 "\(" is not a regular expression: missing closing \): "\("$/],
    ["(?=a)", /: lookahead and lookbehind are not supported$/],
    ["(?<!a)b", /: lookahead and lookbehind are not supported$/],
    ["(a)\\1", /: backreferences are not supported$/],
    ["((a{1000}){1000}){1000}", /: invalid repeat count: "\{1000\}"$/],
    ["a".repeat(501), /^7:56 a regular expression has at most 500 characters$/],
  ];
  for (const [pattern, why] of cases) {
    const [problem = "", ...more] = await problemsOf(step(pattern));
    match(problem, why);
    deepEqual(more, []);
  }
  deepEqual(await problemsOf(step("^(a+)+$")), []);
});

Deno.test("patterns that other engines never end with are searched in a moment", async () => {
  const searcher = await openSearcher();
  for (const pattern of ["^(a+)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a|aa)+$", "(.*)*(.*)*b"]) {
    const started = performance.now();
    equal(searcher.finds(pattern, `${"a".repeat(50_000)}!`), false, pattern);
    ok(performance.now() - started < 5_000, pattern);
  }
  throws(
    () => searcher.finds("a", "a".repeat(LONGEST_SEARCHED + 1)),
    /the value has 100001 characters, and "matches" searches at most 100000/,
  );
});

Deno.test("hostile ids of customers are refused, anonymous ones are not", async () => {
  const ids = [
    ...["..", ".", "", "a/../b", "a\\nb", "\\x1b[2J", "x".repeat(1501), "é".repeat(751)],
  ];
  for (const id of ids) {
    const text = `${START}steps: [{ customer: "${id}" }]\n`;
    const problems = await problemsOf(text);
    equal(problems.length, 1, id);
    match(problems[0] ?? "", /cannot be the id of a customer: /);
    equal(problems[0]?.includes("\x1b"), false);
    // A long one is not shown whole.
    equal(/x{61}|é{61}/.test(problems[0] ?? ""), false);
  }
  for (const id of ["$RCAnonymousID:1", "日本 %?#", "a'b\\\"c"]) {
    deepEqual(await problemsOf(`${START}steps: [{ customer: "${id}" }]\n`), []);
  }
});

Deno.test("a large file, a missing one and one outside of the folder are not read", async () => {
  await using folder = await openFolder();
  const large = await folder.write("large.yaml", `# ${"x".repeat(LARGEST_FILE)}\n`);
  const huge = await folder.write("huge.yaml", `- ${"x".repeat(10_000_000)}\n`);
  const outside = await Deno.makeTempFile();
  await Deno.writeTextFile(outside, "secret: value");
  await Deno.symlink(outside, `${folder.path}/link.yaml`);
  const named = await folder.write(
    "named.yaml",
    "start: { catalogue: link.yaml }\nsteps: [{ customer: ada }]\n",
  );
  const up = await folder.write(
    "up.yaml",
    "start: { catalogue: ../../etc/passwd }\nsteps: [{ customer: ada }]\n",
  );
  const whole = await folder.write(
    "whole.yaml",
    "start: { catalogue: /etc/passwd }\nsteps: [{ customer: ada }]\n",
  );
  const link = `${folder.path}/link.yaml`;
  const { code, out } = await folder.run(
    "scenario",
    "run",
    large,
    huge,
    named,
    up,
    whole,
    link,
    "no.yaml",
  );
  await Deno.remove(outside);
  equal(code, 2);
  match(out, /large\.yaml": it is larger than 1 MiB/);
  match(out, /huge\.yaml": it is larger than 1 MiB/);
  match(out, /named\.yaml:1:21: cannot read ".*link\.yaml": it is outside of the folder/);
  match(out, /up\.yaml:1:21: cannot read ".*passwd": (it is outside of the folder|no such file)/);
  match(out, /whole\.yaml:1:21: cannot read "\/etc\/passwd": it must be a path below/);
  match(out, /link\.yaml": it is outside of the folder/);
  match(out, /no\.yaml": no such file/);
  equal(out.includes("secret"), false);
});

Deno.test("a wrong catalogue file is named with its own line", async () => {
  await using folder = await openFolder();
  await Deno.mkdir(`${folder.path}/catalogue`);
  await folder.write("catalogue/c.yaml", "apps: { ios: app_store }\nproduct: {}\n");
  const file = await folder.write(
    "a.yaml",
    "start: { catalogue: catalogue/c.yaml }\nsteps: [{ customer: ada }]\n",
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 2);
  match(
    out,
    /catalogue\/c\.yaml:2:1: a catalogue has no field "product"; did you mean "products"\?/,
  );
});
