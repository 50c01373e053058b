import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Copy, copyTree } from "../../scripts/mutate/copies.ts";
import { coverageOf } from "../../scripts/mutate/coverage.ts";
import { filesUnder, testFiles } from "../../scripts/mutate/graph.ts";
import { faultsIn } from "../../scripts/mutate/places.ts";
import { type Trial, tryFault } from "../../scripts/mutate/trial.ts";
import { refusedByTypes } from "../../scripts/mutate/types.ts";
import { cacheFolder } from "../support/cache_folder.ts";

const main = fileURLToPath(new URL("../../scripts/mutate/main.ts", import.meta.url));

const COUNT = `/** Counts down. */
export function count(from: number): number {
  let steps = 0;
  while (from > 0) {
    from--;
    steps++;
  }
  return Math.min(steps, 9);
}

/** Nobody calls it. */
export function unused(): number {
  return 1;
}
`;

/** A small repository in a folder of its own. */
const FILES: Record<string, string> = {
  "deno.json": `{ "lock": false, "compilerOptions": { "noImplicitReturns": true } }`,
  "cli.ts": "export const entry = 1;\n",
  "lib/count.ts": COUNT,
  "lib/other.ts": "export const other = 1;\n",
  "tests/count_test.ts": `import { count } from "../lib/count.ts";
Deno.test("it counts", () => {
  if (count(3) !== 3) throw new Error("not 3");
});
`,
  "tests/other_test.ts": `import { other } from "../lib/other.ts";
Deno.test("it is one", () => {
  if (other !== 1) throw new Error("not 1");
});
`,
};

