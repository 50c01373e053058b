/**
 * What is known while a history is recorded: its facts, the stage on which it is played along, and
 * the steps so far.
 *
 * @module
 */

import { path } from "../../path.ts";
import type { Subscription } from "../../resources/subscriptions.ts";
import type {
  CustomerHistory,
  HistoryPurchase,
  HistorySubscription,
} from "../../simulator/history.ts";
import type { Json } from "../values/tree.ts";
import type { Action } from "../file/scenario.ts";
import {
  accessOf,
  type Bench,
  createBench,
  followEvents,
  listAll,
  readAll,
  type SeenEvent,
} from "../run/bench.ts";
import { act } from "../run/run.ts";
import type { Stage } from "../run/stage.ts";
import type { Fact, Merge, RecordedEvent } from "./facts.ts";
import { factsOf } from "./facts.ts";
import type { Sold } from "./sold.ts";

/** Something that a step does, with the subscription or purchase that it makes. */
export interface Deed {
  /** Its name. */
  readonly deed: string;
  /** Its fields, as the deed takes them. */
  readonly values: Readonly<Record<string, Json>>;
  /** The id of what it makes, in the history. */
  readonly makes?: string | undefined;
}

/** An event of the played history, with the recorded one that it repeats. */
export interface PlayedEvent {
  /** As it was played. */
  readonly played: SeenEvent;
  /** As it was recorded; undefined where no record has it. */
  recorded: RecordedEvent | undefined;
}

/** A step of the recording. */
export interface RecordedStep {
  /** What it does; undefined for a step that only expects. */
  readonly action: Action | undefined;
  /** The events that came with it. */
  readonly events: PlayedEvent[];
  /** The entitlements of each customer after it. */
  readonly access: Readonly<Record<string, readonly string[]>>;
  /** Notes about it, for people. */
  readonly notes: string[];
}

/** A recording under way. */
export interface Reel {
  /** The history. */
  readonly history: CustomerHistory;
  /** Its facts, oldest first. */
  readonly facts: readonly Fact[];
  /** The next fact's index. */
  next: number;
  /** Customers who became one, and are not yet. */
  readonly merges: Merge[];
  /** What is sold. */
  readonly sold: Sold;
  /** The names of the products there, by their ids there. */
  readonly products: ReadonlyMap<string, string>;
  /** Where the history is played along. */
  readonly bench: Bench;
  /** The time there, in milliseconds since 1970. */
  now: number;
  /** The name of each subscription and purchase, by its id in the history. */
  readonly names: Map<string, string>;
  /** The id of each subscription there, by its id in the history. */
  readonly twins: Map<string, string>;
  /** Customers that exist there. */
  readonly customers: Set<string>;
  /** The country of each customer there, as far as a purchase said so. */
  readonly countries: Map<string, string>;
  /** The steps so far. */
  readonly steps: RecordedStep[];
  /** Notes about the next step, for people. */
  notes: string[];
}

/** Begins a recording. The stage must hold what is sold. */
export async function openReel(
  history: CustomerHistory,
  sold: Sold,
  stage: Stage,
  at: number,
): Promise<Reel> {
  const start = { at, zone: "UTC", catalogue: sold.catalogue, webhook: undefined };
  const bench = await createBench({ name: "", start, steps: [] }, stage, {
    vars: {},
    webhook: undefined,
  });
  await followEvents(bench, 0);
  return {
    history,
    ...factsOf(history),
    next: 0,
    sold,
    products: await productsThere(bench),
    bench,
    now: at,
    names: new Map(),
    twins: new Map(),
    customers: new Set(),
    countries: new Map(),
    steps: [],
    notes: [],
  };
}

/** Does something and adds the step. Returns why the service refuses, if it does. */
export async function take(reel: Reel, deed: Deed): Promise<string | undefined> {
  const as = deed.makes === undefined ? undefined : nameFor(reel, deed.makes);
  const values = named(reel, deed.values);
  const why = await takeAction(reel, { deed: deed.deed, values, as });
  if (why !== undefined || deed.makes === undefined || as === undefined) return why;
  reel.names.set(deed.makes, as);
  const id = reel.bench.made.get(as)?.id;
  if (typeof id === "string") reel.twins.set(deed.makes, id);
  return undefined;
}

