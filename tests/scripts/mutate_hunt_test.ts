import { deepEqual, equal, ok } from "node:assert/strict";
import type { Case } from "../../scripts/mutate/cases.ts";
import { type Slot, type Switched, tryTogether } from "../../scripts/mutate/hunt.ts";
import type { Fault } from "../../scripts/mutate/places.ts";

/** A fault with a switch, without a probe. */
function switchedOf(id: number): Switched {
  const fault: Fault = {
    file: "lib/a.ts",
    line: id + 1,
    text: "",
    start: id,
    end: id,
    kind: "edge",
    inner: true,
    before: "a",
    after: "b",
  };
  return { fault, id, probe: undefined, probeId: undefined };
}

/** A slot whose tests fail as a function says, and the faults of each run. */
function slotOf(fails: (test: number, faults: ReadonlySet<number>) => boolean) {
  const runs: [test: number, faults: readonly number[]][] = [];
  const slot: Pick<Slot, "warm"> = {
    warm: {
      stop: () => Promise.resolve(),
      ask(request) {
        const reply = { hits: [], passed: [], ms: 1, late: false };
        if (request.do === "load") return Promise.resolve(reply);
        const faults = request.faults ?? [];
        runs.push([request.test, faults]);
        const failure = fails(request.test, new Set(faults)) ? "failed" : undefined;
        return Promise.resolve({ ...reply, hits: faults, failure });
      },
    },
  };
  return { runs, slot };
}

/** Some tests of a file. */
function casesOf(count: number): Case[] {
  return Array.from({ length: count }, (_, index) => ({
    file: "tests/a_test.ts",
    index,
    name: `test ${index}`,
    ms: 1,
    passed: new Map(),
    size: 0,
  }));
}

Deno.test("many faults run together, and one that a test finds runs alone", async () => {
  const faults = Array.from({ length: 16 }, (_, id) => switchedOf(id));
  const cases = casesOf(5);
  // The test at 2 finds the fault 11.
  const { runs, slot } = slotOf((test, on) => test === 2 && on.has(11));
  const chosen = new Map(faults.map((one) => [one, new Set(cases)]));
  const results = await tryTogether(chosen, slot, new Map());
  deepEqual(
    [...results].flatMap(([{ id }, { finder }]) => finder ? [[id, finder.by]] : []),
    [[11, "tests/a_test.ts test 2"]],
  );
  ok(runs.length < 20, `${runs.length} runs`);
  equal(runs.at(-1)?.[1].includes(11), false, "it was found before");
});

Deno.test("a fault runs only with the tests that were chosen for it", async () => {
  const [first, second] = [switchedOf(0), switchedOf(1)];
  const [one, other] = casesOf(2);
  ok(one && other);
  const { runs, slot } = slotOf(() => false);
  await tryTogether(
    new Map([[first, new Set([one])], [second, new Set([one, other])]]),
    slot,
    new Map(),
  );
  deepEqual(runs, [[0, [0, 1]], [1, [1]]]);
});

Deno.test("faults that make tests fail only together are not found, and kept apart", async () => {
  const faults = Array.from({ length: 8 }, (_, id) => switchedOf(id));
  const cases = casesOf(50);
  const { runs, slot } = slotOf((_, on) => on.has(0) && on.has(7));
  const results = await tryTogether(
    new Map(faults.map((one) => [one, new Set(cases)])),
    slot,
    new Map(),
  );
  ok([...results.values()].every(({ finder }) => finder === undefined));
  // Two groups for each of the tests after the first.
  equal(runs.length, 3 + 49 * 2);
});
