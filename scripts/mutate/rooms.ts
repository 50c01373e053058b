/**
 * Tries the faults of a room: first all of them with the tests near them, then those that are left with
 * all other tests. So most tests are measured only when a fault needs them.
 *
 * @module
 */

import { type Case, inFarOrderFor, inLoadedOrderFor, inOrderFor } from "./cases.ts";
import { coverageOf } from "./coverage.ts";
import type { TestFile } from "./graph.ts";
import {
  type Finder,
  type Slot,
  type Successes,
  type Switched,
  tryLoaded,
  trySwitched,
  tryTogether,
} from "./hunt.ts";
import { type Layout, passes } from "./layout.ts";
import { isNear, nearTests } from "./near.ts";
import type { Fault } from "./places.ts";
import { describe } from "./report.ts";
import type { Plan } from "./run.ts";
import type { Stock } from "./stock.ts";
import type { Switches } from "./switched.ts";
import { type Trial, tryFault } from "./trial.ts";
import { inTurns, takeCounted } from "./turns.ts";
import { refusedAnywhere } from "./types.ts";

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
  /** The probes of all files. */
  readonly layout: Layout;
  /** Whether the type checker refuses a fault in its own file. */
  readonly refused: ReadonlyMap<Fault, boolean>;
  /** The number of faults that each test has found. */
  readonly successes: Successes;
  /** The folder in which coverage is kept. */
  readonly kept: string;
}

/** How many faults are on at once for tests that probably find none of them. */
const TOGETHER = 16;

/**
 * How many tests near a fault run with it alone. They find most faults; those that are left run all
 * other tests together.
 */
const ALONE = 20;

/** The number of tests for each fault, of those that are not near it, when only near ones are wanted. */
const MOST_FAR = 30;

/** The same for code that runs while its file loads: each fault needs a process of its own. */
const MOST_LOADED = 20;

