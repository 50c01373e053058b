import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import type { Case } from "../../scripts/mutate/cases.ts";
import { inFarOrderFor, inLoadedOrderFor } from "../../scripts/mutate/cases.ts";
import { filesUnder } from "../../scripts/mutate/graph.ts";
import { keepCases, keyOf, readCases } from "../../scripts/mutate/kept.ts";
import {
  ANY,
  hashOf,
  type Layout,
  layoutOf,
  passedOf,
  passes,
  sizeOf,
} from "../../scripts/mutate/layout.ts";
import { faultsIn, withFault } from "../../scripts/mutate/places.ts";
import { PASSED, type Probe, probeAround, probesIn } from "../../scripts/mutate/probes.ts";
import { isProgram, type Numbered, SWITCH, withSwitches } from "../../scripts/mutate/switches.ts";

/** The faults of a source that have a switch. */
function numberedIn(source: string): Numbered[] {
  return faultsIn("lib/a.ts", source).flatMap((fault, id) =>
    fault.host ? [{ id, fault: { ...fault, host: fault.host } }] : []
  );
}

/** A source with a switch for each fault in its functions, and with probes. */
function switched(source: string, probes: readonly Probe[] = probesIn(source)): string {
  const text = withSwitches(source, numberedIn(source), { probes, base: 0 });
  ok(isProgram(text), source);
  return text;
}

Deno.test("a source with switches does what each of its faults does", () => {
  const source = `let log = [];
function f(a, b) {
  const { c = 2 } = { ...a, d: [1, ...(b ?? [])] };
  if (a?.list.find((one) => one > 1)?.toString().trim() === "2" || !b) log.push("x");
  for (const one of [3, 4]) {
    if (one === 3) continue;
    log.push(\`\${one}\`);
    if (c > 5) break;
  }
  while (log.length < 4) log.push(c);
  if (a.stop) throw new Error("stop");
  return log.slice(1).map((one) => ({ one, c: c + 1 }));
}
return [[{ list: [1, 2, 3] }, null], [{}, [5]], [{ c: 6, stop: true }, []]].map((args) => {
  log = [];
  try {
    return f(...args);
  } catch (error) {
    return error.name;
  }
});`;
  const body = source.slice(0, source.indexOf("\nreturn [["));
  const outcome = (text: string, on?: number) => {
    // Most faults end; a loop without an end is stopped by its switch.
    const lines = text.replace(/^const __.*?; /, "") + source.slice(body.length);
    let left = 1000;
    const isOn = (id: number) => {
      if (id === on && left-- < 0) throw new Error("endless");
      return id === on;
    };
    try {
      return JSON.stringify(new Function(SWITCH, PASSED, lines)(isOn, []));
    } catch (error) {
      return String(error);
    }
  };
  const text = switched(body);
  equal(outcome(text), outcome(body));
  equal(outcome(switched(body, [])), outcome(body));
  let different = 0;
  for (const [id, fault] of faultsIn("lib/a.ts", body).entries()) {
    // These are loops without an end.
    if (fault.host === undefined || /log\.push\(c\)|log.length < 4/.test(fault.text)) continue;
    const alone = outcome(withFault(body, fault));
    equal(outcome(text, id), alone, `${fault.kind} ${fault.before}`);
    if (alone !== outcome(body)) different++;
  }
  ok(different > 15, `${different}`);
});

Deno.test("probes note what runs, and nothing else", () => {
  const source = `function f(a) {
  if (a) return "early";
  else if (a === 0) a = 1;
  for (const one of [1]) g((b) => b ? { one } : ((c) => c)(one));
  switch (a) {
    case 1:
      return [(d) => ({ d })];
  }
  return "late";
}
`;
  const probes = probesIn(source);
  const textOf = ({ start, end }: Probe) => source.slice(start, end).replaceAll(/\s+/g, " ");
  const passedBy = (a: unknown, g: (f: (b: unknown) => unknown) => void) => {
    const notes: number[] = [];
    const body = switched(source, probes).replace(/^const __.*?; /, "");
    new Function(SWITCH, PASSED, "g", `${body}; return f;`)(() => false, notes, g)(a);
    return Object.keys(notes).map((id) =>
      textOf(probes[Number(id)] ?? { start: 0, end: 0, kind: "value" })
    );
  };
  const [first, second, third, fourth] = [
    'if (a) return "early"; else if (a === 0) a = 1;',
    "for (const one of [1]) g((b) => b ? { one } : ((c) => c)(one));",
    "g((b) => b ? { one } : ((c) => c)(one));",
    "switch (a) { case 1: return [(d) => ({ d })]; }",
  ];
  deepEqual(passedBy(true, () => {}), [first, 'return "early";']);
  deepEqual(passedBy("", () => {}), [first, second, third, fourth, 'return "late";']);
  deepEqual(passedBy(0, (f) => f(true)), [
    first,
    "a = 1;",
    second,
    third,
    "b ? { one } : ((c) => c)(one)",
    fourth,
    "return [(d) => ({ d })];",
  ]);
  ok(passedBy("", (f) => f(false)).includes("c"));
  const at = source.indexOf('"early"');
  const around = probes[probeAround(probes, { start: at, end: at + 7 }) ?? -1];
  equal(around && textOf(around), 'return "early";');
  equal(probeAround(probes, { start: 0, end: 8 }), undefined);
});

