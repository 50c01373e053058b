/**
 * How many units of work share a commit: the figures that show whether group commit works.
 *
 * @module
 */

/** Upper bounds of the ranges of sizes. */
export const COMMIT_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128] as const;

/** The sizes of all commits so far. */
export interface CommitSizes {
  /** The number of commits in each range; the last range has no upper bound. */
  ranges: readonly number[];
  /** The number of units of work in all commits. */
  sum: number;
}

/** Counts commits. */
interface CommitCounter {
  /** Notes a commit with so many units of work; one without any changed nothing. */
  note(units: number): void;
  /** The sizes so far. */
  sizes(): CommitSizes;
}

/** Makes a counter of commits. */
export function createCommitCounter(): CommitCounter {
  const ranges = new Array<number>(COMMIT_BOUNDS.length + 1).fill(0);
  let sum = 0;
  return {
    note(units) {
      if (units === 0) return;
      const found = COMMIT_BOUNDS.findIndex((bound) => units <= bound);
      const at = found < 0 ? COMMIT_BOUNDS.length : found;
      ranges[at] = (ranges[at] ?? 0) + 1;
      sum += units;
    },
    sizes: () => ({ ranges: [...ranges], sum }),
  };
}