/** A fault that no test has found so far. */
interface Open {
  /** The fault. */
  readonly fault: Fault;
  /** The number of test files that it was tried with. */
  readonly tests: number;
  /** The tests that it was tried with. */
  readonly tried: readonly Case[];
  /** The tests near it that are left. */
  readonly others: readonly Case[];
  /** Its switch, if it can be tried with it. */
  readonly switched: Switched | undefined;
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

/** Tries faults with the first tests near them. Returns those that none finds. */
async function tryNear(
  faults: readonly Fault[],
  max: number,
  place: Place,
  tell: Tell,
): Promise<Open[]> {
  const { stock, refused, plan } = place;
  const files = faults.filter((fault) => !refused.get(fault)).map(({ file }) => file);
  const near = await stock.load(nearTests(files, stock.tests));
  const open: Open[] = [];
  const turns = takeCounted(faults, max);
  await inTurns(turns.faults, place.slots, async (fault, slot) => {
    let counts = false;
    try {
      if (refused.get(fault)) return tell({ fault, found: "types", tests: 0 });
      const all = relevant(fault, near, place);
      const switched = switchOf(fault, place);
      const ordered = switched
        ? inOrderFor(fault.file, all, place.successes)
        : inLoadedOrderFor(fault.file, all);
      const cases = ordered.slice(0, ALONE);
      const { finder: first, missed } = switched === undefined
        ? { finder: undefined, missed: cases }
        : await trySwitched(switched, cases, slot, place.successes);
      const finder = first ?? await tryLoaded(fault, missed, slot, place.successes);
      const isOnce = cases.length > 0 && missed.length === cases.length;
      counts = true;
      const tests = countFiles(cases);
      if (finder !== undefined) return tell(foundBy(finder, fault, tests));
      plan.tell(`Not found so far: ${describe(fault)}`);
      const others = all.filter((one) => !cases.includes(one));
      open.push({ fault, tests, tried: cases, others, switched: isOnce ? undefined : switched });
    } finally {
      turns.done(counts);
    }
  });
  return open;
}

/** Tries faults with the other tests that do not start programs: all, or the first of them. */
async function tryFar(open: readonly Open[], place: Place, tell: Tell): Promise<Open[]> {
  const { stock, slots, successes, plan } = place;
  const reach = ({ files }: TestFile) => open.some(({ fault }) => files.has(fault.file));
  const far = stock.tests.filter((test) => !test.startsProcesses && reach(test));
  const cases = await stock.casesOf(new Set(far));
  const left: Open[] = [];
  const end = (one: Open, chosen: ReadonlySet<Case>, finder: Finder | undefined) => {
    const tests = one.tests + countFiles([...chosen]);
    if (finder === undefined) left.push({ ...one, tests });
    else tell(foundBy(finder, one.fault, tests));
  };
  const chosenFor = ({ fault, tried, others, switched }: Open) => {
    const known = new Set([...tried, ...others]);
    const rest = relevant(fault, cases, place).filter((one) => !known.has(one));
    const most = !plan.near ? Infinity : switched ? MOST_FAR : MOST_LOADED;
    if (!switched) {
      return new Set(inLoadedOrderFor(fault.file, [...others, ...rest]).slice(0, most));
    }
    return new Set([...others, ...inFarOrderFor(fault.file, rest).slice(0, most)]);
  };
  // Each slot gets some of them.
  const isSwitched = ({ switched }: Open) => switched !== undefined;
  const many = open.filter(isSwitched);
  const size = Math.max(1, Math.min(TOGETHER, Math.ceil(many.length / slots.length)));
  const groups = Array.from(
    { length: Math.ceil(many.length / size) },
    (_, i) => many.slice(i * size, (i + 1) * size),
  );
  await inTurns(groups, slots, async (group, slot) => {
    const chosen = new Map(group.map((one) => [one, chosenFor(one)]));
    const faults = new Map(
      [...chosen].flatMap(([{ switched }, ofFault]) =>
        switched === undefined ? [] : [[switched, ofFault]]
      ),
    );
    const results = await tryTogether(faults, slot, successes);
    for (const [one, ofFault] of chosen) {
      const { finder, missed = [] } = one.switched && results.get(one.switched) || {};
      end(one, ofFault, finder ?? await tryLoaded(one.fault, missed, slot, successes));
    }
  });
  await inTurns(open.filter((one) => !isSwitched(one)), slots, async (one, slot) => {
    const chosen = chosenFor(one);
    end(one, chosen, await tryLoaded(one.fault, [...chosen], slot, successes));
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
async function tryTypes(open: readonly Open[], { slots }: Place, tell: Tell): Promise<Open[]> {
  const [first] = slots;
  const outer = open.filter(({ fault }) => !fault.inner);
  if (first === undefined || outer.length === 0) return [...open];
  const refused = await refusedAnywhere(outer.map(({ fault }) => fault), first.plain);
  for (const fault of refused) tell({ fault, found: "types", tests: 0 });
  return open.filter(({ fault }) => !refused.has(fault));
}

/** The switch of a fault; undefined when its code runs as soon as its file is loaded. */
function switchOf(fault: Fault, { switches, stock, layout }: Place): Switched | undefined {
  const id = switches.ids.get(fault);
  if (id === undefined) return undefined;
  const probe = switches.probes.get(fault);
  if (probe === undefined) return { fault, id, probe, probeId: undefined };
  if (stock.isAtLoad(fault.file, probe)) return undefined;
  return { fault, id, probe, probeId: (layout.get(fault.file)?.base ?? 0) + probe };
}

/**
 * The tests that can find a fault: those that run the code around it. For code that runs while its
 * file loads, those near it, and those that run some code of its file.
 */
function relevant(fault: Fault, cases: readonly Case[], place: Place): Case[] {
  const { file } = fault;
  const switched = switchOf(fault, place);
  if (switched !== undefined) {
    return cases.filter(({ passed }) => passes(passed, file, switched.probe) !== "no");
  }
  return cases.filter((one) =>
    isNear(file, one.file) || passes(one.passed, file, undefined) !== "no"
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
