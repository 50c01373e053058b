/**
 * The populations that are being made: one for each project at a time. Each batch is a transaction of its
 * own. Whenever the process ends, the project is on its way to where its clock was, and arrives there
 * after the next start.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { NewPopulation, Population } from "../../../simulator/population.ts";
import { Refusal, unprocessable } from "../../contract/errors.ts";
import { type Clock, projectTime } from "../../clock.ts";
import { bringToPresent } from "../../http/present.ts";
import { type RandomSource, sourceOf, withIds } from "../../records/random.ts";
import { inProject, type Store } from "../../store/mod.ts";
import type { CatchUp } from "../../ledger/catch_up.ts";
import { nextBatch, playBatch, takeIn } from "./play.ts";
import { beginWorld } from "./begin.ts";
import type { World } from "./world.ts";

/** Makes populations. */
export interface Populations {
  /**
   * Starts to make one.
   *
   * @throws {Refusal} when the project is not there or not ready for one.
   */
  begin(projectId: string, wanted: NewPopulation): Promise<Population>;
  /** The latest one of a project since the start, if any. */
  find(projectId: string): Population | undefined;
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

/** A population that is being made, or was. */
interface Making {
  /** The world. */
  world: World;
  /** When it began, by wall time. */
  began_at: number;
  /** The time that was reached. */
  now: number;
  /** Whether it is being made. */
  running: boolean;
  /** Whether it was stopped. */
  cancelled: boolean;
  /** Why it failed. */
  error: string | null;
  /** Resolves when it is no longer being made. */
  ended: Promise<void>;
}

/** Makes what makes populations. */
export function createPopulations(parts: Parts): Populations {
  const { catchUp, clock, report } = parts;
  const known = new Map<string, Making>();
  const find = (projectId: string): Population | undefined => {
    const making = known.get(projectId);
    return making && show(making, clock());
  };
  return {
    find,
    async begin(projectId, wanted) {
      if (known.get(projectId)?.running) throw underWay();
      // Another process would let time pass up to the present, and nobody would have come.
      if (parts.store.others) throw unprocessable(`Cannot make a population: ${SHARED}`);
      await bringToPresent(catchUp, projectId);
      const begun = Promise.withResolvers<Making>();
      const ended = Promise.withResolvers<void>();
      let making: Making | undefined;
      catchUp.during(projectId, async (note) => {
        making = { ...await beginMaking(parts, projectId, wanted), ended: ended.promise };
        known.set(projectId, making);
        begun.resolve(making);
        await make(parts, making, note);
      }).catch((error: unknown) => {
        if (!making) return begun.reject(error);
        making.error = error instanceof Error ? error.message : String(error);
        report(error);
      }).finally(() => {
        if (making) making.running = false;
        ended.resolve();
        begun.reject(new Refusal(503, "server_error", "The service is stopping"));
      });
      return show(await begun.promise, clock());
    },
    async cancel(projectId) {
      const making = known.get(projectId);
      if (!making?.running) return;
      making.cancelled = true;
      await making.ended;
    },
  };
}

async function beginMaking(
  { store, clock }: Parts,
  projectId: string,
  wanted: NewPopulation,
): Promise<Omit<Making, "ended">> {
  const wall = clock();
  const world = await store.write((tx) => beginWorld(tx, projectId, { wanted, wall }), projectId);
  const now = world.span.from;
  return { world, began_at: wall, now, running: true, cancelled: false, error: null };
}

/** Makes a population, batch by batch. */
async function make(
  { store, catchUp, clock }: Parts,
  making: Making,
  note: (way: { now: number; to: number; done: number }) => void,
): Promise<void> {
  const { world } = making;
  const { project, span: { to }, wanted: { seed } } = world;
  for (let number = 0; !making.cancelled && !catchUp.isStopped(); number++) {
    const batch = nextBatch(world);
    if (!batch) break;
    const ids = `population/${seed}/${project.id}/${number}`;
    const played = await store.write((tx) =>
      // The transaction may run again, and makes the same ids then.
      withIds(
        sourceOf(bytesOf(ids)),
        () => playBatch({ tx: inProject(tx, project.id), project }, world, batch),
      ), project.id);
    takeIn(world, played);
    making.now = batch.until;
    note({ now: batch.until, to, done: world.counts.steps });
    // A timer lets the process see to requests and signals.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  if (catchUp.isStopped() || project.clock_frozen_at !== null) return;
  // A clock that ran is to run on as if nothing had been made.
  const target = Math.max(to, projectTime(project, clock()));
  await store.write(async (tx) => {
    await inProject(tx, project.id).updateTable("projects").set({ clock_advancing_to: target })
      .where("clock_advancing_to", "is not", null).execute();
  }, project.id);
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

/** A population as it is shown. */
function show(making: Making, wall: number): Population {
  const { world: { counts, span, wanted }, now, running, cancelled, error } = making;
  return {
    object: "population",
    running,
    cancelled,
    wanted: wanted.customers,
    ...counts,
    from: span.from,
    now: running ? now : span.to,
    to: span.to,
    left_ms: running ? leftOf(making, wall) : null,
    error,
  };
}

/** How long the rest takes. The more subscribers there are, the more each day takes. */
function leftOf({ world: { counts, wanted }, began_at }: Making, wall: number): number | null {
  const share = counts.customers / wanted.customers;
  const done = share * (0.5 + 0.5 * share);
  return done < 0.02 ? null : Math.round((wall - began_at) * (1 - done) / done);
}

const SHARED = "several processes can share this database; use one in a file";

function underWay(): Refusal {
  const message = "A population is being made in the project; wait, or cancel it";
  return new Refusal(409, "resource_already_exists", message);
}
