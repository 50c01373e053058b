/**
 * Tries a fault with single tests: in a process that has the product loaded and switches the fault on,
 * or in a new one, for code that runs only once.
 *
 * @module
 */

import { type Case, inOrderFor, LOAD_LIMIT_MS } from "./cases.ts";
import { type Copy, withFaultIn } from "./copies.ts";
import { passes } from "./layout.ts";
import type { Fault } from "./places.ts";
import { type Runner, runnerIn } from "./runner_process.ts";

/** The test that finds a fault. */
export interface Finder {
  /** Its name and its file. */
  readonly by: string;
  /** Whether it had to be stopped. */
  readonly late: boolean;
}

/** The places in which one fault at a time is tried. */
export interface Slot {
  /** The tree as it is. */
  readonly plain: Copy;
  /** Runs tests in a tree with switches. */
  readonly warm: Runner;
}

/** The number of faults that each test has found. */
export type Successes = Map<Case, number>;

/** A test has this long, in milliseconds, and some times as long as it takes as a rule. */
const LEAST_LIMIT_MS = 20_000;

/** The limit of a test, in milliseconds. */
function limitOf({ ms }: Case): number {
  return LEAST_LIMIT_MS + 10 * ms;
}

/** A fault with its switch. */
export interface Switched {
  /** The fault. */
  readonly fault: Fault;
  /** The number of its switch. */
  readonly id: number;
  /** The place of the probe around it in its file, if there is one. */
  readonly probe: number | undefined;
  /** The number of that probe in the tree. */
  readonly probeId: number | undefined;
}

/** The result of tests with switches. */
export interface Hunted {
  /** The test that finds the fault. */
  finder: Finder | undefined;
  /**
   * The tests that passed without running the code around the switch, though they had run it before:
   * it runs once in a process, when a module is loaded late or before a cache is filled.
   */
  missed: Case[];
}

/** Tries a fault by its switch. */
export async function trySwitched(
  switched: Switched,
  cases: readonly Case[],
  { warm }: Pick<Slot, "warm">,
  successes: Successes,
): Promise<Hunted> {
  const missed: Case[] = [];
  const ordered = inOrderFor(switched.fault.file, cases, successes);
  const finder = await firstFinder(ordered, successes, {
    async withFault(one) {
      const outcome = await run(warm, one, [switched]);
      if (misses(one, switched, outcome)) missed.push(one);
      return outcome;
    },
    without: (one) => run(warm, one),
    renew: () => warm.stop(),
  });
  return { finder, missed };
}

/** Whether a test has not run the code around a switch, though it did before. */
function misses(
  one: Case,
  { fault, id, probe, probeId }: Switched,
  { failed, hits, passed }: Outcome,
): boolean {
  if (failed || hits.includes(id) || probeId === undefined || passed.includes(probeId)) {
    return false;
  }
  return passes(one.passed, fault.file, probe) === "yes";
}

/**
 * Tries some faults by their switches, all at once: most tests pass with all of them, and so with each
 * of them alone. When a test fails, it runs with each half of the faults, and so on down to one. Faults
 * that make it fail only together are kept apart from then on.
 */
export async function tryTogether(
  faults: ReadonlyMap<Switched, ReadonlySet<Case>>,
  slot: Pick<Slot, "warm">,
  successes: Successes,
): Promise<Map<Switched, Hunted>> {
  const results = new Map([...faults.keys()].map((one): [Switched, Hunted] => [one, {
    finder: undefined,
    missed: [],
  }]));
  const isOpen = (one: Switched) => results.get(one)?.finder === undefined;
  /** Runs a test with some faults. Returns whether it finds one, or passes. */
  const search = async (one: Case, group: readonly Switched[]): Promise<boolean> => {
    const [first] = group;
    if (first === undefined) return true;
    const outcome = await run(slot.warm, one, group);
    for (const switched of group) {
      if (misses(one, switched, outcome)) results.get(switched)?.missed.push(one);
    }
    if (!outcome.failed) return true;
    if (group.length > 1) {
      const passes = [];
      for (const half of halvesOf(group)) passes.push(await search(one, half));
      return passes.every(Boolean) && group.some((switched) => !isOpen(switched));
    }
    const { finder, missed } = await trySwitched(first, [one], slot, successes);
    const result = results.get(first);
    if (result !== undefined) result.finder = finder;
    result?.missed.push(...missed);
    return finder !== undefined;
  };
  let groups: readonly Switched[][] = [[...faults.keys()]];
  for (const one of new Set([...faults.values()].flatMap((ofFault) => [...ofFault]))) {
    const next: Switched[][] = [];
    for (const group of groups) {
      const open = group.filter((switched) => isOpen(switched));
      const isClear = await search(one, open.filter((switched) => faults.get(switched)?.has(one)));
      if (isClear || open.length < 2) next.push(open);
      else next.push(...halvesOf(open));
    }
    groups = next;
  }
  return results;
}

