/**
 * Lets a project catch up with its time: all due steps run in order, each at its own time, and
 * advances of the clock reach their targets.
 *
 * Due steps run in batches, each in one transaction that also moves an advancing clock. So a killed
 * process leaves a consistent moment of the project, and the next start continues from there.
 *
 * @module
 */

import { type Clock, projectTime } from "../time/clock.ts";
import { passDue } from "../domain/due.ts";
import type { Terms } from "../domain/product_change.ts";
import type { Step, Subscription } from "../domain/step.ts";
import { USUAL_DURATION } from "../domain/subscription.ts";
import type { ProjectCall } from "../records/find.ts";
import { isBehind } from "./catch_up.ts";
import { type Journal, openJournal } from "./journal.ts";
import { nextDueAt } from "./next_due.ts";
import { endPast, isPast, watchPast } from "./past.ts";
import type { Run } from "./progress.ts";
import { inProject, type ProjectTx, type Store, type Tx } from "../store/mod.ts";

/**
 * The subscriptions in one transaction, which make at most twice as many steps. Large batches write
 * fewer pages, but block other requests. So the first batch is small, and each is half as large
 * again as the one before.
 */
const FIRST_BATCH = 256;
const LARGEST_BATCH = 1024;
const GROWTH = 1.5;

/** Runs batches until a project is at its present. */
export async function runAll(
  store: Store,
  clock: Clock,
  projectId: string,
  { run, isStopped }: { run: Run; isStopped(): boolean },
): Promise<void> {
  let done = 0;
  let size = FIRST_BATCH;
  const isElsewhere = watchPast(store.others, clock);
  const batch = () =>
    store.write(async (tx) => {
      const made = await runBatch(tx, projectId, clock(), { size, isElsewhere });
      if (made && made !== ELSEWHERE) {
        await run.noteIn?.(inProject(tx, projectId), { ...made, done: made.steps });
      }
      return made;
    }, projectId);
  for (let made = await batch(); made && !isStopped(); made = await batch()) {
    if (made === ELSEWHERE) {
      await new Promise((resolve) => setTimeout(resolve, ELSEWHERE_MS));
      continue;
    }
    done += made.steps;
    run.note({ now: made.now, to: made.to, done });
    await breathe();
    if (isStopped()) return;
    size = Math.min(LARGEST_BATCH, size * GROWTH);
  }
}

/** What a batch is when another process lets the project's time pass by itself. */
const ELSEWHERE = "elsewhere";

/** The pause between two looks whether that process is through, in milliseconds. */
const ELSEWHERE_MS = 250;

/** Lets the process handle other requests and signals. `setImmediate` would delay signals. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** The most batches inside another transaction. */
const MOST_BATCHES_WITHIN = 4;

/**
 * Runs due steps of a project inside a larger transaction. Returns whether the project has caught
 * up: advancing clocks and many due steps are left to other transactions.
 */
export async function catchUpWithin(tx: Tx, projectId: string, wall: number): Promise<boolean> {
  const project = await inProject(tx, projectId).selectFrom("projects").select("clock_advancing_to")
    .executeTakeFirst();
  if (project && project.clock_advancing_to !== null) return false;
  for (let left = MOST_BATCHES_WITHIN; left > 0; left--) {
    if (!await runBatch(tx, projectId, wall, { size: FIRST_BATCH })) return true;
  }
  return false;
}

/** A finished batch. */
interface Batch {
  /** The time reached, in milliseconds since 1970. */
  now: number;
  /** The target time of the project. */
  to: number;
  /** The number of steps. */
  steps: number;
}

