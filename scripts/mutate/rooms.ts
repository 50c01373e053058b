/**
 * Tries the faults of a room: first all of them with the tests near them, then those that are left with
 * all other tests. So most tests are measured only when a fault needs them.
 *
 * @module
 */

import type { Case } from "./cases.ts";
import { coverageOf } from "./coverage.ts";
import type { TestFile } from "./graph.ts";
import {
  type Finder,
  type Slot,
  type Successes,
  tryLoaded,
  trySwitched,
  tryTogether,
} from "./hunt.ts";
import { isNear, nearTests } from "./near.ts";
import type { Fault } from "./places.ts";
import { describe } from "./report.ts";
import type { Plan } from "./run.ts";
import type { Stock } from "./stock.ts";
import type { Switches } from "./switched.ts";
import { type Trial, tryFault } from "./trial.ts";
import { inTurns, takeCounted } from "./turns.ts";
import { isRefusedAnywhere } from "./types.ts";

/** What all faults of a run share. */
export interface Place {
  /** The options. */
  readonly plan: Plan;
  /** Where faults are tried. */
  readonly slots: readonly Slot[];
  /** The tests. */
  readonly stock: Stock;
  /** The faults that have a switch. */
  readonly switches: Switches;
  /** Whether the type checker refuses a fault in its own file. */
  readonly refused: ReadonlyMap<Fault, boolean>;
  /** The number of faults that each test has found. */
  readonly successes: Successes;
  /** The folder in which coverage is kept. */
  readonly kept: string;
}

/** How many faults are on at once for tests that probably find none of them. */
const TOGETHER = 16;

/** A fault that no test has found so far. */
interface Open {
  /** The fault. */
  readonly fault: Fault;
  /** The number of test files that it was tried with. */
  readonly tests: number;
  /** The tests that it was tried with. */
  readonly tried: ReadonlySet<Case>;
  /** Its switch, if it can be tried with it. */
  readonly id: number | undefined;
}

/** Tries the faults of a room in their order, up to the number to count. */
export async function tryRoom(faults: readonly Fault[], place: Place): Promise<void> {
  const { max } = place.plan;
  let [rest, counted] = [faults, 0];
  while (rest.length > 0 && counted < max) {
    const tried = await tryRound(rest, max - counted, place);
    rest = rest.filter((fault) => !tried.some((trial) => trial.fault === fault));
    counted += tried.filter(({ found }) => found !== "types").length;
  }
}

/**
 * Tries faults up to a number to count. The types of other files refuse some of them at the end, so
 * less may count.
 */
async function tryRound(faults: readonly Fault[], max: number, place: Place): Promise<Trial[]> {
  const trials: Trial[] = [];
  const tell = (trial: Trial) => {
    trials.push(trial);
    place.plan.tellTrial(trial);
  };
  let open = await tryNear(faults, max, place, tell);
  try {
    for (const step of [tryFar, tryPrograms, tryTypes]) {
      if (open.length > 0) open = await step(open, place, tell);
    }
  } catch (error) {
    place.plan.tell("Not in the table: the last faults that no test near them finds");
    throw error;
  }
  for (const { fault, tests } of open) tell({ fault, found: "no", tests });
  return trials;
}

/** Gets the result of a fault. */
type Tell = (trial: Trial) => void;

/** Tries faults with the tests near them. Returns those that none finds. */
async function tryNear(
  faults: readonly Fault[],
  max: number,
  place: Place,
  tell: Tell,
): Promise<Open[]> {
  const { stock, refused, plan } = place;
  const files = faults.filter((fault) => !refused.get(fault)).map(({ file }) => file);
  const near = await stock.casesOf(nearTests(files, stock.tests));
  const tried = new Set(near);
  const open: Open[] = [];
  const turns = takeCounted(faults, max);
  await inTurns(turns.faults, place.slots, async (fault, slot) => {
    let counts = false;
    try {
      if (refused.get(fault)) return tell({ fault, found: "types", tests: 0 });
      const cases = relevant(fault, near, place);
      const id = switchOf(fault, place);
      const { finder: first, missed } = id === undefined
        ? { finder: undefined, missed: cases }
        : await trySwitched(fault, id, cases, slot, place.successes);
      const finder = first ?? await tryLoaded(fault, missed, slot, place.successes);
      const isOnce = id === undefined || (cases.length > 0 && missed.length === cases.length);
      counts = true;
      const tests = countFiles(cases);
      if (finder !== undefined) return tell(foundBy(finder, fault, tests));
      plan.tell(`No test near it finds ${describe(fault)}`);
      open.push({ fault, tests, tried, id: isOnce ? undefined : id });
    } finally {
      turns.done(counts);
    }
  });
  return open;
}

