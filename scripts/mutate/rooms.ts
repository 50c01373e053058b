/**
 * Tries the faults of one room after another: first all of them with the tests near them, then those
 * that are left with all other tests. So most tests are measured only when a fault needs them.
 *
 * @module
 */

import type { Copy } from "./copies.ts";
import { type CoverageMap, coverageOf } from "./coverage.ts";
import { type TestFile, testFiles } from "./graph.ts";
import { nearTests } from "./near.ts";
import type { Fault } from "./places.ts";
import { describe } from "./report.ts";
import type { Plan } from "./run.ts";
import { type Tests, type Trial, tryFault } from "./trial.ts";
import { inTurns, takeCounted } from "./turns.ts";
import { isRefusedAnywhere, refusedByTypes } from "./types.ts";

/** What all faults of a run share. */
export interface Place {
  /** The options. */
  readonly plan: Plan;
  /** The copies of the tree. */
  readonly copies: readonly Copy[];
  /** The folder in which coverage is kept. */
  readonly kept: string;
}

/** What is known of the tests. */
interface Measured {
  /** All test files. */
  readonly tests: readonly TestFile[];
  /** Those that were measured, with their lines. */
  readonly maps: Map<TestFile, CoverageMap>;
  /** The number of faults found by each test file. */
  readonly successes: Map<string, number>;
  /** Whether the type checker refuses a fault in its own file, of those that were checked. */
  readonly refused: Map<Fault, boolean>;
}

/** A fault that no test near it finds. */
interface Open {
  /** Its result so far. */
  readonly trial: Trial;
  /** The tests that it was tried with. */
  readonly near: Tests;
}

/** The most faults of a room whose types are checked in one run. */
const TYPES_AT_ONCE = 100;

/** How many faults of a room are taken at once to count some. */
function sizeFor(count: number): number {
  // Types refuse a third or more.
  return Math.min(TYPES_AT_ONCE, Math.ceil(2 * count));
}

/** Tries the faults of each room, up to the number to count. */
export async function tryRooms(
  rooms: ReadonlyMap<string, readonly Fault[]>,
  place: Place,
): Promise<void> {
  const { plan, copies: [first] } = place;
  if (first === undefined) return;
  const tests = await testFiles(first);
  const measured: Measured = { tests, maps: new Map(), successes: new Map(), refused: new Map() };
  // One check of many rooms takes hardly longer than that of one.
  const begin = [...rooms.values()].flatMap((faults) => faults.slice(0, sizeFor(plan.max)));
  await checkTypes(begin, first, measured);
  for (const [room, faults] of rooms) {
    const open: Open[] = [];
    try {
      let counted = 0;
      for (let rest = faults; rest.length > 0 && counted < plan.max;) {
        const size = sizeFor(plan.max - counted);
        counted += await tryNear(rest.slice(0, size), plan.max - counted, place, measured, open);
        rest = rest.slice(size);
      }
      if (!plan.near) await tryFar(open, place, measured);
    } finally {
      // Those that were not tried with all tests.
      for (const { trial } of open) plan.tellTrial(trial);
    }
    await plan.endRoom(room);
  }
}

/**
 * Tries some faults with the tests near them, up to a number to count. Returns how many counted;
 * survivors are added to `open`.
 */
async function tryNear(
  faults: readonly Fault[],
  max: number,
  place: Place,
  measured: Measured,
  open: Open[],
): Promise<number> {
  const { plan, copies } = place;
  const [first] = copies;
  if (first === undefined) return 0;
  await checkTypes(faults, first, measured);
  const { refused } = measured;
  const files = faults.filter((fault) => !refused.get(fault)).map(({ file }) => file);
  const near = nearTests(files, measured.tests);
  const tests = await testsOf(near, place, measured);
  const turns = takeCounted(faults, max);
  let counted = 0;
  await inTurns(turns.faults, copies, async (fault, copy) => {
    let counts = false;
    try {
      const trial = refused.get(fault)
        ? refusal(fault)
        : plan.near
        ? await tryFault(fault, copy, tests)
        : await tryAll(fault, copy, tests);
      counts = trial.found !== "types";
      if (counts) counted++;
      if (trial.found === "no") open.push({ trial, near: tests });
      if (trial.found === "no") plan.tell(`No test near it finds ${describe(fault)}`);
      else plan.tellTrial(trial);
    } finally {
      turns.done(counts);
    }
  });
  return counted;
}

/** Checks the types of faults that were not checked yet. */
async function checkTypes(
  faults: readonly Fault[],
  copy: Copy,
  { refused }: Measured,
): Promise<void> {
  const missing = faults.filter((fault) => !refused.has(fault));
  if (missing.length === 0) return;
  const found = await refusedByTypes(missing, copy);
  for (const fault of missing) refused.set(fault, found.has(fault));
}

/** Tries a fault with tests, then with the types of the whole tree if these may differ. */
async function tryAll(fault: Fault, copy: Copy, tests: Tests): Promise<Trial> {
  const trial = await tryFault(fault, copy, tests);
  const isDone = trial.found !== "no" || fault.inner;
  return !isDone && await isRefusedAnywhere(fault, copy) ? refusal(fault) : trial;
}

/** The result of a fault that the type checker refuses. */
function refusal(fault: Fault): Trial {
  return { fault, found: "types", tests: 0 };
}

/** Tries faults that no test near them finds with all others that can reach them. */
async function tryFar(open: Open[], place: Place, measured: Measured): Promise<void> {
  if (open.length === 0) return;
  const far = measured.tests.filter((test) =>
    test.startsProcesses || open.some(({ trial }) => test.files.has(trial.fault.file))
  );
  const tests = await testsOf(new Set(far), place, measured);
  await inTurns(open.splice(0), place.copies, async (one, copy) => {
    const { trial, near } = one;
    try {
      const maps = tests.maps.filter((map) => !near.maps.includes(map));
      const last = await tryFault(trial.fault, copy, { ...tests, maps });
      place.plan.tellTrial({ ...last, tests: trial.tests + last.tests });
    } catch (error) {
      open.push(one);
      throw error;
    }
  });
}

/** Tests with the lines that they run, measured if they were not yet. */
async function testsOf(
  chosen: ReadonlySet<TestFile>,
  { plan, copies, kept }: Place,
  { maps, successes }: Measured,
): Promise<Tests> {
  const missing = [...chosen].filter((test) => !maps.has(test));
  let done = 0;
  await inTurns(missing, copies, async (test, copy) => {
    const map = await coverageOf(test, copy, kept);
    maps.set(test, map);
    const verdict = map.passed
      ? `${(map.ms / 1000).toFixed(1)} s`
      : "fails without a fault: skipped";
    plan.tell(`Coverage ${++done}/${missing.length}: ${test.path}, ${verdict}`);
  });
  const found = [...chosen].flatMap((test) => maps.get(test) ?? []);
  return { maps: found, successes };
}
