import { deepEqual, doesNotMatch, equal, match, ok, throws } from "node:assert/strict";
import { bench } from "../../scripts/bench/main.ts";
import { SECTIONS, sectionsNamed } from "../../scripts/bench/sections.ts";
import { runnablePrograms } from "../../scripts/bench/postgres.ts";
import { compareRuns, readRun } from "../../scripts/bench/compare.ts";
import { type Finding, inTurns, keeps, median, noiseOf } from "../../scripts/bench/measure.ts";
import { renderResults } from "../../scripts/bench/results.ts";

/** Whether the tests may take long. */
const BY_NIGHT = Deno.env.has("LONG_TESTS");

/** A budget, and the line that it belongs to. */
type Limit = [what: string, budget: Finding["budget"]];

/** The installed program, which needs a bundler: by day nothing downloads it. */
const INSTALLED: readonly Limit[] = BY_NIGHT
  ? [
    ["`cli offerings list`, as `deno task install` installs it", { atMost: 2.5 }],
    ["`cli offerings list`, as the package for npm installs it", { atMost: 2.5 }],
  ]
  : [];

/** The budgets of each section. */
const BUDGETS: Readonly<Record<string, readonly Limit[]>> = {
  commands: [
    ["`cli --version`", { atMost: 1.3 }],
    ["`cli offerings list`", { atMost: 2 }],
    ...INSTALLED,
  ],
  http: [
    ["GET by id; `fetch`, 64 at a time", { atLeast: 0.62 }],
    ["GET by id; processor time of the practical limit against ours, 64 at a time", {
      atLeast: 0.4,
    }],
    ["List of 20; `fetch`, 64 at a time", { atLeast: 0.4 }],
    ["POST that creates; `fetch`, 64 at a time", { atLeast: 0.3 }],
    ["POST that creates; processor time of the practical limit against ours, 64 at a time", {
      atLeast: 0.33,
    }],
  ],
  start: [
    ["On a new data folder, including the demonstration project", { atMost: 180 }],
    ["On an existing data folder", { atMost: 140 }],
  ],
  walk: [],
  customers: [["The walk", { atMost: 11 }], ["Memory of the client, peak", { atMost: 110 }]],
  writes: [],
  year: [["The year", { atMost: 15 }], ["Memory of the process", { atMost: 300 }]],
  charts: [
    ["Overview: active subscriptions, one of eight numbers", { atMost: 0.15 }],
    ["The slowest of them, 28 days", { atMost: 120 }],
    ["The slowest of them, 12 months", { atMost: 120 }],
  ],
  requests: [],
  deliveries: [
    ["Deliveries per second, against a loop of bare POSTs, 1 at a time", { atLeast: 0.4 }],
  ],
  growth: [
    ["GET by id", { atMost: 1.2 }],
    ["List of 20", { atMost: 1.2 }],
    ["Search by e-mail", { atMost: 1.2 }],
    ["POST that creates", { atMost: 1.2 }],
  ],
  export: [],
  postgres: [
    ["GET by id, per second; 1 process", { atLeast: 0.35 }],
    ["POST that creates, per second; 1 process", { atLeast: 0.15 }],
    ["Renewals per second, one project; 1 process", { atLeast: 0.6 }],
    ["Renewals per second, 4 projects; 1 process", { atLeast: 0.6 }],
  ],
};

/** A size at which each section shows that it works. */
const SMALL = {
  warmUp: 0,
  runs: 1,
  installed: BY_NIGHT,
  starts: 1,
  rounds: 1,
  ms: 5,
  customers: 250,
  walked: 500,
  writes: 65,
  subscriptions: 30,
  ledger: 3000,
  requests: 200,
  events: 200,
  grown: { customers: 500, projects: 3 },
};

