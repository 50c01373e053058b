/**
 * Delivering the events of a life to the handler in every way that the documents allow, and comparing
 * the handler's state with the truth.
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
}

/** How the handler took a delivery. */
export interface Taken {
  /** The status of its answer; 0 when there was none. */
  readonly status: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** The handler under test. */
export interface Handler {
  /** Makes a delivery. `signed` says how: as it must be, with another secret, or an hour ago. */
  deliver(parcel: Parcel, signed: "right" | "wrong" | "old"): Promise<Taken>;
  /** Whether the handler says that a customer has access; undefined when it does not say. */
  state(customer: string): Promise<boolean | undefined>;
  /** Waits so many milliseconds. */
  pause(ms: number): Promise<void>;
}

/** What is wrong with a handler. */
export interface Complaint {
  /** The kind of fault, the same for the same one. */
  readonly kind: "status" | "forged" | "slow" | "state";
  /** What is wrong, as one sentence. */
  readonly message: string;
  /** The deliveries until then. */
  readonly parcels: readonly Parcel[];
  /** The customer whose access is wrong, if it is that. */
  readonly customer?: string | undefined;
  /** Whether the customer should have access. */
  readonly expected?: boolean | undefined;
}

/** What was tried: how often each type of event met each situation. */
export type Coverage = Map<string, Map<string, number>>;

/** How long a handler may take for an answer, in milliseconds. */
const SLOW_MS = 10_000;

/** How long a handler may take to get to its state, in milliseconds, and how often it is asked. */
const STATE_WAITS_MS = [0, 10, 30, 100, 300, 600];

/** The deliveries of a life, in order. */
function parcelsOf({ events, customers }: Played, tricks: readonly Trick[]): Parcel[] {
  const parcels: Parcel[] = [];
  const count = Math.max(1, events.length);
  events.forEach((event, i) => {
    const here = tricks.filter(({ after }) => after % count === i);
    const field = here.some(({ what }) => what === "unknown_field");
    parcels.push(parcelOf(event, field));
    for (const trick of here) {
      const earlier = events[trick.of % (i + 1)] ?? event;
      if (trick.what !== "unknown_field") parcels.push(special(trick.what, earlier, customers, i));
    }
  });
  return parcels;
}

function parcelOf({ id, type, body }: LifeEvent, field: boolean): Parcel {
  const sent = field
    ? { ...body, event: { ...body.event, a_new_field: { nested: [1] } }, another_new_field: 1 }
    : body;
  const trick = field ? "unknown_field" : undefined;
  return { id, type, body: JSON.stringify(sent), trick };
}

/** A delivery that is not simply an event. */
function special(
  what: Exclude<Trick["what"], "unknown_field">,
  event: LifeEvent,
  customers: readonly string[],
  number: number,
): Parcel {
  if (what === "again") return { ...parcelOf(event, false), trick: what };
  const id = `${event.id.slice(0, -4)}${String(number).padStart(2, "0")}ff`;
  if (what === "unknown_type") {
    const made = { type: "A_NEW_TYPE", id, app_user_id: customers[0] ?? "", event_timestamp_ms: 0 };
    return { id, type: "A_NEW_TYPE", body: JSON.stringify({ event: made }), trick: what };
  }
  // Whoever believes it gives or takes access.
  const type = event.type === "EXPIRATION" ? "INITIAL_PURCHASE" : "EXPIRATION";
  const forged: { [field: string]: Json } = { ...event.body.event, id, type };
  return { id, type, body: JSON.stringify({ ...event.body, event: forged }), trick: what };
}

/** Tells a handler a life, and compares. Returns what is wrong first, if anything. */
export async function tryHandler(
  handler: Handler,
  played: Played,
  { tricks, entitlement, coverage }: {
    tricks: readonly Trick[];
    entitlement: string;
    coverage: Coverage;
  },
): Promise<Complaint | undefined> {
  const parcels = parcelsOf(played, tricks);
  for (const [i, parcel] of parcels.entries()) {
    const { trick, type } = parcel;
    const signed = trick === "wrong_signature"
      ? "wrong"
      : trick === "old_signature"
      ? "old"
      : "right";
    const taken = await handler.deliver(parcel, signed);
    note(coverage, type, trick ?? "once");
    const complaint = judge(parcel, taken, parcels.slice(0, i + 1));
    if (complaint) return complaint;
  }
  for (const [customer, entitlements] of played.truth) {
    const expected = entitlements.includes(entitlement);
    const actual = await stateOf(handler, customer, expected);
    if (actual === expected) continue;
    return {
      kind: "state",
      message: actual === undefined
        ? `the handler does not say whether ${customer} has access`
        : `${customer} ${actual ? "has" : "has no"} access at the handler, and ${
          expected ? "must have it" : "must not have it"
        }`,
      parcels,
      customer,
      expected,
    };
  }
  return undefined;
}

/** The state of a customer. A handler that answers first and works later is given time. */
async function stateOf(
  handler: Handler,
  customer: string,
  expected: boolean,
): Promise<boolean | undefined> {
  let state: boolean | undefined;
  for (const wait of STATE_WAITS_MS) {
    if (wait > 0) await handler.pause(wait);
    state = await handler.state(customer);
    // Nobody who has no access must be known.
    if (state === expected || state === undefined && !expected) return expected;
  }
  return state;
}

/** What is wrong with the answer to a delivery, if anything. */
function judge(
  { trick, type }: Parcel,
  { status, ms }: Taken,
  parcels: readonly Parcel[],
): Complaint | undefined {
  const forged = trick === "wrong_signature" || trick === "old_signature";
  if (forged && status >= 200 && status < 300) {
    const why = trick === "wrong_signature" ? "a wrong signature" : "a signature of an hour ago";
    return { kind: "forged", message: `the handler accepted ${type} with ${why}`, parcels };
  }
  if (!forged && status !== 200) {
    const what = trick === "again" ? `${type}, delivered again` : type;
    const answer = status === 0 ? "did not answer" : `answered ${status} to`;
    return {
      kind: "status",
      message: `the handler ${answer} ${what}; it must answer 200`,
      parcels,
    };
  }
  if (ms <= SLOW_MS) return undefined;
  return { kind: "slow", message: `the handler took ${Math.round(ms)} ms for ${type}`, parcels };
}

function note(coverage: Coverage, type: string, situation: string): void {
  const row = coverage.get(type) ?? new Map<string, number>();
  row.set(situation, (row.get(situation) ?? 0) + 1);
  coverage.set(type, row);
}
