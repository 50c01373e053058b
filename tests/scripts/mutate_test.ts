import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { linesOf } from "../../scripts/mutate/changed.ts";
import { linesRun } from "../../scripts/mutate/coverage.ts";
import { EQUAL, equalOf } from "../../scripts/mutate/equal.ts";
import { areWhole, filesNamed } from "../../scripts/mutate/files.ts";
import { isNear, nearness, nearTests } from "../../scripts/mutate/near.ts";
import { faultsIn, withFault } from "../../scripts/mutate/places.ts";
import { inRandomOrder, roomOf } from "../../scripts/mutate/sample.ts";
import { failedTest } from "../../scripts/mutate/trial.ts";
import { takeCounted } from "../../scripts/mutate/turns.ts";
import { placesIn } from "../../scripts/mutate/types.ts";
import { faultOf } from "../support/fault.ts";

/** The result of each fault in a source, by kind. */
function changed(source: string): string[] {
  return faultsIn("lib/a.ts", source).map((fault) => `${fault.kind}: ${withFault(source, fault)}`);
}

Deno.test("each operator, condition and literal has a mutation", () => {
  const cases: [string, string[]][] = [
    ["a < 5;", ["call: ;", "edge: a <= 5;", "number: a < 6;"]],
    ["a += b;", ["call: ;", "arithmetic: a -= b;"]],
    ["x = a && !b;", ["call: ;", "logic: x = a || !b;", "not: x = a && (b);"]],
    ["x = a ?? b;", ["call: ;", "default: x = (a);", "default: x = (b);"]],
    ["x = a ? b : c;", ["call: ;", "choice: x = (b);", "choice: x = (c);"]],
    ["if (a) b = true;", [
      "condition: if (true) b = true;",
      "condition: if (false) b = true;",
      "call: if (a) ;",
      "truth: if (a) b = false;",
    ]],
    ["while (a) break;", ["condition: while (false) break;", "stop: while (a) ;"]],
    ["x = { a: 1, b };", [
      "call: ;",
      "field: x = {  b };",
      "number: x = { a: 2, b };",
      "field: x = { a: 1,  };",
    ]],
    ["x = [...a, 5000];", [
      "call: ;",
      "element: x = [ 5000];",
      "element: x = [...a, ];",
      "number: x = [...a, 10000];",
    ]],
    ["x = `a${b}`;", ["call: ;", "text: x = ``;"]],
    ["i++;", ["call: ;", "arithmetic: i--;"]],
  ];
  for (const [source, expected] of cases) deepEqual(changed(source), expected, source);
});

Deno.test("steps of a chain are removed, and functions replaced by similar ones", () => {
  deepEqual(changed('q = from(t)\n  .where("seq", ">", a)?.trim();'), [
    "call: ;",
    "step: q = from(t)\n  ?.trim();",
    'text: q = from(t)\n  .where("", ">", a)?.trim();',
    'query: q = from(t)\n  .where("seq", ">=", a)?.trim();',
    'step: q = from(t)\n  .where("seq", ">", a);',
  ]);
  deepEqual(changed("x = Math.min(a, b);"), ["call: ;", "twin: x = Math.max(a, b);"]);
  // Methods of every object have no similar functions.
  deepEqual(changed("x = a.toString(b);"), ["call: ;"]);
});

