/**
 * Random lives of customers, and the ways in which their events may arrive.
 *
 * @module
 */

import type * as FastCheck from "fast-check";

/** What can happen to a customer. */
const MOVES = [
  "buy",
  "buy_trial",
  "buy_annual",
  "buy_sandbox",
  "renew",
  "cancel",
  "uncancel",
  "fail",
  "fail_without_grace",
  "recover",
  "refund",
  "reverse_refund",
  "change",
  "expire",
  "grant",
  "revoke",
  "transfer",
  "wait",
] as const;

/** Something that happens to a customer, if it can. */
export interface Move {
  /** What happens. */
  readonly what: typeof MOVES[number];
  /** To which of the two customers. */
  readonly who: 0 | 1;
}

/** The ways in which deliveries differ from one after the other, which the documents allow. */
const TRICKS = [
  "again",
  "unknown_type",
  "unknown_field",
  "wrong_signature",
  "old_signature",
] as const;

/** A delivery that is not simply the next one. */
export interface Trick {
  /** What is special about it. */
  readonly what: typeof TRICKS[number];
  /** After which delivery it comes, counted around the number of events. */
  readonly after: number;
  /** Which earlier event it is made of, counted around the number of those. */
  readonly of: number;
}

/** A life, and how it is told. */
export interface Life {
  /** What happens, in order. */
  readonly moves: readonly Move[];
  /** What is special about the deliveries. */
  readonly tricks: readonly Trick[];
}

/** The most moves and tricks of a life. */
const MOST_MOVES = 8;
const MOST_TRICKS = 4;

/** How lives are drawn and made smaller. */
export function lives(fc: typeof FastCheck): FastCheck.Arbitrary<Life> {
  const who = fc.constantFrom<0 | 1>(0, 1);
  const move = fc.record({ what: fc.constantFrom(...MOVES), who });
  // Without a purchase nothing can happen.
  const first = fc.record({ what: fc.constantFrom(...MOVES.slice(0, 4)), who });
  const trick = fc.record({
    what: fc.constantFrom(...TRICKS),
    after: fc.nat(20),
    of: fc.nat(20),
  });
  return fc.record({
    moves: fc.tuple(first, fc.array(move, { maxLength: MOST_MOVES })).map(([one, more]) => [
      one,
      ...more,
    ]),
    tricks: fc.array(trick, { maxLength: MOST_TRICKS }),
  });
}