Deno.test("every file of the product is a program with probes", {
  // It parses all of them twice.
  ignore: !Deno.env.has("LONG_TESTS"),
}, async () => {
  const root = join(import.meta.dirname ?? "", "../..");
  for (const file of ["cli.ts", ...await filesUnder(root, "lib")]) {
    const source = await Deno.readTextFile(join(root, file));
    const probes = probesIn(source);
    const text = withSwitches(source, [], { probes, base: 0 });
    ok(isProgram(text) && text.split("\n").length === source.split("\n").length, file);
  }
});

/** A layout of two files. */
const layout: Layout = new Map([
  ["lib/a.ts", { hash: "a", probes: Array(6).fill({ start: 0, end: 1, kind: "listed" }), base: 0 }],
  ["lib/b.ts", { hash: "b", probes: Array(3).fill({ start: 0, end: 1, kind: "value" }), base: 6 }],
]);

Deno.test("passed probes are known by file, and of a changed file only that some are", () => {
  const passed = passedOf([0, 5, 7], layout);
  deepEqual([...passed], [["lib/a.ts", "12"], ["lib/b.ts", "2"]]);
  equal(sizeOf(passed), 3);
  const known = [0, 1, 4, 5].map((probe) => passes(passed, "lib/a.ts", probe));
  deepEqual(known, ["yes", "no", "no", "yes"]);
  equal(passes(passed, "lib/a.ts", undefined), "maybe");
  equal(passes(passed, "lib/c.ts", 0), "no");
  equal(passes(new Map([["lib/a.ts", ANY]]), "lib/a.ts", 1), "maybe");
});

Deno.test("what tests pass is kept until they change", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(join(folder, "tests"));
    await Deno.writeTextFile(join(folder, "tests/a_test.ts"), "1");
    const test = {
      path: "tests/a_test.ts",
      files: new Set(["tests/a_test.ts", "lib/a.ts"]),
      startsProcesses: false,
    };
    const passed = passedOf([1, 6], layout);
    const one: Case = { file: test.path, index: 3, name: "it holds", ms: 5, passed, size: 2 };
    const cases = { cases: [one], atLoad: passedOf([8], layout), failing: ["another"] };
    const key = await keyOf(test, folder);
    await keepCases(folder, test, key, cases, layout);
    deepEqual(await readCases(folder, test, key, layout), cases);
    // A file of the product has changed.
    const a = layout.get("lib/a.ts");
    ok(a);
    const other = new Map([...layout, ["lib/a.ts", { ...a, hash: "c" }]]);
    const [left] = (await readCases(folder, test, key, other))?.cases ?? [];
    deepEqual([...left?.passed ?? []], [["lib/a.ts", ANY], ["lib/b.ts", "1"]]);
    await Deno.writeTextFile(join(folder, "tests/a_test.ts"), "2");
    const later = await keyOf(test, folder);
    equal(await readCases(folder, test, later, layout), undefined);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the probes of unchanged files are read from what is kept", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(join(folder, "lib"));
    const write = (text: string) => Deno.writeTextFile(join(folder, "lib/a.ts"), text);
    await write("function a() { b(); }");
    const first = await layoutOf(folder, ["lib/a.ts"], folder);
    deepEqual([...first.values()].map(({ probes, hash }) => [probes.length, hash]), [
      [1, hashOf("function a() { b(); }")],
    ]);
    deepEqual(await layoutOf(folder, ["lib/a.ts"], folder), first);
    await write("function a() { b(); b(); }");
    const second = await layoutOf(folder, ["lib/a.ts"], folder);
    equal(second.get("lib/a.ts")?.probes.length, 2);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("for code that runs once, tests that run most of its file and quiet ones take turns", () => {
  const caseOf = (name: string, own: string | undefined, size: number): Case => {
    const passed = new Map(own === undefined ? [] : [["lib/service/http/query.ts", own]]);
    return { file: `tests/cli/${name}_test.ts`, index: 0, name, ms: 1, passed, size };
  };
  const cases = [
    caseOf("wide", "f", 100),
    caseOf("busy", undefined, 50),
    caseOf("without", undefined, 5),
    caseOf("narrow", "1", 10),
    caseOf("own", "f", 5),
  ];
  const order = inLoadedOrderFor("lib/service/http/query.ts", cases).map(({ name }) => name);
  deepEqual(order, ["own", "without", "narrow", "busy", "wide"]);
});

Deno.test("far tests that run little else come first, and near ones before them", () => {
  const caseOf = (file: string, size: number): Case => {
    return { file, index: 0, name: file, ms: 1, passed: new Map(), size };
  };
  const cases = [
    caseOf("tests/cli/a_test.ts", 100),
    caseOf("tests/cli/b_test.ts", 10),
    caseOf("tests/service/c_test.ts", 100),
    caseOf("tests/cli/d_test.ts", 20),
  ];
  const order = inFarOrderFor("lib/service/http/query.ts", cases).map(({ file }) => file);
  deepEqual(order.map((file) => file.at(-9)), ["b", "c", "d", "a"]);
});
