import { deepEqual, equal, match, notEqual, ok, throws } from "node:assert/strict";
import { fc, readSeed, roundSeed, usualSeed } from "./properties.ts";

/** A property that does not hold, and what it says of that. */
function failureOf(seed?: number): string {
  try {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (number) => number % 97 !== 13),
      { numRuns: 10_000, endOnFailure: true, ...seed !== undefined && { seed } },
    );
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

Deno.test("a property that fails prints its seed, and the seed fails on the same input", () => {
  const first = failureOf();
  match(first, /^Run the test with PROPERTY_SEED=-?\d+ to try the same inputs again\.\n/);
  const seed = Number(/PROPERTY_SEED=(-?\d+)/.exec(first)?.[1]);
  equal(failureOf(seed), first);
  notEqual(failureOf(seed + 1), first);
});

Deno.test("a property that fails names the fault as its cause", () => {
  const fault = new RangeError("three is too many");
  const property = fc.property(fc.constant(3), () => {
    throw fault;
  });
  throws(() => fc.assert(property), { cause: fault });
});

Deno.test("a seed in the environment is used by every property of a test file", async () => {
  const first = await sampleWith("7");
  deepEqual(await sampleWith("7"), first);
  notEqual(await sampleWith("8"), first);
  match(first, / 7\n$/);
  match(await sampleWith(""), / 20270131\n$/);
});

Deno.test("a seed that is no whole number of 32 bits is refused", async () => {
  for (const [text, seed] of [["0", 0], ["-5", -5], ["", undefined]] as const) {
    equal(readSeed(text), seed);
  }
  equal(readSeed(undefined), undefined);
  for (const text of ["x", "1.5", "4294967296", "1e3", " 1"]) {
    throws(() => readSeed(text), { name: "RangeError", message: new RegExp(`"${text}"`) });
  }
  match(await sampleWith("seven"), /Cannot use PROPERTY_SEED "seven": it is not a whole number/);
  deepEqual(Object.keys(usualSeed(1)), ["seed"]);
});

Deno.test("rounds have other inputs each, and a failure prints the seed that repeats them all", () => {
  const seeds = [1, 2, 3].map((round) => roundSeed(round).seed);
  equal(new Set(seeds).size, 3);
  deepEqual(seeds, [1, 2, 3].map((round) => roundSeed(round).seed));
  const printed = seeds.map((seed) => /PROPERTY_SEED=(-?\d+)/.exec(failureOf(seed))?.[1]);
  equal(new Set(printed).size, 1);
  notEqual(printed[0], String(seeds[0]));
});

/** What a process prints that shows some inputs: these, then the seed that is used as a rule. */
async function sampleWith(seed: string): Promise<string> {
  const module = new URL("./properties.ts", import.meta.url).href;
  const source = `import { fc, usualSeed } from ${JSON.stringify(module)};
    let inputs = "";
    fc.assert(fc.property(fc.integer(), (number) => { inputs += number + " "; }));
    console.log(inputs + usualSeed(20270131).seed);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--no-check", "--frozen", "--allow-env", "-"],
    env: { PROPERTY_SEED: seed, NO_COLOR: "1" },
    cwd: new URL("../../", import.meta.url),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(source));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stdout) + decoder.decode(stderr);
  ok(text !== "");
  return text;
}