Deno.test("conditions on the project are made true for all, with the same parameters", () => {
  const tenancy = (source: string) =>
    faultsIn("lib/a.ts", source).filter(({ kind }) => kind === "tenancy")
      .map((fault) => withFault(source, fault));
  const cases: [string, string[]][] = [
    ["sql`select 1 where project_id = ${a} and id = ${b}`;", [
      "sql`select 1 where '' <> ${a} and id = ${b}`;",
    ]],
    ["fixed`join a on a.project_id = b.project_id and projects.id = b.project_id`;", [
      "fixed`join a on '' <> b.project_id and projects.id = b.project_id`;",
      "fixed`join a on a.project_id = b.project_id and '' <> b.project_id`;",
    ]],
    ['f(`${quoted(table)}."project_id" = ? and id = ?`);', ["f(`'' <> ? and id = ?`);"]],
    ["f('\"project_id\" = ?');", ["f(\"'' <> ?\");"]],
    ["sql`where t.project_id in (${ids}) and project_id in (select 1)`;", [
      "sql`where '' not in (${ids}) and project_id in (select 1)`;",
    ]],
    ["f(`select 1 group by project_id, day`);", ["f(`select 1 group by day`);"]],
    ["f(`my_project_id = ${a}, project_ids = ${b}, project_id == ${c}`);", []],
  ];
  for (const [source, expected] of cases) deepEqual(tenancy(source), expected, source);
});

Deno.test("a template keeps its tag behind a switch", () => {
  const source = "const f = () => sql`project_id = ${a ?? 1}`.execute();";
  deepEqual(
    faultsIn("lib/a.ts", source).map(({ kind, host }) =>
      `${kind}: ${host ? source.slice(host.start, host.end) : "none"}`
    ),
    [
      "tenancy: sql`project_id = ${a ?? 1}`",
      "default: a ?? 1",
      "default: a ?? 1",
      "number: 1",
    ],
  );
});

Deno.test("types, imports and keys stay unchanged", () => {
  const source = `import a, { type B } from "./b.ts";
import defer * as c from "c";
export * from "./d.ts";
export { e } from "./e.ts";
type F = "g" | 5;
interface H { i: "j" }
const k: "l" | undefined = { "m": c, 6: a } as F satisfies B;`;
  deepEqual(faultsIn("lib/a.ts", source).map(({ kind, before }) => `${kind} ${before}`), [
    'field "m": c,',
    "field 6: a",
  ]);
});

Deno.test("only code of functions has a switch", () => {
  const hosts = (source: string) =>
    faultsIn("lib/a.ts", source).map(({ kind, host }) =>
      `${kind}: ${host ? source.slice(host.start, host.end) : "none"}`
    );
  deepEqual(hosts("const a = [1];"), ["element: none", "number: none"]);
  deepEqual(hosts("const f = (a = 1) => a?.b().trim().c;"), [
    "number: 1",
    "step: a?.b().trim().c",
  ]);
  deepEqual(hosts("function f() { return [1]; }"), [
    "stop: return [1];",
    "element: [1]",
    "number: 1",
  ]);
});

Deno.test("a fault has its line", () => {
  const [fault] = faultsIn("lib/a.ts", "// First\n\n  f(\n    a <\n b);\n").filter(({ kind }) =>
    kind === "edge"
  );
  deepEqual([fault?.line, fault?.text, fault?.before, fault?.after], [4, "a <", "<", "<="]);
  equal(fault?.inner, false);
  const both = faultsIn("lib/a.ts", "const a = (b = 1) => {\n  return 2;\n};\n");
  deepEqual(both.filter(({ kind }) => kind === "number").map(({ inner }) => inner), [false, true]);
});

Deno.test("the same seed selects the same faults, and every fault once", () => {
  const faults = Array.from({ length: 300 }, (_, i) => faultOf(i % 30 === 0 ? "edge" : "text", i));
  const draw = (seed: number) => inRandomOrder(faults, seed);
  deepEqual(draw(7), draw(7));
  ok(draw(7).some(({ line }, i) => draw(8)[i]?.line !== line));
  deepEqual(draw(7).map(({ line }) => line).sort((a, b) => a - b), faults.map(({ line }) => line));
  // A kind of 10 among 290 others is drawn more often than once in 30.
  const early = Array.from({ length: 20 }, (_, seed) => draw(seed).slice(0, 30)).flat();
  const edges = early.filter(({ kind }) => kind === "edge").length;
  ok(edges > 60 && edges < 150, `${edges} of 600`);
});

