/**
 * Tries a fault with single tests: in a process that has the product loaded and switches the fault on,
 * or in a new one, for code that runs only once.
 *
 * @module
 */

import { type Case, inOrderFor, LOAD_LIMIT_MS } from "./cases.ts";
import { type Copy, withFaultIn } from "./copies.ts";
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

/** The result of tests with switches. */
export interface Hunted {
  /** The test that finds the fault. */
  finder: Finder | undefined;
  /**
   * The tests that passed without passing the switch, though they had passed it before: its code runs
   * once in a process, when a module is loaded late or before a cache is filled.
   */
  missed: Case[];
}

/** Tries a fault by its switch. */
export async function trySwitched(
  fault: Fault,
  id: number,
  cases: readonly Case[],
  { warm }: Slot,
  successes: Successes,
): Promise<Hunted> {
  const missed: Case[] = [];
  const finder = await firstFinder(fault, cases, successes, {
    async withFault(one) {
      const outcome = await run(warm, one, [id]);
      if (!outcome.failed && !outcome.hits.includes(id)) missed.push(one);
      return outcome;
    },
    without: (one) => run(warm, one),
    renew: () => warm.stop(),
  });
  return { finder, missed };
}

/**
 * Tries some faults by their switches, all at once: most tests pass with all of them, and so with each
 * of them alone. Only a test that fails runs with one fault at a time.
 */
export async function tryTogether(
  faults: ReadonlyMap<number, Fault>,
  cases: readonly Case[],
  slot: Slot,
  successes: Successes,
): Promise<Map<number, Hunted>> {
  const results = new Map([...faults.keys()].map((id): [number, Hunted] => [id, {
    finder: undefined,
    missed: [],
  }]));
  for (const one of cases) {
    const open = [...results].filter(([id, { finder }]) => !finder && one.hits.has(id));
    if (open.length === 0) continue;
    const { failed, hits } = await run(slot.warm, one, open.map(([id]) => id));
    for (const [id, result] of open) {
      const fault = faults.get(id);
      if (!failed && !hits.includes(id)) result.missed.push(one);
      if (!failed || fault === undefined) continue;
      const { finder, missed } = await trySwitched(fault, id, [one], slot, successes);
      result.finder = finder;
      result.missed.push(...missed);
    }
  }
  return results;
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
    return await withFaultIn(plain, fault, () =>
      firstFinder(fault, cases, successes, {
        withFault: (one) => run(fresh, one),
        without: (one) => run(warm, one),
        renew: async () => {
          await fresh.stop();
          await warm.stop();
        },
      }));
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
  /** The switches that it passed. */
  readonly hits: readonly number[];
}

/** Runs a test, with some faults or without. */
async function run(runner: Runner, one: Case, faults: number[] = []): Promise<Outcome> {
  const { file, index } = one;
  const loaded = await runner.ask({ do: "load", file }, LOAD_LIMIT_MS);
  if (loaded.failure !== undefined) return { failed: true, late: loaded.late, hits: [] };
  const request = { do: "run", file, test: index, faults } as const;
  const { failure, late, hits } = await runner.ask(request, limitOf(one));
  return { failed: failure !== undefined, late, hits };
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

/** The first test that finds a fault. */
async function firstFinder(
  fault: Fault,
  cases: readonly Case[],
  successes: Successes,
  ways: Ways,
): Promise<Finder | undefined> {
  for (const one of inOrderFor(fault.file, cases, successes)) {
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