/** All sections by night; by day two at random, since each starts programs of its own. */
function chosenSections(): typeof SECTIONS {
  // tests/service/events/delivery_crash_test.ts measures deliveries, with kills.
  // PostgreSQL has a test of its own below.
  const all = SECTIONS.filter(({ name }) => name !== "delivery" && name !== "postgres");
  if (BY_NIGHT) return all;
  const drawn = all.map((section) => ({ section, at: Math.random() }))
    .sort((a, b) => a.at - b.at).slice(0, 2).map(({ section }) => section);
  return all.filter((section) => drawn.includes(section));
}

Deno.test("the benchmark measures everything with a budget", async () => {
  const told: string[] = [];
  const plans = chosenSections();
  const sections = await bench(plans, SMALL, (what) => {
    told.push(what);
    return "here";
  });
  const names = plans.map(({ name }) => name).join(", ");
  const findings = sections.flatMap((section) => section.findings);
  const limited = findings.filter(({ budget }) => budget).map(({ what, budget }) => [what, budget]);
  deepEqual(limited, plans.flatMap(({ name }) => BUDGETS[name] ?? []), names);
  deepEqual(told, plans.map(({ title }) => title));
  deepEqual(sections.map(({ title }) => title), told);
  for (const { what, value, budget, better } of findings) {
    // Otherwise a comparison would call it slower when it is faster.
    const isSpeed = value !== undefined && what.includes("per second");
    ok(!isSpeed || better === "more" || (budget && "atLeast" in budget), what);
    // Processor time comes in hundredths of a second, which is more than these turns take.
    if (what.includes("processor time") || what.startsWith("Memory")) continue;
    ok(budget === undefined || (value !== undefined && value > 0), `${what}: ${value}`);
  }
  for (const [i, { name }] of plans.entries()) {
    if (name === "walk") match(sections[i]?.method ?? "", /read to the end in 3 pages of 100/);
    if (name !== "writes") continue;
    equal(findings.find(({ what }) => what.startsWith("Writes per commit"))?.ours, "32.5");
  }
});

Deno.test("the benchmark on PostgreSQL compares 1, 2 and 4 processes, or says SKIPPED", async () => {
  const [{ findings = [], method = "" } = {}] = await bench(sectionsNamed(["postgres"]), {
    ...SMALL,
    events: 4000,
  }, () => "here");
  const limited = findings.filter(({ budget }) => budget).map(({ what, budget }) => [what, budget]);
  if (await runnablePrograms() === undefined) {
    match(method, /^SKIPPED: .* There is no verdict\.$/);
    deepEqual(findings.map(({ what, value }) => [what, value]), [["SKIPPED", undefined]]);
    return deepEqual(limited, []);
  }
  deepEqual(limited, BUDGETS.postgres);
  for (const part of ["GET", "List", "POST", "Refresh", "Renewals per second, 4", "Deliveries"]) {
    const own = findings.filter(({ what }) => what.startsWith(part)).map(({ what }) =>
      what.split("; ")[1]
    );
    deepEqual(own, ["1 process", "2 processes", "4 processes"], part);
  }
  equal(findings.length, 19);
  for (const { what, value = 0, base, better } of findings) {
    ok(value > 0 && Number.isFinite(value), what);
    match(base, /^\d+\/s, SQLite$/);
    equal(better, "more");
  }
  match(method, /on one PostgreSQL, .*fsync.*without ANALYZE/);
});

Deno.test("each section of the benchmark has a list of budgets", () => {
  const names = SECTIONS.map(({ name }) => name).filter((name) => name !== "delivery");
  deepEqual(Object.keys(BUDGETS), names);
});

Deno.test("no slow module is loaded at the start of a command", async () => {
  const loaded = await modulesOf("cli.ts", "lib/connect.ts", "lib/cli/commands/offerings.ts");
  // The first use of each of Node's modules takes 7 ms.
  const slow = loaded.filter((module) => /^node:|\/lib\/service\/|zod|kysely|clack/.test(module));
  deepEqual(slow, []);
  ok(loaded.some((module) => module.endsWith("/lib/client.ts")), "the graph is read wrongly");
});

