/**
 * The populations that are being made: one for each project at a time. Each batch is a transaction of its
 * own. Whenever the process ends, the project is on its way to where its clock was, and arrives there
 * after the next start, or with the next process on the same database.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import type { NewPopulation, Population } from "../../../simulator/population.ts";
import { Refusal } from "../../contract/errors.ts";
import { type Clock, projectTime } from "../../time/clock.ts";
import { insist } from "../../events/insist.ts";
import { bringToPresent } from "../../http/present.ts";
import { leavePast, playerOf } from "../../ledger/past.ts";
import { type RandomSource, sourceOf, withIds } from "../../records/random.ts";
import { inProject, outageIn, type Store, type Tx } from "../../store/mod.ts";
import type { CatchUp, RunBoard } from "../../ledger/catch_up.ts";
import { beginWorld } from "./begin.ts";
import { type Note, readNote, show, writeNote } from "./note.ts";
import { countsAfter, nextBatch, playBatch, takeIn } from "./play.ts";
import type { World } from "./world.ts";

/** Makes populations. */
export interface Populations {
  /**
   * Starts to make one.
   *
   * @throws {Refusal} when the project is not there or not ready for one.
   */
  begin(projectId: string, wanted: NewPopulation): Promise<Population>;
  /** The latest one of a project, if any. */
  find(projectId: string): Promise<Population | undefined>;
  /** Lets nobody come or act any more, and waits until the project is at its present. */
  cancel(projectId: string): Promise<void>;
}

/** What making populations needs. */
interface Parts {
  /** The database. */
  store: Store;
  /** Lets time pass in projects. */
  catchUp: CatchUp;
  /** Wall time. */
  clock: Clock;
  /** Told of errors that are our own fault. */
  report(error: unknown): void;
}

/** The parts, and what this process is called. */
interface Maker extends Parts {
  /** The name of this process. */
  name: string;
}

/** The pause between two looks whether a population that was stopped has ended, in milliseconds. */
const LOOK_MS = 50;

/** Makes what makes populations. */
export function createPopulations(parts: Parts): Populations {
  const { store, catchUp, clock } = parts;
  const maker: Maker = { ...parts, name: store.others?.holder ?? randomBytes(4).toString("hex") };
  const find = (projectId: string): Promise<Population | undefined> =>
    store.read(async (tx) => {
      const note = await readNote(inProject(tx, projectId));
      return note && show(note, clock(), await isAlive(maker, tx, note));
    });
  return {
    find,
    async begin(projectId, wanted) {
      if ((await find(projectId))?.running) throw underWay();
      await bringToPresent(catchUp, projectId);
      return await start(maker, projectId, wanted);
    },
    async cancel(projectId) {
      const isAsked = await store.write(async (whole) => {
        const tx = inProject(whole, projectId);
        const note = await readNote(tx);
        if (!note?.running || !await isAlive(maker, whole, note)) return false;
        await writeNote(tx, { ...note, stop: true });
        return true;
      }, projectId);
      while (isAsked && !catchUp.isStopped() && (await find(projectId))?.running) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    },
  };
}

/** Whether the process that makes a population is alive. */
async function isAlive({ store, name }: Maker, tx: Tx, note: Note): Promise<boolean> {
  if (note.maker === name || !store.others) return note.maker === name;
  return (await store.others.alive(tx, [note.maker])).has(note.maker);
}

/** Starts to make a population. Resolves when it has begun. */
async function start(
  maker: Maker,
  projectId: string,
  wanted: NewPopulation,
): Promise<Population> {
  const { catchUp, clock, report } = maker;
  const begun = Promise.withResolvers<Population>();
  let hasBegun = false;
  let cancelled = false;
  const end = (error: string | null) => finish(maker, projectId, { cancelled, error });
  catchUp.during(projectId, async (board) => {
    const { world, note } = await beginMaking(maker, projectId, wanted);
    hasBegun = true;
    begun.resolve(show(note, clock(), true));
    cancelled = await make(maker, world, board);
  }).then(async () => {
    if (hasBegun) await end(null);
  }, async (error: unknown) => {
    if (!hasBegun) return begun.reject(error);
    report(error);
    await end(outageIn(error)?.cause ?? (error instanceof Error ? error.message : String(error)));
  }).catch(report).finally(() => {
    begun.reject(new Refusal(503, "server_error", "The service is stopping"));
  });
  return await begun.promise;
}

