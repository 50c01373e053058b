/**
 * Puts faults into copies of the tree, one at a time in each, and runs the tests.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Copy, copyTree } from "./copies.ts";
import { equalOf } from "./equal.ts";
import { type Fault, faultsIn } from "./places.ts";
import { runDeno } from "./process.ts";
import { chooseFaults } from "./choose.ts";
import { filesUnder, testFiles } from "./graph.ts";
import type { Slot } from "./hunt.ts";
import { layoutOf } from "./layout.ts";
import { tryRoom } from "./rooms.ts";
import { runnerIn } from "./runner_process.ts";
import { inRandomOrder, roomOf } from "./sample.ts";
import { stockOf } from "./stock.ts";
import { switchesFor } from "./switched.ts";
import type { Trial } from "./trial.ts";

/** The options of a run. */
export interface Plan {
  /** The folder of the repository. */
  readonly root: string;
  /** The files to put faults into. */
  readonly files: readonly string[];
  /** Those of a file's faults that may be tried. */
  readonly wanted: (file: string, faults: readonly Fault[]) => readonly Fault[];
  /** Whether only the tests near each fault's file run. */
  readonly near: boolean;
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
  /** Called with each room after its last fault. */
  readonly endRoom: (room: string) => Promise<void>;
}

/**
 * Tries the faults of a plan. All that it writes is in a temporary folder, which is gone afterwards,
 * and what tests pass in Deno's own cache.
 */
export async function tryFaults(plan: Plan): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "mutate-" }));
  const { denoDir, gen } = await denoFolders(plan, folder);
  const slots: Slot[] = [];
  try {
    const { seed, signal } = plan;
    const copy = (name: string) =>
      copyTree(plan.root, join(folder, name), { denoDir, seed, signal });
    const first = await copy("1");
    if (!plan.near) await checkTypes(first);
    const began = performance.now();
    const { rooms, refused } = await chooseFaults(await faultsByRoom(plan), first, plan.max);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    plan.tell(`Checked the types of ${refused.size} faults, ${seconds} s`);
    const open = [...rooms.values()].flat().filter((fault) => !refused.get(fault));
    const kept = join(denoDir, "mutate", createHash("sha256").update(plan.root).digest("hex"));
    const sources = ["cli.ts", ...await filesUnder(first.cwd, "lib")];
    const layout = await layoutOf(first.cwd, sources, kept);
    const switches = await switchesFor(open, first.cwd, layout);
    for (let job = 1; job <= plan.jobs; job++) {
      const plain = job === 1 ? first : await copy(String(job));
      const other = await copy(`${job}-switches`);
      for (const [file, text] of switches.sources) await other.write(file, text);
      slots.push({ plain, warm: runnerIn(other) });
    }
    const tests = await testFiles(first);
    const stock = stockOf({ tests, slots, layout, root: first.cwd, kept, tell: plan.tell });
    const place = { plan, slots, stock, switches, layout, refused, successes: new Map(), kept };
    for (const [room, faults] of rooms) {
      await tryRoom(faults, place);
      await plan.endRoom(room);
    }
  } finally {
    for (const { warm } of slots) await warm.stop();
    await removeFolder(folder);
    // Deno's cache of the copies is useless afterwards.
    await removeFolder(join(gen, "file", folder.replace(/^(\w):/, "$1")));
  }
}

/** Refuses a tree with type errors, since the type checker would seem to find every fault. */
async function checkTypes(copy: Copy): Promise<void> {
  const { success, text } = await runDeno(["check", "--quiet", "--frozen"], copy);
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
    faults.push(...plan.wanted(file, faultsIn(file, source)));
  }
  const rooms = Map.groupBy(faults, ({ file }) => roomOf(file));
  return new Map([...rooms].map(([room, ofRoom]) => {
    const drawn = inRandomOrder(ofRoom, plan.seed);
    return [room, drawn.filter((fault) => equalOf(fault) === undefined)];
  }));
}