Deno.test("no command loads at its start what only scenario files and lives need", async () => {
  const commands = ["offerings", "scenario", "verify"].map((name) => `lib/cli/commands/${name}.ts`);
  const loaded = await modulesOf("cli.ts", "lib/cli/main.ts", ...commands);
  const heavy = /yaml|fast-check|re2js|diff@|\/lib\/(scenario\/(verify|record|stories)|service)\//;
  deepEqual(loaded.filter((module) => heavy.test(module)), []);
  ok(loaded.some((module) => module.endsWith("/commands/scenario/run.ts")), "the graph is wrong");
});

/** The modules that some modules load by static imports. */
async function modulesOf(...paths: string[]): Promise<string[]> {
  const loaded = new Set<string>();
  for (const path of paths) {
    const args = ["info", "--json", new URL(`../../${path}`, import.meta.url).href];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
    const graph: Graph = JSON.parse(new TextDecoder().decode(stdout));
    const load = (specifier: string): void => {
      if (loaded.has(specifier)) return;
      loaded.add(specifier);
      const module = graph.modules.find((module) => module.specifier === specifier);
      for (const { code, isDynamic } of module?.dependencies ?? []) {
        if (code && !isDynamic) load(code.specifier);
      }
    };
    graph.roots.forEach(load);
  }
  return [...loaded];
}

/** The part of `deno info --json` that is needed here. */
interface Graph {
  roots: string[];
  modules: {
    specifier: string;
    dependencies?: { code?: { specifier: string }; isDynamic?: boolean }[];
  }[];
}

Deno.test("compared programs alternate, and warm-up does not count", async () => {
  const turns: string[] = [];
  const sampler = (name: string) => () => Promise.resolve(turns.push(name));
  const samples = await inTurns({ a: sampler("a"), b: sampler("b") }, { rounds: 2, warmUp: 1 });
  deepEqual(turns, ["a", "b", "a", "b", "a", "b"]);
  deepEqual(samples, { a: [3, 5], b: [4, 6] });
});

Deno.test("a median is the middle, for any order and outliers", () => {
  equal(median([9, 1, 2]), 2);
  equal(median([10, 1, 3, 900]), 6.5);
});

Deno.test("a budget holds up to its limit", () => {
  ok(keeps(1.3, { atMost: 1.3 }) && !keeps(1.31, { atMost: 1.3 }));
  ok(keeps(0.5, { atLeast: 0.5 }) && !keeps(0.49, { atLeast: 0.5 }));
});

Deno.test("a comparison lists figures that became worse by more than the noise", () => {
  const runOf = (findings: Partial<Finding>[]) => ({
    quick: false,
    sections: [{
      title: "T",
      place: "here",
      method: "M.",
      findings: findings.map((one) => ({ what: "A", ours: "1", base: "", ...one })),
    }],
  });
  const changes = (before: Partial<Finding>, now: Partial<Finding>) =>
    compareRuns(runOf([before]), runOf([now])).slower;
  const less = { unit: "x", budget: { atMost: 9 } } as const;
  const more = { unit: "x", budget: { atLeast: 0 } } as const;
  deepEqual(changes({ ...less, value: 1 }, { ...less, value: 1.5 }), [
    "T: A: 1.50 x, before 1.00 x; 50 % worse, where 10 % is noise",
  ]);
  deepEqual(changes({ ...more, value: 1.5 }, { ...more, value: 1 }).length, 1);
  deepEqual(changes({ ...more, value: 1 }, { ...more, value: 1.5 }), []);
  deepEqual(changes({ ...less, value: 1 }, { ...less, value: 1.09 }), []);
  deepEqual(changes({ ...less, value: 1, noise: 0.3 }, { ...less, value: 1.5, noise: 0.3 }), []);
  deepEqual(
    changes({ unit: "x", value: 1, better: "more" }, { unit: "x", value: 2, better: "more" }),
    [],
  );
  deepEqual(changes({ value: 1, base: "5 ms, B" }, { value: 2, base: "6 ms, B" }).length, 1);
  deepEqual(changes({ value: 1, base: "5 ms, B" }, { value: 2, base: "6 ms, C" }), []);
  deepEqual(changes({}, { value: 2 }), []);
  const left = (before: Partial<Finding>[], now: Partial<Finding>[]) =>
    compareRuns(runOf(before), runOf(now)).leftOut;
  const [a, b, c] = ["A", "B", "C"].map((what) => ({ what, value: 1 }));
  deepEqual([left([{ ...a }], [{ ...a }]), left([{ ...a }], [{ ...b }, { ...c }])], [0, 3]);
  deepEqual([left([{ what: "A" }], [{ ...a }]), left([{ what: "A" }], [{ what: "B" }])], [1, 0]);
  throws(() => compareRuns({ quick: false, sections: [] }, runOf([])), /no section in common/);
  deepEqual(readRun("a.json", JSON.stringify(runOf([]))), runOf([]));
  for (const text of ["", "[]", "null", '{"quick":true,"sections":1}', '{"sections":[]}']) {
    throws(() => readRun("a.json", text), /^RangeError: Cannot compare with "a\.json": /);
  }
});

