/**
 * From all records of a customer to a scenario that repeats its history. The history is played along
 * on a stage: what time brings by itself needs no step, and every other event has a cause.
 *
 * @module
 */

import type { CustomerHistory } from "../../simulator/history.ts";
import { applyCatalogue } from "../file/catalogue.ts";
import { isoMoment } from "../values/times.ts";
import { readFrom } from "../run/bench.ts";
import type { Stage } from "../run/stage.ts";
import { causeOf } from "./causes.ts";
import type { Fact, RecordedEvent } from "./facts.ts";
import { callOff, foresee } from "./foresee.ts";
import { type Deed, moveTo, openReel, type PlayedEvent, type Reel, take } from "./reel.ts";
import { soldIn } from "./sold.ts";
import { textOf } from "./text.ts";

/** A recorded scenario. */
export interface Recording {
  /** The file's text. */
  readonly text: string;
  /** What could not be recorded, one sentence each. They stand in the file too. */
  readonly notes: readonly string[];
  /** How many events of the history it repeats. */
  readonly events: number;
  /** How many steps it has. */
  readonly steps: number;
}

/** How to record. */
interface RecordOptions {
  /** Opens an empty stage at a moment. */
  open(at: number): Promise<Stage & { close(): Promise<void> }>;
  /** What the service does besides that no file can say. */
  readonly notes?: readonly string[];
}

/** Records the history of a customer. */
export async function recordHistory(
  history: CustomerHistory,
  { open, notes = [] }: RecordOptions,
): Promise<Recording> {
  const sold = soldIn(history);
  const at = Math.min(...history.customers.map((one) => one.first_seen_at));
  const stage = await open(at);
  try {
    await applyCatalogue(sold.catalogue, stage.project, (request) => readFrom(stage, request));
    const reel = await openReel(history, sold, stage, at);
    for (; reel.next < reel.facts.length; reel.next++) {
      const fact = reel.facts[reel.next];
      if (fact) await repeat(reel, fact);
    }
    await finish(reel);
    const known = [...notes, ...sold.notes];
    const text = textOf(reel, known);
    return {
      text,
      notes: [...known, ...reel.steps.flatMap((step) => step.notes)],
      events: reel.steps.flatMap(({ events }) => events).filter(({ recorded }) => recorded).length,
      steps: reel.steps.length,
    };
  } finally {
    await stage.close();
  }
}

/** Repeats one fact. */
async function repeat(reel: Reel, fact: Fact): Promise<void> {
  if (fact.kind === "event") await mergeFor(reel, fact.event);
  if (fact.at > reel.now) {
    await foresee(reel, fact.at);
    const why = await moveTo(reel, fact.at);
    if (why !== undefined) reel.notes.push(`The clock cannot go to ${isoMoment(fact.at)}: ${why}`);
  }
  switch (fact.kind) {
    case "event":
      return await repeatEvent(reel, fact.event);
    case "customer":
      return await repeatCustomer(reel, fact.id);
    case "alias": {
      const { customer, alias } = fact;
      return await must(reel, { deed: "alias", values: { customer, alias } });
    }
    case "attributes":
      return await must(reel, {
        deed: "attributes",
        values: { customer: fact.customer, set: fact.set },
      });
    case "adjustment": {
      const { customer_id: customer, currency, amount, reference } = fact.adjustment;
      const values = { customer, currency, amount: Math.abs(amount) };
      const more = reference === null ? {} : { reference };
      const deed = amount < 0 ? "spend" : "give";
      return await must(reel, { deed, values: { ...values, ...more } });
    }
    case "refund": {
      const { subscription: of, payment } = fact;
      return await must(reel, { deed: "refund", values: { of, payment } });
    }
  }
}

/** Does something that the history says. */
async function must(reel: Reel, deed: Deed): Promise<void> {
  const why = await take(reel, deed);
  if (why !== undefined) reel.notes.push(`Not recorded: ${deed.deed} (${why})`);
}

/** Repeats the beginning of a customer, unless a purchase at the same moment does it. */
async function repeatCustomer(reel: Reel, id: string): Promise<void> {
  reel.customers.add(id);
  if (!beginsByBuying(reel, id)) await must(reel, { deed: "customer", values: { id } });
}

/** Whether the next thing that a customer does at this moment is a purchase. */
function beginsByBuying({ facts, next, history }: Reel, id: string): boolean {
  const bought = [...history.subscriptions, ...history.purchases];
  const here = facts[next]?.at;
  for (const fact of facts.slice(next + 1)) {
    if (fact.at !== here) return false;
    if (fact.kind === "alias" && fact.customer === id) return false;
    if (fact.kind === "adjustment" && fact.adjustment.customer_id === id) return false;
    if (fact.kind !== "event") continue;
    const { subject, fields: { transferred_to, app_user_id } } = fact.event;
    if (Array.isArray(transferred_to) && transferred_to.includes(id)) return false;
    const made = bought.find((one) => one.id === subject);
    if (made?.original_customer_id === id) return made.product_id !== null;
    if (app_user_id === id) return false;
  }
  return false;
}

