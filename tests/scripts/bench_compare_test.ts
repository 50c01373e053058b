import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inFolder } from "../support/store_fixture.ts";

const SCRIPT = fileURLToPath(import.meta.resolve("../../scripts/bench/main.ts"));
const SECTION = "Writes that share a commit";
const FINDING = "Writes per second, 64 at a time";

/** Measures the shortest section, against a stored run. */
async function compare(file: string): Promise<{ code: number; told: string }> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", SCRIPT, "writes", "--quick", "--compare"]
      .concat(file),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  return { code, told: new TextDecoder().decode(stderr) };
}

/** A stored run in which a finding had some value. */
function runWith(value: number): string {
  const finding = { what: FINDING, ours: "1", base: "1, 1 at a time", value, unit: "x" };
  const section = { title: SECTION, place: "here", method: "M.", findings: [finding] };
  return JSON.stringify({ sections: [section] });
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
  });
});

Deno.test("deno task bench --compare refuses a file before it measures", async () => {
  await inFolder(async (folder) => {
    const file = join(folder, "run.json");
    const { code, told } = await compare(file);
    deepEqual([code, /Measuring/.test(told)], [2, false]);
    match(told, /^Cannot read the run/);
  });
});
