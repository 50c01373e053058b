/**
 * Deliveries made of an event, and what is wrong with the answers to them.
 *
 * @module
 */

import type { Json } from "../values/tree.ts";

/** How a delivery is signed: as it must be, with another secret, or an hour ago. */
export type Signed = "right" | "wrong" | "old";

/** How a delivery differs from that of an event. */
export interface MadeUp {
  /** How it is signed. */
  readonly signed: Signed;
  /** Another type. The delivery then has an id of its own. */
  readonly type?: string | undefined;
  /** Fields that are added to the event. */
  readonly fields?: Fields | undefined;
  /** Fields that are added to the body, beside the event. */
  readonly body?: Fields | undefined;
}

/** A delivery without difference. */
export const PLAIN: MadeUp = { signed: "right" };

/** What is delivered. */
interface Made {
  /** The id of the event. */
  readonly id: string;
  /** The type of the event. */
  readonly type: string;
  /** The body, as text. */
  readonly body: string;
}

/** Makes a delivery of an event. `number` is another one for each delivery of a story. */
export function makeUp(
  event: { readonly id: string; readonly type: string; readonly fields: Fields },
  { type = event.type, fields, body }: MadeUp,
  number: number,
): Made {
  const id = type === event.type ? event.id : event.id.slice(0, -4) + hexOf(number);
  const sent = { ...event.fields, ...fields, id, type };
  return { id, type, body: JSON.stringify({ api_version: "1.0", event: sent, ...body }) };
}

type Fields = Readonly<Record<string, Json>>;

/** The last digits of an id that no event has. */
function hexOf(number: number): string {
  return (0xf000 + number % 0x1000).toString(16);
}

/** How long a handler may take for an answer, in milliseconds. */
export const SLOW_MS = 10_000;

/** What is wrong with an answer. */
export interface AnswerFault {
  /** The kind of fault. */
  readonly kind: "status" | "forged" | "slow";
  /** What is wrong, as a sentence that begins with "the handler". */
  readonly message: string;
}

/** The answer to a delivery. */
interface Taken {
  /** Its status; 0 without one. */
  readonly status: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Why there was no connection, with the address; absent if there was one. */
  readonly unreached?: string | undefined;
}

/** What is wrong with the answer to a delivery, if anything. */
export function faultOf(
  { status, ms, unreached }: Taken,
  { what, signed }: { readonly what: string; readonly signed: Signed },
): AnswerFault | undefined {
  if (signed !== "right") {
    if (status < 200 || status >= 300) return undefined;
    const why = signed === "wrong" ? "a wrong signature" : "a signature of an hour ago";
    return { kind: "forged", message: `the handler accepted ${what} with ${why}` };
  }
  if (status !== 200) {
    const answer = status === 0 ? "did not answer" : `answered ${status} to`;
    const why = unreached === undefined ? "" : ` (${unreached})`;
    return { kind: "status", message: `the handler ${answer} ${what}${why}; it must answer 200` };
  }
  if (ms <= SLOW_MS) return undefined;
  const told = `the handler took ${Math.round(ms)} ms for ${what}`;
  return { kind: "slow", message: `${told}; at most ${SLOW_MS} are allowed` };
}