/** The two halves of a list. */
function halvesOf<T>(list: readonly T[]): [T[], T[]] {
  const half = Math.ceil(list.length / 2);
  return [list.slice(0, half), list.slice(half)];
}

/** Tries a fault in a new process, which has it from the beginning. */
export async function tryLoaded(
  fault: Fault,
  cases: readonly Case[],
  { plain, warm }: Slot,
  successes: Successes,
): Promise<Finder | undefined> {
  if (cases.length === 0) return undefined;
  const fresh = runnerIn(plain);
  try {
    return await withFaultIn(
      plain,
      fault,
      () =>
        firstFinder(inOrderFor(fault.file, cases, successes), successes, {
          withFault: (one) => run(fresh, one),
          without: (one) => run(warm, one),
          renew: async () => {
            await fresh.stop();
            await warm.stop();
          },
        }),
    );
  } finally {
    await fresh.stop();
  }
}

/** How a test ends. */
interface Outcome {
  /** Whether it fails. */
  readonly failed: boolean;
  /** Whether it had to be stopped. */
  readonly late: boolean;
  /** The faults that it passed. */
  readonly hits: readonly number[];
  /** The probes around the faults that it passed. */
  readonly passed: readonly number[];
}

/** Runs a test, with some faults or without. */
async function run(
  runner: Runner,
  one: Case,
  switched: readonly Switched[] = [],
): Promise<Outcome> {
  const { file, index, name } = one;
  const loaded = await runner.ask({ do: "load", file }, LOAD_LIMIT_MS);
  if (loaded.failure !== undefined) {
    return { failed: true, late: loaded.late, hits: [], passed: [] };
  }
  const faults = switched.map(({ id }) => id);
  const probes = switched.flatMap(({ probeId }) => probeId ?? []);
  const request = { do: "run", file, test: index, name, faults, probes } as const;
  const { failure, late, hits, passed } = await runner.ask(request, limitOf(one));
  return { failed: failure !== undefined, late, hits, passed };
}

/** The ways to run a test. */
interface Ways {
  /** With the fault. */
  withFault(one: Case): Promise<Outcome>;
  /** Without it. */
  without(one: Case): Promise<Outcome>;
  /** Makes the next runs start in new processes. */
  renew(): Promise<void>;
}

/** The first of some tests that finds a fault. */
async function firstFinder(
  cases: readonly Case[],
  successes: Successes,
  ways: Ways,
): Promise<Finder | undefined> {
  for (const one of cases) {
    const { failed, late } = await ways.withFault(one);
    if (!failed || !await isBecauseOfFault(one, ways)) continue;
    successes.set(one, (successes.get(one) ?? 0) + 1);
    return { by: `${one.file} ${one.name}`, late };
  }
  return undefined;
}

/**
 * Whether a test that has failed with a fault passes without it, and fails again with it: it may fail by
 * chance, because of what an earlier fault has left behind, or because the machine is busy.
 */
async function isBecauseOfFault(one: Case, ways: Ways): Promise<boolean> {
  if ((await ways.without(one)).failed) {
    await ways.renew();
    if ((await ways.without(one)).failed) return false;
  }
  return (await ways.withFault(one)).failed;
}