async function beginMaking(
  maker: Maker,
  projectId: string,
  wanted: NewPopulation,
): Promise<{ world: World; note: Note }> {
  const { store, clock, name } = maker;
  const wall = clock();
  return await store.write(async (whole) => {
    const tx = inProject(whole, projectId);
    const before = await readNote(tx);
    if (before?.running && await isAlive(maker, whole, before)) throw underWay();
    const world = await beginWorld(whole, projectId, { wanted, wall, player: name });
    const { span, counts } = world;
    const state = { running: true, stop: false, cancelled: false, error: null };
    const way = { ...span, now: span.from, counts, wanted: wanted.customers };
    const note = { maker: name, ...state, began_at: wall, ...way };
    await writeNote(tx, note);
    return { world, note };
  }, projectId);
}

/** Makes a population, batch by batch. Returns whether it was stopped. */
async function make(
  { store, catchUp, clock, name }: Maker,
  world: World,
  board: RunBoard,
): Promise<boolean> {
  const { project, span: { to }, wanted: { seed } } = world;
  let isStopped = false;
  for (let number = 0; !isStopped && !catchUp.isStopped(); number++) {
    const batch = nextBatch(world);
    if (!batch) break;
    const ids = `population/${seed}/${project.id}/${number}`;
    const played = await store.write(async (whole) => {
      const tx = inProject(whole, project.id);
      const note = await readNote(tx);
      if (note?.stop !== false) return undefined;
      if (await playerOf(tx) !== name) throw takenOver();
      // The transaction may run again, and makes the same ids then.
      const source = sourceOf(bytesOf(ids));
      const played = await withIds(source, () => playBatch({ tx, project }, world, batch));
      await writeNote(tx, { ...note, now: batch.until, counts: countsAfter(world, played) });
      await board.noteIn?.(tx, { now: batch.until, to, done: played.counts.steps });
      return played;
    }, project.id);
    if (played) takeIn(world, played);
    else isStopped = true;
    board.note({ now: batch.until, to, done: world.counts.steps });
    // A timer lets the process see to requests and signals.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  if (catchUp.isStopped() || project.clock_frozen_at !== null) return isStopped;
  // A clock that ran is to run on as if nothing had been made.
  const target = Math.max(to, projectTime(project, clock()));
  await store.write(async (tx) => {
    await inProject(tx, project.id).updateTable("projects").set({ clock_advancing_to: target })
      .where("clock_advancing_to", "is not", null).execute();
  }, project.id);
  return isStopped;
}

/**
 * Notes that a population is no longer made, also when the database cannot be used for a while: until
 * then the others leave the project to this process.
 */
async function finish(
  { store, catchUp, clock, name }: Maker,
  projectId: string,
  outcome: Pick<Note, "cancelled" | "error">,
): Promise<void> {
  // The end of this process tells the others, too.
  if (catchUp.isStopped()) return;
  const ended = new AbortController();
  const write = async () => {
    if (catchUp.isStopped()) ended.abort();
    await store.write(async (whole) => {
      const tx = inProject(whole, projectId);
      const note = await readNote(tx);
      if (note?.maker === name) await writeNote(tx, { ...note, ...outcome, running: false });
      if (await playerOf(tx) === name) await leavePast(tx);
    }, projectId);
  };
  await insist(write, { clock, until: Infinity, signal: ended.signal });
}

/** Random bytes that are the same for the same text. */
function bytesOf(text: string): RandomSource {
  let block = 0;
  return (count) => {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += 32) {
      const digest = createHash("sha256").update(`${text}/${block++}`).digest();
      bytes.set(digest.subarray(0, Math.min(32, count - at)), at);
    }
    return bytes;
  };
}

/** The error when this process had lost its connection, and others went on without it. */
function takenOver(): Error {
  return new Error("the database was away for some seconds, and another process went on");
}

function underWay(): Refusal {
  const message = "A population is being made in the project; wait, or cancel it";
  return new Refusal(409, "resource_already_exists", message);
}