Deno.test("a removed fault keeps the order of the others", () => {
  const faults = Array.from({ length: 100 }, (_, i) => ({ ...faultOf("edge", i), text: `${i}` }));
  const rest = faults.filter((_, i) => i !== 50);
  deepEqual(
    inRandomOrder(rest, 7).map(({ line }) => line),
    inRandomOrder(faults, 7).map(({ line }) => line).filter((line) => line !== 50),
  );
});

Deno.test("the counted faults are the same for any number of parallel runs", async () => {
  const faults = Array.from({ length: 40 }, (_, i) => faultOf("edge", i));
  const tried = async (jobs: number) => {
    const turns = takeCounted(faults, 10);
    const lines: number[] = [];
    await Promise.all(Array.from({ length: jobs }, async (_, job) => {
      for (let next = await turns.faults.next(); !next.done; next = await turns.faults.next()) {
        for (let i = 0; i < (next.value.line * 7 + job) % 5; i++) await Promise.resolve();
        lines.push(next.value.line);
        turns.done(next.value.line % 3 !== 0);
      }
    }));
    return lines.sort((a, b) => a - b);
  };
  const alone = await tried(1);
  equal(alone.filter((line) => line % 3 !== 0).length, 10);
  deepEqual(await tried(2), alone);
  deepEqual(await tried(5), alone);
});

Deno.test("rooms are the folders of lib/ and of the service", () => {
  deepEqual(
    [
      "cli.ts",
      "lib/client.ts",
      "lib/cli/main.ts",
      "lib/cli/commands/auth/login.ts",
      "lib/service/mod.ts",
      "lib/service/events/queue.ts",
      "lib/service/store/sqlite/open.ts",
      "lib/service/store/postgres/line.ts",
      "lib/service/events/shared_faults.ts",
    ].map(roomOf),
    ["entry", "lib", "cli", "cli", "service", "events", "store", "postgres", "postgres"],
  );
});

Deno.test("a folder stands for the files of whole rooms, without those of PostgreSQL's", () => {
  const all = [
    "cli.ts",
    "lib/service/sim/clock.ts",
    "lib/service/sim/shared_faults.ts",
    "lib/service/store/open.ts",
    "lib/service/store/postgres/line.ts",
  ];
  const [, clock, shared, open, line] = all;
  deepEqual(filesNamed(all, []), all);
  deepEqual(filesNamed(all, ["lib/service/store", "lib/service/sim"]), [open, clock]);
  deepEqual(filesNamed(all, ["lib/service/store/postgres"]), [line]);
  deepEqual(filesNamed(all, [shared ?? ""]), [shared]);
  throws(() => filesNamed(all, ["lib/servic"]), /no such file/);
  const whole = (...names: string[]) => areWhole(filesNamed(all, names), all);
  deepEqual([whole(), whole("lib/service/sim"), whole("lib/service/store/postgres")], [
    true,
    true,
    false,
  ]);
});

Deno.test("tests in a file's mirrored folder are near it, and the test of its name is nearest", () => {
  const file = "lib/service/events/queue.ts";
  deepEqual(
    [
      "tests/service/events/queue_test.ts",
      "tests/service/events/schedule_test.ts",
      "tests/service/sim/clock_test.ts",
      "tests/cli/events/listen_test.ts",
      "tests/scripts/queue_test.ts",
    ].map((test) => nearness(file, test)),
    [3, 2, 1, 0, 1],
  );
  equal(nearness("lib/path.ts", "tests/path_test.ts"), 1);
});

