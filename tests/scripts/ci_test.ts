import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RUN = fileURLToPath(import.meta.resolve("../../.ci/run"));

/** What a part of the run prints, and how it ends. */
interface Part {
  /** Its output. */
  says: string;
  /** Its exit code. */
  code?: number;
}

/** Runs the script for CI, with programs in the place of Deno and Debian's. */
async function run(
  parts: { test: Part; check?: Part; postgres: Part },
): Promise<{ code: number; lines: string[]; asked: string[] }> {
  const folder = await Deno.makeTempDir({ prefix: "ci" });
  try {
    const calls = join(folder, "calls");
    const part = ({ says, code = 0 }: Part) => `printf '%s\\n' '${says}'; exit ${code}`;
    const programs = {
      npx: `echo "$*" >>'${calls}'
        case "$4" in
          test) ${part(parts.test)} ;;
          check) ${part(parts.check ?? { says: "fine" })} ;;
          test:postgres) ${part(parts.postgres)} ;;
        esac
        exit 9`,
      "apt-get": "exit 1",
    };
    for (const [name, text] of Object.entries(programs)) {
      await Deno.writeTextFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    const { code, stdout } = await new Deno.Command("sh", {
      args: ["-c", `exec bash '${RUN}'`],
      env: { PATH: `${folder}:${Deno.env.get("PATH")}` },
      stderr: "inherit",
    }).output();
    const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
    return { code, lines, asked: (await Deno.readTextFile(calls)).trimEnd().split("\n") };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const TESTS: Part = { says: "ok | 12 passed (3 steps) | 0 failed | 1 ignored (2s)" };
const POSTGRES: Part = {
  says: "ok | 10 passed | 0 failed | 4 ignored (3m2s)\n1 tests are skipped on PostgreSQL:",
};
const OPTIONS = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "CI runs all tests on both engines and the checks, and adds the tests up",
  OPTIONS,
  async () => {
    const { code, lines, asked } = await run({ test: TESTS, postgres: POSTGRES });
    equal(code, 0);
    equal(lines.at(-1), "22 passed, 0 failed, 5 skipped");
    const tasks = asked.map((line) => line.replace(/^-y deno@[\d.]+ task /, ""));
    deepEqual(tasks.slice(0, 2), ["test", "check"]);
    // Without files, it runs all of them.
    match(tasks.slice(2).join("\n"), /^test:postgres --again --limit=\d+$/);
  },
);

Deno.test("CI fails with any of its parts, and runs the others", OPTIONS, async () => {
  const failed = { says: "FAILED | 9 passed | 3 failed (1s)", code: 1 };
  const tests = await run({ test: failed, postgres: POSTGRES });
  equal(tests.code, 1);
  deepEqual(tests.lines.slice(-2), [
    "The tests failed with code 1",
    "19 passed, 3 failed, 4 skipped",
  ]);
  equal(tests.asked.length, 3);
  const checks = await run({ test: TESTS, check: { says: "no", code: 2 }, postgres: POSTGRES });
  equal(checks.code, 1);
  equal(checks.lines.at(-2), "The checks failed with code 2");
  const postgres = await run({ test: TESTS, postgres: failed });
  equal(postgres.code, 1);
  deepEqual(postgres.lines.slice(-2), [
    "The tests on PostgreSQL failed with code 1",
    "21 passed, 3 failed, 1 skipped",
  ]);
});

Deno.test(
  "CI succeeds when all that failed on PostgreSQL passed the second time",
  OPTIONS,
  async () => {
    const first = "FAILED | 9 passed | 2 failed | 4 ignored (3m2s)";
    const second = await run({
      test: TESTS,
      postgres: { says: `${first}\nok | 2 passed | 0 failed | 9 filtered out (9s)` },
    });
    equal(second.code, 0);
    equal(second.lines.at(-1), "23 passed, 0 failed, 5 skipped");
    const still = await run({
      test: TESTS,
      postgres: { says: `${first}\nFAILED | 1 passed | 1 failed | 9 filtered out (9s)`, code: 1 },
    });
    equal(still.code, 1);
    equal(still.lines.at(-1), "22 passed, 1 failed, 5 skipped");
  },
);

Deno.test("CI fails when tests end without a summary, as after a time limit", OPTIONS, async () => {
  const late = { says: "FAILED: the tests did not end within 12 minutes", code: 130 };
  const postgres = await run({ test: TESTS, postgres: late });
  equal(postgres.code, 1);
  deepEqual(postgres.lines.slice(-4), [
    late.says,
    "The tests on PostgreSQL ended without a summary",
    "The tests on PostgreSQL failed with code 1",
    "12 passed, 0 failed, 1 skipped",
  ]);
  const tests = await run({ test: { says: "gone" }, postgres: POSTGRES });
  equal(tests.code, 1);
  match(tests.lines.join("\n"), /^The tests ended without a summary$/m);
});

Deno.test("CI says that PostgreSQL is missing, and succeeds", OPTIONS, async () => {
  const skipped = { says: "SKIPPED: the tests on PostgreSQL" };
  const { code, lines } = await run({ test: TESTS, postgres: skipped });
  equal(code, 0);
  deepEqual(lines.slice(-2), [skipped.says, "12 passed, 0 failed, 1 skipped"]);
});

Deno.test("a program that outlives its test does not delay CI", OPTIONS, async () => {
  const began = performance.now();
  // It holds the output open.
  const test = { says: `${TESTS.says}'; sleep 20 & printf '` };
  const { code, lines } = await run({ test, postgres: POSTGRES });
  equal(code, 0, lines.join("\n"));
  equal(performance.now() - began < 15_000, true);
});
