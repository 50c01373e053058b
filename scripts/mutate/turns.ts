/**
 * Work that is done in several copies of the tree at once.
 *
 * @module
 */

import type { Fault } from "./places.ts";

/**
 * Hands out faults until `max` of them have counted. Whether one counts is known when it is done, so
 * no more are handed out than may still count. Then they are the same ones, however many run at once.
 */
export function takeCounted(faults: readonly Fault[], max: number): {
  /** The faults. */
  faults: AsyncGenerator<Fault, void, undefined>;
  /** Says that one of them is done, and whether it counts. */
  done(counts: boolean): void;
} {
  let [counted, underWay] = [0, 0];
  let ended = Promise.withResolvers<void>();
  return {
    faults: async function* () {
      for (const fault of faults) {
        while (counted + underWay >= max && underWay > 0) await ended.promise;
        if (counted >= max) return;
        underWay++;
        yield fault;
      }
    }(),
    done(counts) {
      underWay--;
      if (counts) counted++;
      ended.resolve();
      ended = Promise.withResolvers();
    },
  };
}

/** Every place takes the next item after finishing one. Ends at the first failure. */
export async function inTurns<T, P>(
  items: Iterable<T> | AsyncGenerator<T, void, undefined>,
  places: readonly P[],
  work: (item: T, place: P) => Promise<void>,
): Promise<void> {
  const rest = Symbol.asyncIterator in items
    ? items
    : async function* (): AsyncGenerator<T, void, undefined> {
      yield* items;
    }();
  let failed = false;
  const turns = places.map(async (place) => {
    try {
      // A generator yields each item once, for all places.
      for (let next = await rest.next(); !next.done && !failed; next = await rest.next()) {
        await work(next.value, place);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  const results = await Promise.allSettled(turns);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