Deno.test("the tests near a file are those of its folder and name, and a few next to it", () => {
  const names = [
    "service/events/queue",
    "service/events/other",
    "service/http/a",
    "queue",
    "cli/b",
  ];
  const files = new Set(["lib/service/events/queue.ts", "lib/service/seed/b.ts"]);
  const tests = names.map((name) => ({
    path: `tests/${name}_test.ts`,
    files: name.startsWith("cli") ? new Set<string>() : files,
    startsProcesses: true,
  }));
  const near = (...paths: string[]) => [...nearTests(paths, tests)].map(({ path }) => path);
  deepEqual(
    near("lib/service/events/queue.ts"),
    [
      "tests/service/events/queue_test.ts",
      "tests/service/events/other_test.ts",
      "tests/queue_test.ts",
      "tests/service/http/a_test.ts",
    ],
  );
  const many = Array.from({ length: 20 }, (_, i) => ({
    path: `tests/service/sim/${i}_test.ts`,
    files: new Set([...files, ...Array.from({ length: i }, (_, other) => String(other))]),
    startsProcesses: false,
  }));
  const next = [...nearTests(["lib/service/seed/b.ts"], [...many.toReversed(), ...tests])];
  equal(next.length, 8);
  const root = ["a", "b", "scripts/c"].map((name) => ({
    path: `tests/${name}_test.ts`,
    files: new Set(["lib/path.ts"]),
    startsProcesses: false,
  }));
  const first = [...nearTests(["lib/path.ts"], root)].map(({ path }) => path);
  deepEqual(first, root.map(({ path }) => path));
  ok(next.every(({ path }) => path.startsWith("tests/service/")));
  const tried = ["tests/cli/process_test.ts", "tests/path_test.ts", "tests/cli/data/cli_x_test.ts"];
  deepEqual(tried.filter((test) => isNear("cli.ts", test)), ["tests/cli/process_test.ts"]);
});

Deno.test("the places of type errors are read from a report", () => {
  const report = `TS2322 [ERROR]: Type 'string' is no number.
    at file:///tmp/tree/lib/_fault_1_a.ts:1:65

Stack backtrace:
   0: <unknown>`;
  deepEqual(placesIn(report, "/tmp/tree"), ["lib/_fault_1_a.ts"]);
});

Deno.test("covered lines are read from a coverage report", () => {
  const lcov = "SF:/r/lib/a.ts\nDA:1,5\nDA:2,0\nDA:30,1\nend_of_record\n" +
    "SF:/r/tests/b.ts\nDA:1,1\nend_of_record\nSF:/r/cli.ts\nDA:9,2\nend_of_record\n";
  deepEqual(linesRun(lcov, "/r"), { "lib/a.ts": [1, 30], "cli.ts": [9] });
});

Deno.test("changed lines are read from a diff", () => {
  const diff =
    "--- a/lib/a.ts\n+++ b/lib/a.ts\n@@ -1 +1,2 @@\n-x\n+y\n+z\n@@ -9,2 +10,0 @@\n-x\n-y\n" +
    "--- a/lib/b.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n--- /dev/null\n+++ b/lib/c.ts\n@@ -0,0 +7 @@\n+q\n";
  deepEqual(linesOf(diff), new Map([["lib/a.ts", new Set([1, 2])], ["lib/c.ts", new Set([7])]]));
});

Deno.test("the failed test is found in a report", () => {
  equal(
    failedTest("ok\n ERRORS \n\nit holds => ./tests/a_test.ts:12:6\nerror: AssertionError\n"),
    "tests/a_test.ts:12 it holds",
  );
  equal(failedTest("./tests/b_test.ts (uncaught error)\n"), "tests/b_test.ts");
  equal(failedTest("error: out of memory"), undefined);
});

Deno.test("every listed equivalent mutation exists, and has a reason", async () => {
  for (const known of EQUAL) {
    const source = await Deno.readTextFile(new URL(`../../${known.file}`, import.meta.url));
    const faults = faultsIn(known.file, source);
    ok(faults.some((fault) => equalOf(fault, [known])), `${known.file}: ${known.line}`);
    ok(known.reason.length > 20, known.line);
  }
  const fault = { ...faultOf("edge"), text: "a < b", before: "<", after: "<=" };
  const entry = { file: "lib/a.ts", line: "a < b", before: "<", after: "<=", reason: "" };
  equal(equalOf(fault, [entry]), entry);
  for (const other of [{ file: "x" }, { line: "x" }, { before: "x" }, { after: "x" }]) {
    equal(equalOf(fault, [{ ...entry, ...other }]), undefined);
  }
});
