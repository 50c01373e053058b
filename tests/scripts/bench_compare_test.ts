import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inFolder } from "../support/store_fixture.ts";

const SCRIPT = fileURLToPath(import.meta.resolve("../../scripts/bench/main.ts"));
const SECTION = "Writes that share a commit";
const FINDING = "Writes per second, 64 at a time";

/** Runs the benchmark. */
async function bench(...words: string[]): Promise<{ code: number; out: string; told: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", SCRIPT, ...words],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), told: decoder.decode(stderr) };
}

/** Measures the shortest section, against a stored run. */
async function compare(file: string): Promise<{ code: number; told: string }> {
  return await bench("writes", "--quick", "--compare", file);
}

/** A stored run in which a finding had some value, and another was there. */
function runWith(value: number, quick = true): string {
  const finding = { what: FINDING, ours: "1", base: "1, 1 at a time", value, unit: "x" };
  const findings = [finding, { ...finding, what: "Gone" }];
  const section = { title: SECTION, place: "here", method: "M.", findings };
  return JSON.stringify({ quick, sections: [section] });
}

Deno.test("deno task bench --compare prints what became slower, and fails then", async () => {
  await inFolder(async (folder) => {
    const file = join(folder, "run.json");
    // No machine is a thousand times as fast as this, nor as slow.
    await Deno.writeTextFile(file, runWith(10_000));
    const slower = await compare(file);
    equal(slower.code, 1, slower.told);
    match(slower.told, new RegExp(`^Slower: ${SECTION}: ${FINDING}: .* before 10000\\.00 x`, "m"));
    await Deno.writeTextFile(file, runWith(0.001));
    const faster = await compare(file);
    equal(faster.code, 0, faster.told);
    match(faster.told, /^Nothing became slower by more than its noise$/m);
    match(faster.told, /^Left out: rows that only one of the runs has: [1-9]\d*$/m);
  });
});

Deno.test("deno task bench --compare refuses a file before it measures", async () => {
  await inFolder(async (folder) => {
    const file = join(folder, "run.json");
    const { code, told } = await compare(file);
    deepEqual([code, /Measuring/.test(told)], [2, false]);
    match(told, /^Cannot read the run/);
    await Deno.writeTextFile(file, runWith(1, false));
    const other = await compare(file);
    deepEqual([other.code, other.told], [2, "Cannot compare a run of --quick with a full one\n"]);
  });
});

Deno.test("deno task bench prints its help, also for an unknown flag", async () => {
  const { code, out, told } = await bench("--help");
  deepEqual([code, told], [0, ""]);
  match(
    out,
    /^Usage: deno task bench [^]*^Sections:$[^]*^ +writes +Writes that share[^]*^ +--compare FILE /m,
  );
  const unknown = await bench("--fast");
  deepEqual([unknown.code, unknown.out], [2, ""]);
  match(unknown.told, /^Unknown option '--fast'\n\n[^]*^Usage: deno task bench /m);
  doesNotMatch(unknown.told, /^ +at /m);
});