/** Tries faults with all other tests that do not start programs. */
async function tryFar(open: readonly Open[], place: Place, tell: Tell): Promise<Open[]> {
  const { stock, slots, successes } = place;
  const reach = ({ files }: TestFile) => open.some(({ fault }) => files.has(fault.file));
  const far = stock.tests.filter((test) => !test.startsProcesses && reach(test));
  const cases = await stock.casesOf(new Set(far));
  const left: Open[] = [];
  const end = (one: Open, chosen: readonly Case[], finder: Finder | undefined) => {
    const tests = one.tests + countFiles(chosen);
    if (finder === undefined) left.push({ ...one, tests });
    else tell(foundBy(finder, one.fault, tests));
  };
  const switched = open.filter(({ id }) => id !== undefined);
  // Each slot gets some of them.
  const size = Math.max(1, Math.min(TOGETHER, Math.ceil(switched.length / slots.length)));
  const groups = Array.from(
    { length: Math.ceil(switched.length / size) },
    (_, i) => switched.slice(i * size, (i + 1) * size),
  );
  await inTurns(groups, slots, async (group, slot) => {
    const faults = new Map(group.flatMap(({ id, fault }) => id === undefined ? [] : [[id, fault]]));
    const others = cases.filter((one) => !group[0]?.tried.has(one));
    const results = await tryTogether(faults, others, slot, successes);
    for (const one of group) {
      const { finder, missed } = results.get(one.id ?? -1) ?? { finder: undefined, missed: [] };
      const chosen = relevant(one.fault, others, place);
      end(one, chosen, finder ?? await tryLoaded(one.fault, missed, slot, successes));
    }
  });
  const once = open.filter(({ id }) => id === undefined);
  await inTurns(once, slots, async (one, slot) => {
    const chosen = relevant(one.fault, cases, place).filter((other) => !one.tried.has(other));
    end(one, chosen, await tryLoaded(one.fault, chosen, slot, successes));
  });
  return left;
}

/** Tries faults with tests that start programs: all that run their lines, or only those near them. */
async function tryPrograms(open: readonly Open[], place: Place, tell: Tell): Promise<Open[]> {
  const { stock, slots, plan, kept } = place;
  const isWanted = (test: TestFile) =>
    test.startsProcesses && (!plan.near || open.some(({ fault }) => isNear(fault.file, test.path)));
  const maps = new Map<TestFile, Awaited<ReturnType<typeof coverageOf>>>();
  await inTurns(stock.tests.filter(isWanted), slots, async (test, { plain }) => {
    maps.set(test, await coverageOf(test, plain, kept));
  });
  const left: Open[] = [];
  await inTurns(open, slots, async (one, { plain }) => {
    const known = { maps: [...maps.values()], successes: new Map() };
    const trial = await tryFault(one.fault, plain, known);
    if (trial.found === "no") left.push({ ...one, tests: one.tests + trial.tests });
    else tell(trial);
  });
  return left;
}

/** Checks the types of the whole tree, where a fault may change what other files see. */
async function tryTypes(open: readonly Open[], place: Place, tell: Tell): Promise<Open[]> {
  const left: Open[] = [];
  await inTurns(open, place.slots, async (one, { plain }) => {
    const { fault } = one;
    if (fault.inner || !await isRefusedAnywhere(fault, plain)) left.push(one);
    else tell({ fault, found: "types", tests: 0 });
  });
  return left;
}

/** The switch of a fault; undefined when its code runs as soon as its file is loaded. */
function switchOf(fault: Fault, { switches, stock }: Place): number | undefined {
  const id = switches.ids.get(fault);
  return id !== undefined && stock.atLoad.has(id) ? undefined : id;
}

/**
 * The tests that can find a fault: those that pass its switch. Without one, those near it, and those
 * that run some code of its file.
 */
function relevant(fault: Fault, cases: readonly Case[], place: Place): Case[] {
  const id = switchOf(fault, place);
  if (id !== undefined) return cases.filter(({ hits }) => hits.has(id));
  const ofFile = place.switches.ofFile.get(fault.file) ?? [];
  return cases.filter(({ file, hits }) =>
    isNear(fault.file, file) || ofFile.some((one) => hits.has(one))
  );
}

/** The number of files of some tests. */
function countFiles(cases: readonly Case[]): number {
  return new Set(cases.map(({ file }) => file)).size;
}

/** The result of a fault that a test finds. */
function foundBy({ by, late }: Finder, fault: Fault, tests: number): Trial {
  return { fault, found: late ? "time" : "tests", tests, by };
}
