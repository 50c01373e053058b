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
import type { Clock } from "../../time/clock.ts";
import { insist } from "../../events/insist.ts";
import { bringToPresent } from "../../http/present.ts";
import { leavePast, playerOf } from "../../ledger/past.ts";
import { type RandomSource, sourceOf, withIds } from "../../records/random.ts";
import { inProject, outageIn, type Store, type Tx } from "../../store/mod.ts";
import type { CatchUp, RunBoard } from "../../ledger/catch_up.ts";
import { beginWorld } from "./begin.ts";
import { isSame, type Note, readNote, show, writeNote } from "./note.ts";
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
      const made = await underWay(maker, projectId, wanted);
      if (made) return made;
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
    if (before?.running && await isAlive(maker, whole, before)) throw another();
    const place = { wanted, latest: before, wall, player: name };
    const world = await beginWorld(whole, projectId, place);
    const { span, counts } = world;
    const isRest = counts.customers > 0;
    const { customers, seed, months, kind } = wanted;
    const note: Note = {
      ...{ maker: name, running: true, stop: false, cancelled: false, error: null },
      ...{ began_at: wall, ...span, now: isRest && before ? before.now : span.from },
      ...{ wanted: customers, plan: { seed, months, kind } },
      ...{ counts, first: counts.customers, batches: isRest ? before?.batches ?? 0 : 0 },
    };
    await writeNote(tx, note);
    return { world, note };
  }, projectId);
}

/** Makes a population, batch by batch. Returns whether it was stopped. */
async function make(
  { store, catchUp, name }: Maker,
  world: World,
  board: RunBoard,
): Promise<boolean> {
  const { project, span: { to }, wanted: { seed } } = world;
  let isStopped = false;
  while (!isStopped && !catchUp.isStopped()) {
    const batch = nextBatch(world);
    if (!batch) break;
    const played = await store.write(async (whole) => {
      const tx = inProject(whole, project.id);
      const note = await readNote(tx);
      if (note?.stop !== false) return undefined;
      if (await playerOf(tx) !== name) throw takenOver();
      const { batches = 0 } = note;
      // The transaction may run again, and makes the same ids then.
      const source = sourceOf(bytesOf(`population/${seed}/${project.id}/${batches}`));
      const played = await withIds(source, () => playBatch({ tx, project }, world, batch));
      const counts = countsAfter(world, played);
      await writeNote(tx, { ...note, now: batch.until, counts, batches: batches + 1 });
      await board.noteIn?.(tx, { now: batch.until, to, done: played.counts.steps });
      return played;
    }, project.id);
    if (played) takeIn(world, played);
    else isStopped = true;
    board.note({ now: batch.until, to, done: world.counts.steps });
    // A timer lets the process see to requests and signals.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
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

/**
 * The wanted population, if it is being made.
 *
 * @throws {Refusal} while another one is being made.
 */
async function underWay(
  maker: Maker,
  projectId: string,
  wanted: NewPopulation,
): Promise<Population | undefined> {
  const { store, clock } = maker;
  return await store.read(async (tx) => {
    const note = await readNote(inProject(tx, projectId));
    if (!note?.running || !await isAlive(maker, tx, note)) return undefined;
    if (isSame(note, wanted)) return show(note, clock(), true);
    throw another();
  });
}

function another(): Refusal {
  const message = "Another population is being made in the project; wait, or cancel it";
  return new Refusal(409, "resource_already_exists", message);
}
