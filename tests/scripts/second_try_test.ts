import { deepEqual, equal } from "node:assert/strict";
import { failedFew, filterOf, havePassed } from "../../scripts/postgres/second_try.ts";

/** What `deno test` reports of a file with some tests, in JUnit's format. */
async function reportOf(source: string, filter?: string): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/some_test.ts`, source);
    const words = ["test", "--no-check", "--no-config", `--junit-path=${folder}/report.xml`];
    const more = filter === undefined ? [] : [`--filter=${filter}`];
    await new Deno.Command(Deno.execPath(), {
      args: [...words, ...more, `${folder}/some_test.ts`],
      stdout: "null",
      stderr: "null",
    }).output();
    return await Deno.readTextFile(`${folder}/report.xml`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const BAD = `"bad" (1/2) <x> & [y]`;
const TESTS = `
  const fail = () => { throw new Error("no"); };
  Deno.test("good", () => {});
  Deno.test(${JSON.stringify(BAD)}, fail);
  Deno.test("with steps", async (t) => { await t.step("one", fail); });
`;

Deno.test("failed tests are known by their names, and they alone run again", async () => {
  const report = await reportOf(TESTS);
  const failed = failedFew(report);
  deepEqual(failed, [BAD, "with steps"]);
  equal(havePassed(failed ?? [], report), false);
  const passing = TESTS.replace('throw new Error("no")', "return undefined");
  const again = await reportOf(
    `${passing} Deno.test("good 2", () => { throw 1; });`,
    filterOf(failed ?? []),
  );
  equal(havePassed(failed ?? [], again), true, again);
  equal(havePassed(["good"], again), false, "it did not run");
});

Deno.test("nothing runs again when all passed, when many failed, and when no test is to blame", async () => {
  equal(failedFew(await reportOf('Deno.test("good", () => {});')), undefined);
  const four =
    'for (let i = 0; i < 4; i++) Deno.test(`bad ${i}`, () => { throw new Error("no"); });';
  equal(failedFew(await reportOf(four)), undefined);
  equal(failedFew(await reportOf('throw new Error("it does not load");')), undefined);
  equal(failedFew(""), undefined, "a run that was stopped leaves an empty file");
  equal(havePassed(["good"], ""), false);
});
