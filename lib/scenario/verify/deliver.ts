/**
 * Delivering the events of a life to the handler in every way that the documents allow, and comparing
 * the handler's state with the truth.
 *
 * @module
 */

import { type AnswerFault, faultOf, type Signed } from "../deeds/made_up.ts";
import type { Posted } from "../run/stage.ts";
import type { Trick } from "./life.ts";
import { NAMES, type Played } from "./play.ts";
import { type Parcel, roundsOf } from "./rounds.ts";

/** The handler under test. */
export interface Handler {
  /** Makes a delivery. `signed` says how: as it must be, with another secret, or an hour ago. */
  deliver(parcel: Parcel, signed: Signed): Promise<Posted>;
  /** Whether the handler says that a customer has access; undefined when it does not say. */
  state(customer: string): Promise<boolean | undefined>;
  /** Waits so many milliseconds. */
  pause(ms: number): Promise<void>;
}

/** What is wrong with a handler. */
export interface Complaint {
  /** The kind of fault, the same for the same one. */
  readonly kind: AnswerFault["kind"] | "state";
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

/** How long a handler may take to get to its state, in milliseconds, and how often it is asked. */
const STATE_WAITS_MS = [0, 10, 30, 100, 300, 600];

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
  const parcels: Parcel[] = [];
  for (const lanes of roundsOf(played, tricks)) {
    // Nothing is promised about the order of different customers: theirs arrive side by side.
    const complaints = await Promise.all(lanes.map(async (lane) => {
      for (const parcel of lane) {
        parcels.push(parcel);
        note(coverage, parcel.type, parcel.trick ?? "once");
        const { type, trick, made: { signed } } = parcel;
        const taken = await handler.deliver(parcel, signed);
        const what = trick === "again" ? `${type}, delivered again` : type;
        const fault = faultOf(taken, { what, signed });
        if (fault) return { ...fault, parcels: [...parcels] };
      }
      return undefined;
    }));
    const complaint = complaints.find((one) => one !== undefined);
    if (complaint) return complaint;
  }
  return await compareStates(handler, played, entitlement, parcels);
}

/** Compares the handler's state with the truth, under the ids that events told. */
async function compareStates(
  handler: Handler,
  { customers, told, truth }: Played,
  entitlement: string,
  parcels: readonly Parcel[],
): Promise<Complaint | undefined> {
  for (const [i, customer] of customers.entries()) {
    const expected = truth.get(customer)?.includes(entitlement) === true;
    const actual = await stateOf(handler, told[i] ?? customer, expected);
    if (actual === expected) continue;
    const name = NAMES[i] ?? customer;
    return {
      kind: "state",
      message: actual === undefined
        ? `the handler does not say whether ${name} has access`
        : `${name} ${actual ? "has" : "has no"} access at the handler, and ${
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
    // The handler need not know a customer without access.
    if (state === expected || state === undefined && !expected) return expected;
  }
  return state;
}

function note(coverage: Coverage, type: string, situation: string): void {
  const row = coverage.get(type) ?? new Map<string, number>();
  row.set(situation, (row.get(situation) ?? 0) + 1);
  coverage.set(type, row);
}
