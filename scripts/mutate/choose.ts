/**
 * Which faults of each room are tried: as many as are counted, those between them that the types
 * refuse, and a few more.
 *
 * @module
 */

import type { Copy } from "./copies.ts";
import type { Fault } from "./places.ts";
import { refusedByTypes } from "./types.ts";

/** The most faults of a room whose types are checked in one run. */
const TYPES_AT_ONCE = 100;

/** Faults in place of those that turn out to be refused by the types of other files. */
const SPARE = 5;

/** The faults to try. */
export interface Choice {
  /** Those of each room, in their order. */
  readonly rooms: ReadonlyMap<string, readonly Fault[]>;
  /** Whether the type checker refuses a fault in its own file. */
  readonly refused: ReadonlyMap<Fault, boolean>;
}

/** Chooses faults of each room, so that `max` of them can be counted. */
export async function chooseFaults(
  rooms: ReadonlyMap<string, readonly Fault[]>,
  copy: Copy,
  max: number,
): Promise<Choice> {
  const refused = new Map<Fault, boolean>();
  const chosen = new Map([...rooms.keys()].map((room): [string, Fault[]] => [room, []]));
  for (;;) {
    // One check of many rooms takes hardly longer than that of one.
    const next = [...chosen].flatMap(([room, so]) => {
      const missing = max + SPARE - so.filter((fault) => !refused.get(fault)).length;
      // Types refuse a third or more.
      const size = Math.min(TYPES_AT_ONCE, Math.ceil(1.7 * missing));
      const more = size > 0 ? rooms.get(room)?.slice(so.length, so.length + size) ?? [] : [];
      so.push(...more);
      return more;
    });
    if (next.length === 0) return { rooms: chosen, refused };
    const found = await refusedByTypes(next, copy);
    for (const fault of next) refused.set(fault, found.has(fault));
  }
}
