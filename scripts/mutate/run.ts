/**
 * Puts faults into copies of the tree, one at a time in each, and runs the tests.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Copy, copyTree } from "./copies.ts";
import { type CoverageMap, coverageOf } from "./coverage.ts";
import { equalOf } from "./equal.ts";
import { type TestFile, testFiles } from "./graph.ts";
import { type Fault, faultsIn } from "./places.ts";
import { runDeno } from "./process.ts";
import { inRandomOrder, randomFrom, roomOf } from "./sample.ts";
import { type Trial, tryFault } from "./trial.ts";

/** The options of a run. */
export interface Plan {
  /** The folder of the repository. */
  readonly root: string;
  /** The files to put faults into. */
  readonly files: readonly string[];
  /** Whether a line may be changed. */
  readonly mayChange: (file: string, line: number) => boolean;
  /** The most faults in each room that are counted. */
  readonly max: number;
  /** The number of faults tried in parallel. */
  readonly jobs: number;
  /** The seed of everything that is random. */
  readonly seed: number;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Called with messages. */
  readonly tell: (what: string) => void;
  /** Called with the result of each fault. */
  readonly tellTrial: (trial: Trial) => void;
}

/**
 * Tries the faults of a plan. All that it writes is in a temporary folder, which is gone afterwards,
 * and the coverage in Deno's own cache.
 */
export async function tryFaults(plan: Plan): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "mutate-" }));
  const { denoDir, gen } = await denoFolders(plan, folder);
  try {
    const { seed, signal } = plan;
    const copies: Copy[] = [];
    for (let job = 1; job <= plan.jobs; job++) {
      const place = join(folder, String(job));
      copies.push(await copyTree(plan.root, place, { denoDir, seed, signal }));
    }
    await checkTypes(copies);
    const rooms = await faultsByRoom(plan);
    const kept = join(denoDir, "mutate", createHash("sha256").update(plan.root).digest("hex"));
    const maps = await measureTests(plan, copies, kept);
    await tryRooms(plan, rooms, copies, maps);
  } finally {
    await removeFolder(folder);
    // Deno's cache of the copies is useless afterwards.
    await removeFolder(join(gen, "file", folder.replace(/^(\w):/, "$1")));
  }
}

/** Refuses a tree with type errors, since the type checker would seem to find every fault. */
async function checkTypes([first]: readonly Copy[]): Promise<void> {
  if (first === undefined) return;
  const { success, text } = await runDeno(["check", "--quiet", "--frozen"], first);
  if (!success) {
    throw new RangeError(`Cannot try faults: the type check fails without one\n${text}`);
  }
}

/** Deno's cache folders, for modules and for compiled code. */
async function denoFolders(plan: Plan, cwd: string): Promise<{ denoDir: string; gen: string }> {
  const env = Deno.env.toObject();
  const { text } = await runDeno(["info", "--json"], { cwd, env, signal: plan.signal });
  const { denoDir, typescriptCache }: { denoDir: string; typescriptCache: string } = JSON.parse(
    text,
  );
  return { denoDir, gen: typescriptCache };
}

/** Removes a folder, also when a process that has just been stopped still writes to it. */
async function removeFolder(folder: string): Promise<void> {
  for (let left = 5; left > 0; left--) {
    try {
      return await Deno.remove(folder, { recursive: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      await new Promise((wake) => setTimeout(wake, 200));
    }
  }
}

/** The faults of each room in the order in which they are tried. */
async function faultsByRoom(plan: Plan): Promise<Map<string, Fault[]>> {
  const faults: Fault[] = [];
  for (const file of plan.files) {
    const source = await Deno.readTextFile(join(plan.root, file));
    const all = faultsIn(file, source).filter(({ line }) => plan.mayChange(file, line));
    faults.push(...all.filter((fault) => equalOf(fault) === undefined));
  }
  const random = randomFrom(plan.seed);
  const rooms = Map.groupBy(faults, ({ file }) => roomOf(file));
  return new Map([...rooms].map(([room, ofRoom]) => [room, inRandomOrder(ofRoom, random)]));
}

/** The coverage of each test file that can reach one of the files. */
async function measureTests(plan: Plan, copies: Copy[], kept: string): Promise<CoverageMap[]> {
  const [first] = copies;
  if (first === undefined) return [];
  const reaches = ({ files, startsProcesses }: TestFile) =>
    startsProcesses || plan.files.some((file) => files.has(file));
  const tests = (await testFiles(first)).filter(reaches);
  const maps: CoverageMap[] = [];
  await inTurns(tests, copies, async (test, copy) => {
    const map = await coverageOf(test, copy, kept);
    maps.push(map);
    const verdict = map.passed
      ? `${(map.ms / 1000).toFixed(1)} s`
      : "fails without a fault: skipped";
    plan.tell(`Coverage ${maps.length}/${tests.length}: ${test.path}, ${verdict}`);
  });
  // In the order of their names, in any order of measurement.
  return maps.sort((a, b) => a.test < b.test ? -1 : 1);
}

/** Tries the faults of each room, up to the number to count. */
async function tryRooms(
  plan: Plan,
  rooms: ReadonlyMap<string, Fault[]>,
  copies: readonly Copy[],
  maps: readonly CoverageMap[],
): Promise<void> {
  for (const faults of rooms.values()) {
    const tests = { maps, successes: new Map<string, number>() };
    const turns = takeCounted(faults, plan.max);
    await inTurns(turns.faults, copies, async (fault, copy) => {
      let counts = false;
      try {
        const trial = await tryFault(fault, copy, tests);
        counts = trial.found !== "types";
        plan.tellTrial(trial);
      } finally {
        turns.done(counts);
      }
    });
  }
}

/**
 * Hands out faults until `max` of them have counted. Whether one counts is known when it is done, so
 * no more are handed out than may still count. Then they are the same ones, however many run at once.
 */
export function takeCounted(faults: readonly Fault[], max: number): {
  /** The faults. */
  faults: AsyncGenerator<Fault, void, undefined>;
  /** Says that one of them is done, and whether it counts. */
  done(counts: boolean): void;
} {
  let [counted, underWay] = [0, 0];
  let ended = Promise.withResolvers<void>();
  return {
    faults: async function* () {
      for (const fault of faults) {
        while (counted + underWay >= max && underWay > 0) await ended.promise;
        if (counted >= max) return;
        underWay++;
        yield fault;
      }
    }(),
    done(counts) {
      underWay--;
      if (counts) counted++;
      ended.resolve();
      ended = Promise.withResolvers();
    },
  };
}

/** Every copy takes the next item after finishing one. Ends at the first failure. */
async function inTurns<T>(
  items: Iterable<T> | AsyncGenerator<T, void, undefined>,
  copies: readonly Copy[],
  work: (item: T, copy: Copy) => Promise<void>,
): Promise<void> {
  const rest = Symbol.asyncIterator in items
    ? items
    : async function* (): AsyncGenerator<T, void, undefined> {
      yield* items;
    }();
  let failed = false;
  const turns = copies.map(async (copy) => {
    try {
      // A generator yields each item once, for all copies.
      for (let next = await rest.next(); !next.done && !failed; next = await rest.next()) {
        await work(next.value, copy);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  const results = await Promise.allSettled(turns);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
