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
  "buy_android",
  "buy_coins",
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
  "pause",
  "resume",
  "share",
  "sign_in",
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
  "swapped",
  "pause",
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

/** What a life has that makes a fault show. */
export type Ingredient = Move["what"] | Trick["what"];

/** How lives are drawn and made smaller, without some ingredients. */
export function lives(
  fc: typeof FastCheck,
  without: ReadonlySet<Ingredient> = new Set(),
): FastCheck.Arbitrary<Life> {
  const who = fc.constantFrom<0 | 1>(0, 1);
  const moves = MOVES.filter((what) => what === "wait" || !without.has(what));
  const tricks = TRICKS.filter((what) => !without.has(what));
  const move = fc.record({ what: fc.constantFrom(...moves), who });
  // Without a purchase nothing can happen.
  const bought = moves.filter((what) => what.startsWith("buy"));
  const first = fc.record({ what: fc.constantFrom(...bought.length > 0 ? bought : moves), who });
  const trick = fc.record({
    what: fc.constantFrom(...tricks.length > 0 ? tricks : TRICKS),
    after: fc.nat(20),
    of: fc.nat(20),
  });
  return fc.record({
    moves: fc.tuple(first, fc.array(move, { maxLength: MOST_MOVES })).map(([one, more]) => [
      one,
      ...more,
    ]),
    tricks: fc.array(trick, { maxLength: tricks.length > 0 ? MOST_TRICKS : 0 }),
  });
}
