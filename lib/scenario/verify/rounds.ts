/**
 * The deliveries of a life, in an order that the documents allow.
 *
 * @module
 */

import { type MadeUp, makeUp, PLAIN } from "../deeds/made_up.ts";
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
  /** The number of the event that it is made of, from 1. */
  readonly number: number;
  /** How it differs from the delivery of that event. */
  readonly made: MadeUp;
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
  { events }: Pick<Played, "events">,
  tricks: readonly Trick[],
): Round[] {
  const rounds: Round[] = [];
  const count = Math.max(1, events.length);
  const at = (i: number) => tricks.filter(({ after }) => after % count === i);
  const single = (parcel: Parcel) => void rounds.push([[parcel]]);
  const parcelOf = (event: LifeEvent, made?: MadeUp, trick?: Trick["what"]): Parcel =>
    parcelFrom(event, events.indexOf(event) + 1, { made, trick, mark: rounds.length });
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
      rounds.push(lanesOf(held.map((one) => parcelOf(one, PLAIN, "pause"))));
      i += held.length - 1;
    } else if (next && here.some(({ what }) => what === "swapped") && mayPass(event, next)) {
      single(parcelOf(next, PLAIN, "swapped"));
      single(parcelOf(event));
      i++;
    } else {
      const field = here.some(({ what }) => what === "unknown_field");
      single(field ? parcelOf(event, WITH_FIELDS, "unknown_field") : parcelOf(event));
    }
    for (const { what, of } of here) {
      const earlier = events[of % (i + 1)] ?? event;
      if (!isReordering(what)) single(parcelOf(earlier, specialOf(what, earlier), what));
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

function lanesOf(parcels: readonly Parcel[]): Round {
  return [...Map.groupBy(parcels, ({ lane }) => lane).values()];
}

/** The delivery of an event. */
function parcelFrom(
  { id, type, customer, body: { event: fields } }: LifeEvent,
  number: number,
  { made = PLAIN, trick, mark }: {
    made: MadeUp | undefined;
    trick: Trick["what"] | undefined;
    mark: number;
  },
): Parcel {
  return { ...makeUp({ id, type, fields }, made, mark), trick, number, made, lane: customer };
}

/** Fields that no handler knows. */
const WITH_FIELDS: MadeUp = {
  signed: "right",
  fields: { a_new_field: { nested: [1] } },
  body: { another_new_field: 1 },
};

/** A type that no handler knows. */
const NEW_TYPE = "A_NEW_TYPE";

/** What is made of an event that is not simply delivered. */
function specialOf(what: Exclude<Trick["what"], Reordering>, { type }: LifeEvent): MadeUp {
  switch (what) {
    case "again":
      return PLAIN;
    case "unknown_type":
      return { signed: "right", type: NEW_TYPE };
    case "wrong_signature":
      return { signed: "wrong", type: forgedType(type) };
    case "old_signature":
      return { signed: "old", type: forgedType(type) };
  }
}

/** The type of a forged event: whoever believes it gives or takes access. */
function forgedType(type: string): string {
  return type === "EXPIRATION" ? "INITIAL_PURCHASE" : "EXPIRATION";
}