/** Lets two customers become one before the first event that says so. */
async function mergeFor(reel: Reel, event: RecordedEvent | undefined): Promise<void> {
  const { aliases } = event?.fields ?? {};
  for (const merge of [...reel.merges]) {
    const { from, to } = merge;
    const told = Array.isArray(aliases) && aliases.includes(from) && aliases.includes(to);
    if (event && !told) continue;
    if (!reel.customers.has(from) || !reel.customers.has(to)) continue;
    reel.merges.splice(reel.merges.indexOf(merge), 1);
    reel.notes.push("The service has no record of when these customers became one");
    await must(reel, { deed: "alias", values: { customer: from, alias: to } });
  }
}

/** Repeats an event: time has brought it, or somebody did something. */
async function repeatEvent(reel: Reel, event: RecordedEvent): Promise<void> {
  if (pair(reel, event)) return;
  if (event.type === "TEST") {
    reel.notes.push("Not recorded: a test event of a webhook");
    return;
  }
  const cause = await causeOf(reel, event);
  if (!cause) return notRepeated(reel, event, "nothing is on record that leads to it");
  for (const deed of cause) {
    const why = await take(reel, deed);
    const still = why === undefined ? undefined : await takeCalmed(reel, event, deed, why);
    if (still !== undefined) return notRepeated(reel, event, still);
  }
  if (!pair(reel, event)) notRepeated(reel, event, "the steps above do not lead to it");
}

/** Does something after what was planned for the end of the period is called off, without an event. */
async function takeCalmed(
  reel: Reel,
  { subject }: RecordedEvent,
  deed: Deed,
  why: string,
): Promise<string | undefined> {
  const calm = subject === undefined ? undefined : await callOff(reel, subject);
  if (!calm || await take(reel, calm) !== undefined) return why;
  return await take(reel, deed);
}

function notRepeated(reel: Reel, { type, at }: RecordedEvent, why: string): void {
  reel.notes.push(`Not recorded: ${type} of ${isoMoment(at)} (${why})`);
}

/** Finds the played event that repeats a recorded one. */
function pair({ steps, twins }: Reel, event: RecordedEvent): boolean {
  const free: PlayedEvent[] = steps.flatMap(({ events }) => events)
    .filter(({ recorded, played }) => recorded === undefined && played.at === event.at);
  const same = free.filter(({ played }) => played.type === event.type);
  const who = event.fields.original_app_user_id;
  const found = same.find(({ played }) => played.fields.original_app_user_id === who) ?? same[0];
  if (!found) return false;
  // A payment of the same moment may be another subscription's, which has not begun here yet.
  const begins = event.subject !== undefined && !twins.has(event.subject) &&
    found.played.fields.product_id !== event.fields.product_id;
  if (begins) return false;
  found.recorded = event;
  return true;
}

/** Leaves out the last step where it only let time pass. */
function dropIdle({ steps, notes }: Reel): void {
  const [before, last] = steps.slice(-2);
  const isIdle = last?.events.length === 0 && last.notes.length === 0 && notes.length === 0 &&
    JSON.stringify(last.access) === JSON.stringify(before?.access);
  if (isIdle) steps.pop();
}

/**
 * Moves grants to the customers who have them now. No event tells of it when a customer gives nothing but
 * grants away, so this is done where that customer is left with nothing.
 */
async function moveGrants(reel: Reel): Promise<void> {
  const { subscriptions, purchases } = reel.history;
  const owners = new Set([...subscriptions, ...purchases].map((one) => one.customer_id));
  const told = new Set(
    reel.facts.flatMap((fact) =>
      fact.kind === "event" && fact.event.type === "TRANSFER"
        ? [fact.event.fields.transferred_from]
        : []
    ).flat(),
  );
  for (const { product_id, original_customer_id: from, customer_id: to } of subscriptions) {
    if (product_id !== null || from === to || owners.has(from) || told.has(from)) continue;
    told.add(from);
    reel.notes.push(`The service has no record of when ${from} gave these grants away`);
    await must(reel, { deed: "transfer", values: { from, to } });
  }
}

/** Goes to the present, and notes what differs there. */
async function finish(reel: Reel): Promise<void> {
  await mergeFor(reel, undefined);
  await moveGrants(reel);
  const { now, customers } = reel.history;
  if (now > reel.now) {
    await foresee(reel, now);
    await moveTo(reel, now);
    dropIdle(reel);
  }
  const last = reel.steps.at(-1);
  if (!last) return;
  last.notes.push(...reel.notes);
  reel.notes = [];
  for (const { id, access } of customers) {
    const played = last.access[id] ?? [];
    if (played.join() === access.join()) continue;
    const [is, has] = [played, access].map((keys) =>
      keys.length === 0 ? "nothing" : keys.join(", ")
    );
    last.notes.push(`The service gives ${id} access to ${has}, and these steps to ${is}`);
  }
  for (const { played, recorded } of reel.steps.flatMap(({ events }) => events)) {
    if (recorded) continue;
    last.notes.push(`The service has no record of this ${played.type} of ${isoMoment(played.at)}`);
  }
}