Deno.test("noise is half of the interquartile range", () => {
  equal(noiseOf([1, 2, 3, 4, 5]), 1 / 3);
  equal(noiseOf([7, 7, 7]), 0);
});

const FINDING = { what: "A", ours: "2 ms", base: "1 ms, B", value: 2, unit: "x" } as const;

Deno.test("the results show budget and verdict side by side", () => {
  const results = renderResults(["T"], [{
    title: "T",
    place: "a machine",
    method: "M.",
    findings: [
      { ...FINDING, budget: { atMost: 1.5 } },
      { ...FINDING, budget: { atLeast: 1.5 } },
      { ...FINDING, unit: "ms", budget: { atMost: 300 } },
    ],
  }], "");
  match(results, /^Machine: a machine\.$/m);
  match(results, /^\| A +\| 2 ms \| 1 ms, B \| 2\.00 x \| ≤ 1\.5 x +\| over +\|$/m);
  match(results, /^\| A +\| 2 ms \| 1 ms, B \| 2\.00 x \| ≥ 1\.5 x +\| kept +\|$/m);
  match(results, /^\| A +\| 2 ms \| 1 ms, B \| +\| ≤ 300 ms +\| kept +\|$/m);
});

Deno.test("an unmeasured section keeps its text and its machine", () => {
  const section = (title: string, place: string) => ({
    title,
    place,
    method: `How ${title} is measured.`,
    findings: [FINDING],
  });
  const titles = ["One", "Two", "Three"];
  const before = renderResults(titles, [
    section("One", "an old machine"),
    section("Two", "an old machine"),
    section("Gone", "an old machine"),
  ], "");
  const after = renderResults(titles, [
    section("Two", "a new machine"),
    section("Three", "a new machine"),
  ], before.replaceAll("\n", "\r\n"));
  const [, one, two, three, ...none] = after.split("\n## ");
  deepEqual(none, []);
  match(one ?? "", /^One\n[^]*an old machine\.\n/);
  match(two ?? "", /^Two\n[^]*a new machine\.\n/);
  match(three ?? "", /^Three\n[^]*a new machine\.\n/);
  doesNotMatch(after, /Gone|\r|\n\n\n/);
  // Storing a figure does not change it.
  equal(renderResults(titles, [], after), after);
});

Deno.test("sections are measured by name, and an unknown one is refused with the list", () => {
  deepEqual(sectionsNamed(["charts", "http"]).map(({ name }) => name), ["http", "charts"]);
  equal(sectionsNamed([]), SECTIONS);
  throws(
    () => sectionsNamed(["http", "chart"]),
    /^RangeError: .*"chart"; the sections are .*http.*charts/,
  );
});
