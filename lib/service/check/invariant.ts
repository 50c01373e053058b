/**
 * What an invariant is: something that holds of the rows of every database, whatever has happened.
 *
 * @module
 */

import { runText } from "../store/fixed.ts";
import type { Tx } from "../store/queries.ts";

/** A row that breaks an invariant: its key, and the values that do not fit. Never a secret. */
export type Violation = Readonly<Record<string, unknown>>;

/** A database that is looked at, as of one moment. */
export interface Moment {
  /** Its queries. */
  tx: Tx;
  /** The wall time, in milliseconds since 1970. */
  now: number;
  /**
   * Whether all that is due by now has been done. A service that runs needs a moment for that, and one
   * that was stopped does it at its next start.
   */
  settled: boolean;
}

/** Something that holds of the rows of every database. */
export interface Invariant {
  /** Its name. */
  name: string;
  /** What holds, as a sentence. */
  says: string;
  /** The rows that break it: one more than are shown at most. */
  find(moment: Moment): Promise<readonly Violation[]>;
}

/** The most rows that are shown for an invariant. */
export const MOST_SHOWN = 10;

/** One more than are shown, to see that there are more. */
export const MOST_FOUND = MOST_SHOWN + 1;

/** An invariant whose violations a query finds. */
export function bySql(
  name: string,
  says: string,
  query: string,
  values: (moment: Moment) => readonly unknown[] = () => [],
): Invariant {
  return {
    name,
    says,
    find: (moment) => rowsOf(moment, `${query} limit ${MOST_FOUND}`, values(moment)),
  };
}

/** Runs a query that is written out. */
export async function rowsOf<R = Violation>(
  { tx }: Moment,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  // All projects: an invariant holds of each row.
  return (await runText<R>(tx, text, values)).rows;
}