/** The fields of a deed with names in place of ids of the history. */
function named({ names }: Reel, values: Deed["values"]): Deed["values"] {
  const nameOf = (field: string, value: Json) =>
    field === "subscription" || field === "of" ? names.get(String(value)) ?? value : value;
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, nameOf(field, value)]),
  );
}

/** Moves the clock and adds the step. */
export async function moveTo(reel: Reel, to: number): Promise<string | undefined> {
  if (to <= reel.now) return undefined;
  const why = await takeAction(reel, { to });
  if (why === undefined) reel.now = to;
  return why;
}

async function takeAction(reel: Reel, action: Action): Promise<string | undefined> {
  const { bench, steps } = reel;
  const seen = bench.seen.length;
  const refused = await act(bench, { action }, new Map());
  if (refused) return refused.message;
  await followEvents(bench, steps.length + 1);
  const events = bench.seen.slice(seen).map((played) => ({ played, recorded: undefined }));
  await matchTwins(reel);
  steps.push({ action, events, access: await accessNow(reel), notes: reel.notes });
  reel.notes = [];
  return undefined;
}

/** A name for something that a step makes. */
function nameFor({ history, names }: Reel, id: string): string {
  const { subscriptions, purchases } = history;
  const bought = purchases.some((one) => one.id === id);
  const [letter, all] = bought ? ["p", purchases] : ["s", subscriptions];
  if (all.filter((one) => !("entitlement" in one) || one.entitlement === null).length === 1) {
    return letter;
  }
  const count = [...names.values()].filter((name) => name.startsWith(letter)).length;
  return `${letter}${count + 1}`;
}

/** The entitlements of all customers there. */
async function accessNow({ history, bench }: Reel): Promise<RecordedStep["access"]> {
  const access: Record<string, readonly string[]> = {};
  for (const { id } of history.customers) access[id] = await accessOf(bench, id);
  return access;
}

/** The subscriptions of all customers there. */
export async function stagedSubscriptions(
  { bench: { stage }, history }: Reel,
): Promise<Subscription[]> {
  const found: Subscription[] = [];
  for (const { id } of history.customers) {
    const place = path`/customers/${id}/subscriptions`;
    const list = await listAll<Subscription>(stage, place);
    if ("items" in list) found.push(...list.items);
  }
  return found;
}

/** Finds the twins of subscriptions that no step made: they took the place of others. */
async function matchTwins(reel: Reel): Promise<void> {
  const { history, twins, sold, products } = reel;
  const waiting = history.subscriptions.filter(({ id, product_id }) =>
    product_id !== null && !twins.has(id)
  );
  if (waiting.length === 0) return;
  const known = new Set(twins.values());
  for (const there of await stagedSubscriptions(reel)) {
    if (known.has(there.id)) continue;
    const name = products.get(there.product_id ?? "");
    const twin = waiting.find((one) =>
      !twins.has(one.id) && sold.names.get(one.product_id ?? "") === name &&
      one.starts_at === there.starts_at && one.ownership === there.ownership
    );
    if (twin) twins.set(twin.id, there.id);
  }
}

/** The names of the products there, by their ids there. */
async function productsThere(bench: Bench): Promise<Map<string, string>> {
  const all = await readAll<{ id: string; store_identifier: string }>(
    bench.stage,
    path`/products`,
  );
  return new Map(all.map(({ id, store_identifier }) => [id, store_identifier]));
}

/** The recorded subscription of an id. */
export function subscriptionIn(
  { history }: Pick<Reel, "history">,
  id: string | undefined,
): HistorySubscription | undefined {
  return history.subscriptions.find((one) => one.id === id);
}

/** The recorded purchase of an id. */
export function purchaseIn(
  { history }: Pick<Reel, "history">,
  id: string | undefined,
): HistoryPurchase | undefined {
  return history.purchases.find((one) => one.id === id);
}

/** The recorded events from now on that are about a subscription or purchase. */
export function eventsAhead({ facts, next }: Reel, subject: string): RecordedEvent[] {
  return facts.slice(next).flatMap((fact) =>
    fact.kind === "event" && fact.event.subject === subject ? [fact.event] : []
  );
}
