/**
 * Chance that is the same each time: numbers that follow from a key. Each decision in a life has a key
 * of its own, so that lives do not depend on the order in which they are played.
 *
 * @module
 */

/** A source of chance. */
export interface Chance {
  /** A number from 0 up to 1, without 1. */
  next(): number;
  /** True with a probability from 0 to 1. */
  happens(probability: number): boolean;
  /** A number from one up to another. */
  between(from: number, to: number): number;
  /** One of some choices, by their weights. */
  pick<T>(choices: readonly (readonly [choice: T, weight: number])[]): T;
}

/** Makes the chance of a key. */
export function chanceOf(key: number): Chance {
  let state = key >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    happens: (probability) => next() < probability,
    between: (from, to) => from + next() * (to - from),
    pick(choices) {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [choice, weight] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      const last = choices.at(-1);
      if (!last) throw new RangeError("There is nothing to choose from");
      return last[0];
    },
  };
}

/** The key of a part of something that has a key. */
export function partOf(key: number, part: number): number {
  let mixed = Math.imul(key ^ Math.imul(part + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The key of a seed. */
export function keyOf(seed: number): number {
  return partOf(partOf(seed >>> 0, Math.floor(seed / 2 ** 32)), 0x5eed);
}
