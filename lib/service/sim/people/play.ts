/**
 * Plays a batch of a population in one transaction: people come, and they and time do what is due, each
 * at its own moment. The world changes only after the transaction, which may run more than once.
 *
 * @module
 */

import type { ProjectCall } from "../../records/find.ts";
import { IllegalStep, type Step, type Subscription } from "../../domain/step.ts";
import { DAY_MS } from "../../domain/calendar.ts";
import { openJournal } from "../../ledger/journal.ts";
import { type Agenda, createAgenda } from "./agenda.ts";
import { chanceOf, partOf } from "./chance.ts";
import { ACTS } from "./deeds.ts";
import { insertPeople, type Person, personOf } from "./people.ts";
import { RETURNS } from "./kinds.ts";
import type { Stage } from "./stage.ts";
import type { Counts, Item, World } from "./world.ts";

/** A batch: what happens up to a moment. */
interface Batch {
  /** What was to happen when it began. */
  readonly items: readonly Item[];
  /** The moment, in milliseconds since 1970. */
  readonly until: number;
}

/** What a batch has changed. */
interface Played {
  /** Subscriptions, as they are then. */
  readonly changed: ReadonlyMap<string, Subscription>;
  /** What is to happen later. */
  readonly later: readonly Item[];
  /** People who have bought nothing. */
  readonly idle: readonly string[];
  /** How many of those before share in something now. */
  readonly shared: number;
  /** The last number of an item. */
  readonly number: number;
  /** How much was added. */
  readonly counts: Counts;
}

/** How many items a batch begins with. */
const BATCH = 600;

/** Takes the next batch of what is to happen, if there is more. */
export function nextBatch({ agenda }: World): Batch | undefined {
  const items: Item[] = [];
  for (let next = agenda.peek(); next; next = agenda.peek()) {
    // What happens at the same moment belongs together.
    if (items.length >= BATCH && next.at !== items.at(-1)?.at) break;
    items.push(next);
    agenda.take();
  }
  const until = items.at(-1)?.at;
  return until === undefined ? undefined : { items, until };
}

/** Plays a batch. */
export async function playBatch(place: ProjectCall, world: World, batch: Batch): Promise<Played> {
  const { tx } = place;
  const people = new Map<number, Person>();
  const person = (index: number): Person => {
    const known = people.get(index) ?? personOf(world, index);
    people.set(index, known);
    return known;
  };
  const arriving = batch.items.filter(({ act }) => act === "arrive");
  await insertPeople(tx, arriving.map((item) => person(item.person)));
  const journal = await openJournal(place);
  await journal.facts.loadCustomers(batch.items.map((item) => person(item.person).id));
  const queue = createAgenda(batch.items);
  const { stage, played } = openStage({ world, journal, person }, queue, batch.until);
  for (let item = queue.take(); item; item = queue.take()) {
    try {
      await ACTS[item.act](stage, item);
    } catch (error) {
      // The state does not allow what somebody had in mind: it does not happen.
      if (!(error instanceof IllegalStep)) throw error;
    }
  }
  await journal.write();
  await tx.updateTable("projects").set({ clock_frozen_at: batch.until }).execute();
  const done = played();
  return { ...done, counts: { ...done.counts, customers: arriving.length } };
}

/** Opens the stage of a batch. */
function openStage(
  parts: Pick<Stage, "world" | "journal" | "person">,
  queue: Agenda<Item>,
  until: number,
): { stage: Stage; played(): Played } {
  const { world, journal } = parts;
  const changed = new Map<string, Subscription>();
  const later: Item[] = [];
  const idle: string[] = [];
  const counts: Counts = { customers: 0, subscriptions: 0, purchases: 0, steps: 0 };
  let { number, shared } = world;
  const plan: Stage["plan"] = (planned) => {
    if (planned.at > world.span.to) return;
    const item = { ...planned, number: ++number };
    if (item.at <= until) queue.add(item);
    else later.push(item);
  };
  const stage: Stage = {
    ...parts,
    plan,
    current: (id = "") => changed.get(id) ?? world.subscriptions.get(id),
    async record(item, steps) {
      for (const step of [steps].flat()) {
        const after = await journal.record(step);
        changed.set(after.id, after);
        counts.steps++;
        if (step.before === undefined) counts.subscriptions++;
        planNext(stage, item, step, after);
      }
    },
    async recordPurchase(step) {
      await journal.recordPurchase(step);
      counts.steps++;
      if (step.starts) counts.purchases++;
    },
    addIdle: (id) => idle.push(id),
    takeIdle: () => world.idle[shared] === undefined ? undefined : world.idle[shared++],
  };
  return { stage, played: () => ({ changed, later, idle, shared, number, counts }) };
}

/** Plans what follows from a step: what time brings, what its owner does in a new period. */
function planNext(stage: Stage, item: Item, step: Step, after: Subscription): void {
  if (after.shared_from_id !== null) return;
  const next = { person: item.person, subject: after.id };
  const { due_at, period_starts_at, period_ends_at } = after;
  if (due_at !== null) {
    stage.plan({ ...next, at: due_at, act: "due", key: partOf(item.key, 1) });
  }
  const key = partOf(item.key, 2);
  const chance = chanceOf(key);
  const runs = after.status === "active" || after.status === "trialing";
  if (runs && period_starts_at === step.at && period_ends_at !== null) {
    const at = Math.floor(step.at + (period_ends_at - step.at) * chance.between(0.05, 0.95));
    stage.plan({ ...next, at, act: "consider", key });
  }
  const replaced = step.movement === "upgrade" || step.movement === "downgrade";
  if (after.status === "expired" && !replaced && chance.happens(RETURNS)) {
    const at = Math.floor(step.at + chance.between(15, 100) * DAY_MS);
    stage.plan({ ...next, at, act: "return", key });
  }
}

/** Takes what a batch has changed into the world. */
export function takeIn(world: World, played: Played): void {
  for (const [id, state] of played.changed) world.subscriptions.set(id, state);
  for (const item of played.later) world.agenda.add(item);
  world.idle.push(...played.idle);
  world.shared = played.shared;
  world.number = played.number;
  world.counts = countsAfter(world, played);
}

/** How much there is after a batch. */
export function countsAfter({ counts }: World, { counts: added }: Played): Counts {
  return {
    customers: counts.customers + added.customers,
    subscriptions: counts.subscriptions + added.subscriptions,
    purchases: counts.purchases + added.purchases,
    steps: counts.steps + added.steps,
  };
}