/** Runs a batch. Undefined: no step is due. */
async function runBatch(
  whole: Tx,
  projectId: string,
  wall: number,
  { size, isElsewhere }: { size: number; isElsewhere?(tx: ProjectTx): Promise<boolean> },
): Promise<Batch | typeof ELSEWHERE | undefined> {
  const tx = inProject(whole, projectId);
  const project = await tx.selectFrom("projects").selectAll().select(nextDueAt).executeTakeFirst();
  if (!project || !isBehind(project, wall)) return undefined;
  const advancing = project.clock_advancing_to !== null;
  if (advancing && await isElsewhere?.(tx)) return ELSEWHERE;
  const target = advancing ? await arrivalOf({ tx, project }, wall) : projectTime(project, wall);
  const due = await tx.selectFrom("subscriptions").selectAll().where("due_at", "<=", target)
    .orderBy("due_at").orderBy("seq").limit(size).execute();
  if (due.length === 0) {
    if (advancing) await arrive({ tx, project }, target, wall);
    return undefined;
  }
  const end = due.length < size ? target : due.at(-1)?.due_at ?? target;
  const { reached, steps } = await workOff({ tx, project }, due, { end, steps: 2 * size });
  if (advancing) {
    const now = Math.max(reached, project.clock_frozen_at ?? 0);
    await tx.updateTable("projects").set({ clock_frozen_at: now }).execute();
  }
  return { now: reached, to: target, steps };
}

/** The end of an advance. A clock whose past was played runs on as if it had never stopped. */
async function arrivalOf({ tx, project }: ProjectCall, wall: number): Promise<number> {
  const { clock_advancing_to, clock_offset, clock_runs_after } = project;
  const to = clock_advancing_to ?? 0;
  return clock_runs_after === 1 && await isPast(tx) ? Math.max(to, wall + clock_offset) : to;
}

/**
 * Runs the due steps of loaded subscriptions up to a time, also steps that become due on the way,
 * until the batch is full. Returns the time reached and the number of steps.
 */
async function workOff(
  place: ProjectCall,
  due: Subscription[],
  most: { end: number; steps: number },
): Promise<{ reached: number; steps: number }> {
  const journal = await openJournal(place);
  await journal.facts.loadCustomers(due.map((row) => row.customer_id));
  // More subscriptions may be due at the time of the last loaded one.
  const last = { due_at: most.end, seq: due.at(-1)?.seq ?? 0 };
  const queue = [...due];
  let reached = 0;
  let steps = 0;
  for (let state = queue.shift(); state && steps < most.steps; state = queue.shift()) {
    reached = Math.max(reached, state.due_at ?? 0);
    for (const step of await stepsOf(state, journal)) {
      steps++;
      const after = await journal.record(step);
      if (after.due_at !== null && compare(after, last) <= 0) enqueue(queue, after);
    }
    await journal.begin();
  }
  await journal.write();
  return { reached, steps };
}

/** The step of a due subscription. */
export async function stepsOf(state: Subscription, journal: Journal): Promise<Step[]> {
  const { pending_product_id: next } = state;
  return passDue(state, next === null ? undefined : await termsOf(state, next, journal));
}

/** The terms of a planned product change. */
async function termsOf(state: Subscription, id: string, journal: Journal): Promise<Terms> {
  const product = await journal.facts.product(id);
  return {
    product_id: id,
    duration: product.duration ?? USUAL_DURATION,
    grace_duration: product.grace_period_duration,
    price_micros: state.pending_price_micros ?? product.price_micros ?? state.price_micros,
  };
}

/** Inserts a subscription by its due time. */
function enqueue(queue: Subscription[], state: Subscription): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = queue[middle];
    if (other && compare(other, state) <= 0) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, state);
}

/** The order of due subscriptions: by due time, then by age. */
function compare(
  one: Pick<Subscription, "due_at" | "seq">,
  other: Pick<Subscription, "due_at" | "seq">,
): number {
  return (one.due_at ?? 0) - (other.due_at ?? 0) || one.seq - other.seq;
}

/**
 * Stops an advance at the time reached. Steps due at that time run with the next batch. Returns
 * whether there was an advance.
 */
export async function cutShort({ tx, project }: ProjectCall, wall: number): Promise<boolean> {
  if (project.clock_advancing_to === null || await isPast(tx)) return false;
  await arrive({ tx, project }, projectTime(project, wall), wall);
  return true;
}

/** Finishes an advance: the clock stands at its target, or runs from there. */
async function arrive(
  { tx, project }: ProjectCall,
  at: number,
  wall: number,
): Promise<void> {
  const runs = project.clock_runs_after === 1;
  await endPast(tx);
  await tx.updateTable("projects").set({
    clock_frozen_at: runs ? null : at,
    clock_offset: runs ? at - wall : project.clock_offset,
    clock_advancing_to: null,
    clock_runs_after: 0,
  }).execute();
}
