/**
 * Which faults are tried, and in which order: the same for the same seed.
 *
 * @module
 */

import type { Fault } from "./places.ts";

/** Returns numbers from 0 to below 1, the same for the same seed: "mulberry32". */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Faults in random order. The more there are of a kind, the more often it comes, but only by the
 * square root of their number: otherwise most faults would be missing fields and texts.
 */
export function inRandomOrder(faults: readonly Fault[], random: () => number): Fault[] {
  const kinds = [...Map.groupBy(faults, ({ kind }) => kind).values()].map((ofKind) =>
    shuffled(ofKind, random)
  );
  return faults.map(() => {
    const weights = kinds.map(({ length }) => Math.sqrt(length));
    let at = random() * weights.reduce((sum, weight) => sum + weight, 0);
    const drawn = weights.findIndex((weight) => weight > 0 && (at -= weight) < 0);
    const last = kinds.findLast(({ length }) => length > 0);
    const fault = (kinds[drawn] ?? last)?.pop();
    if (fault === undefined) throw new RangeError("Cannot draw a fault: none is left");
    return fault;
  });
}

/** A copy in random order. */
function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const drawn = list.map((item) => ({ item, at: random() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** The room that a file is in: a folder of lib/, or one of lib/service/. */
export function roomOf(file: string): string {
  const [top = "", first = "", second = ""] = file.split("/").slice(0, -1);
  if (top !== "lib") return top || "entry";
  if (first === "") return "lib";
  return first === "service" ? second || "service" : first;
}
