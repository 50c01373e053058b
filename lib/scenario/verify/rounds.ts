/**
 * The deliveries of a life, in an order that the documents allow.
 *
 * @module
 */

import type { Json } from "../file/tree.ts";
import type { Trick } from "./life.ts";
import type { LifeEvent, Played } from "./play.ts";

/** A delivery to make. */
export interface Parcel {
  /** The body, as text. */
  readonly body: string;
  /** The id of the event. */
  readonly id: string;
  /** The type of the event. */
  readonly type: string;
  /** What is special about it; undefined for an event that comes for the first time. */
  readonly trick: Trick["what"] | undefined;
  /** The customer whose deliveries it must not overtake. */
  readonly lane: string;
}

/** Deliveries that may arrive side by side: one lane for each customer, in order within it. */
type Round = readonly (readonly Parcel[])[];

/** The tricks that change the order of deliveries, and add none. */
type Reordering = "swapped" | "pause" | "unknown_field";

/** The most deliveries that wait for a handler that pauses. */
const LONGEST_PAUSE = 4;

/** The deliveries of a life. Rounds come after each other. */
export function roundsOf(
  { events, customers }: Pick<Played, "events" | "customers">,
  tricks: readonly Trick[],
): Round[] {
  const rounds: Round[] = [];
  const count = Math.max(1, events.length);
  const at = (i: number) => tricks.filter(({ after }) => after % count === i);
  const single = (parcel: Parcel) => void rounds.push([[parcel]]);
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    if (!event) continue;
    const here = at(i);
    const pause = here.find(({ what }) => what === "pause");
    const next = events[i + 1];
    if (pause) {
      const held = heldFrom(events, i, 1 + pause.of % LONGEST_PAUSE);
      // The answer to the first one was lost, so it comes again with those that waited.
      single(parcelOf(event));
      rounds.push(lanesOf(held));
      i += held.length - 1;
    } else if (next && here.some(({ what }) => what === "swapped") && mayPass(event, next)) {
      single({ ...parcelOf(next), trick: "swapped" });
      single(parcelOf(event));
      i++;
    } else {
      const field = here.some(({ what }) => what === "unknown_field");
      single(field ? withFields(event) : parcelOf(event));
    }
    for (const { what, of } of here) {
      const earlier = events[of % (i + 1)] ?? event;
      if (!isReordering(what)) single(special(what, earlier, customers, i));
    }
  }
  return rounds;
}

function isReordering(what: Trick["what"]): what is Reordering {
  return what === "swapped" || what === "pause" || what === "unknown_field";
}

/** Whether two events may come in the other order: nothing is promised about different customers. */
function mayPass(first: LifeEvent, second: LifeEvent): boolean {
  return first.customer !== second.customer && !tiesTwo(first) && !tiesTwo(second);
}

/** Whether an event is about both customers. */
function tiesTwo({ type }: LifeEvent): boolean {
  return type === "TRANSFER";
}

/** The events that wait while a handler pauses. One that is about both customers ends them. */
function heldFrom(events: readonly LifeEvent[], from: number, most: number): LifeEvent[] {
  const held: LifeEvent[] = [];
  for (const event of events.slice(from, from + most)) {
    if (tiesTwo(event) && held.length > 0) break;
    held.push(event);
    if (tiesTwo(event)) break;
  }
  return held;
}

function lanesOf(events: readonly LifeEvent[]): Round {
  const parcels = events.map((event): Parcel => ({ ...parcelOf(event), trick: "pause" }));
  return [...Map.groupBy(parcels, ({ lane }) => lane).values()];
}

function parcelOf({ id, type, customer, body }: LifeEvent): Parcel {
  return { id, type, body: JSON.stringify(body), trick: undefined, lane: customer };
}

/** An event with fields that no handler knows. */
function withFields(event: LifeEvent): Parcel {
  const { body } = event;
  const sent = { ...body, event: { ...body.event, ...NEW_FIELDS }, another_new_field: 1 };
  return { ...parcelOf(event), body: JSON.stringify(sent), trick: "unknown_field" };
}

/** Fields that no handler knows. */
export const NEW_FIELDS: Readonly<Record<string, Json>> = { a_new_field: { nested: [1] } };

/** A type that no handler knows. */
export const NEW_TYPE = "A_NEW_TYPE";

/** A delivery that is not simply an event. */
function special(
  what: Exclude<Trick["what"], Reordering>,
  event: LifeEvent,
  customers: readonly string[],
  number: number,
): Parcel {
  if (what === "again") return { ...parcelOf(event), trick: what };
  const id = `${event.id.slice(0, -4)}${String(number).padStart(2, "0")}ff`;
  const lane = event.customer;
  if (what === "unknown_type") {
    const made = { type: NEW_TYPE, id, app_user_id: customers[0] ?? "", event_timestamp_ms: 0 };
    return { id, type: NEW_TYPE, body: JSON.stringify({ event: made }), trick: what, lane };
  }
  const type = forgedType(event.type);
  const forged: { [field: string]: Json } = { ...event.body.event, id, type };
  return { id, type, body: JSON.stringify({ ...event.body, event: forged }), trick: what, lane };
}

/** The type of a forged event: whoever believes it gives or takes access. */
export function forgedType(type: string): string {
  return type === "EXPIRATION" ? "INITIAL_PURCHASE" : "EXPIRATION";
}