/** Runs a test with the small repository and a folder for all else. */
async function withRepository(
  test: (root: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const root = join(folder, "repository");
  try {
    for (const path of ["lib", "tests"]) await Deno.mkdir(join(root, path), { recursive: true });
    for (const [path, text] of Object.entries(FILES)) {
      await Deno.writeTextFile(join(root, path), text);
    }
    await Deno.mkdir(join(folder, "rest"));
    await test(root, join(folder, "rest"));
    for (const [path, text] of Object.entries(FILES)) {
      equal(await Deno.readTextFile(join(root, path)), text, `${path} has changed`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A copy of the small repository. */
async function copyOf(root: string, folder: string, signal: AbortSignal): Promise<Copy> {
  return await copyTree(root, folder, { denoDir: await cacheFolder(), seed: 1, signal });
}

Deno.test("a fault is found by types, a test or the time limit, or survives", {
  // It starts Deno a dozen times.
  ignore: !Deno.env.has("LONG_TESTS"),
}, () =>
  withRepository(async (root, folder) => {
    const copy = await copyOf(root, folder, new AbortController().signal);
    ok(copy.guarded.includes(root) && !copy.guarded.some((path) => copy.cwd.startsWith(path)));
    const tests = await testFiles(copy);
    deepEqual(tests.map(({ path, files }) => [path, [...files].slice(1)]), [
      ["tests/count_test.ts", ["lib/count.ts"]],
      ["tests/other_test.ts", ["lib/other.ts"]],
    ]);
    const [first] = tests;
    ok(first);
    const map = await coverageOf(first, copy, join(folder, "kept"));
    deepEqual([map.passed, Object.keys(map.lines)], [true, ["lib/count.ts"]]);
    // The second time it is read.
    deepEqual(await coverageOf(first, copy, join(folder, "kept")), map);
    const faults = faultsIn("lib/count.ts", COUNT);
    const faultOf = (change: string) => {
      const fault = faults.find(({ before, after }) => `${before} → ${after}` === change);
      ok(fault, change);
      return fault;
    };
    const trialOf = (change: string, leastLimitMs = 60_000): Promise<Trial> => {
      const fault = faultOf(change);
      const maps = [{ ...map, ms: 0 }];
      return tryFault(fault, copy, { maps, successes: new Map(), leastLimitMs });
    };
    const min = await trialOf("min → max");
    deepEqual([min.found, min.by], ["tests", "tests/count_test.ts:2 it counts"]);
    const [noReturn, more] = ["return Math.min(steps, 9); → ;", "9 → 10"].map(faultOf);
    ok(noReturn && more);
    const broken = { ...more, after: "(" };
    const refused = await refusedByTypes([more, broken, noReturn], copy);
    deepEqual([more, broken, noReturn].map((one) => refused.has(one)), [false, true, true]);
    equal((await trialOf("from--; → ;", 2000)).found, "time");
    const alive = await trialOf("9 → 10");
    deepEqual([alive.found, alive.tests], ["no", 1]);
    deepEqual(await filesUnder(copy.cwd, "lib"), ["lib/count.ts", "lib/other.ts"]);
    equal(await Deno.readTextFile(join(copy.cwd, "lib/count.ts")), COUNT);
  }));

Deno.test("a run puts each fault of a file into the table", {
  ignore: !Deno.env.has("LONG_TESTS"),
}, () =>
  withRepository(async (root, folder) => {
    const words = ["--root", root, "--jobs", "1", "--nice", "0", "lib/count.ts", "lib/other.ts"];
    const run = async (...more: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-check", "--frozen", "--allow-all", main, ...words, ...more],
        cwd: fileURLToPath(new URL("../../", import.meta.url)),
        env: { TMPDIR: folder, DENO_DIR: await cacheFolder() },
      }).output();
      const [table, lines] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      return { code, table, lines };
    };
    const { code, table, lines } = await run();
    equal(code, 1, lines);
    match(lines ?? "", /^The tests find less than 95 % in lib$/m);
    const results = [
      // Switched on in a program that runs; one of them never ends without a limit.
      /count.ts:8 twin: min → max: found by tests\/count_test.ts it counts$/m,
      /count.ts:5 call: from--; → ;: found by tests\/count_test.ts it counts$/m,
      /count.ts:8 stop: return Math.min\(steps, 9\); → ;: the types refuse it$/m,
      // Code that runs while the file loads.
      /other.ts:1 number: 1 → 2: found by tests\/other_test.ts it is one$/m,
    ];
    for (const result of results) match(lines ?? "", result);
    match(table ?? "", /^lib\/count.ts:8 number: 9 → 10\n {2}1 test files run it$/m);
    match(table ?? "", /^lib\/count.ts:13 number: 1 → 2\n {2}no test runs it$/m);
    const twins = (await run("--kind", "twin")).lines ?? "";
    deepEqual(twins.match(/^lib 1: .*(?=: found)/gm), ["lib 1: lib/count.ts:8 twin: min → max"]);
    match((await run("--kind", "twin", "--write")).lines ?? "", /^Cannot write results/);
    deepEqual(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), []);
  }));

Deno.test("a stopped run leaves no process and no folder", {
  // Processes cannot be stopped there.
  ignore: Deno.build.os === "windows",
}, () =>
  withRepository(async (root, folder) => {
    // The test waits for ever, once it has said so.
    await Deno.writeTextFile(
      join(root, "tests/count_test.ts"),
      `import "../lib/count.ts";
Deno.test("it waits", async () => {
  await Deno.writeTextFile(Deno.env.get("TMPDIR") + "/began", "");
  await new Promise((wake) => setTimeout(wake, 1e9));
});
`,
    );
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--frozen", "--allow-all", main, "--root", root, "lib/count.ts"],
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      env: { TMPDIR: folder, DENO_DIR: await cacheFolder() },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    try {
      const began = async () => {
        for await (const { name } of Deno.readDir(folder)) {
          for (const job of ["1", "1-switches", "2-switches"]) {
            const there = await Deno.stat(join(folder, name, job, "tmp/began")).catch(() => null);
            if (there) return true;
          }
        }
        return false;
      };
      while (!await began()) await new Promise((wake) => setTimeout(wake, 50));
      child.kill("SIGINT");
      const { code, stderr } = await child.output();
      equal(code, 130, new TextDecoder().decode(stderr));
      match(new TextDecoder().decode(stderr), /^Stopped$/m);
      deepEqual(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), []);
    } finally {
      await Deno.writeTextFile(
        join(root, "tests/count_test.ts"),
        FILES["tests/count_test.ts"] ?? "",
      );
    }
  }));
