/**
 * The other processes on a database, for a process that is alone on it.
 *
 * @module
 */

import type { Others } from "../../lib/service/store/mod.ts";

/** What a process with a name sees: it leads, and all that ever used the database are alive. */
export function othersOf(holder: string): Others {
  return {
    holder,
    tell() {},
    agree: () => Promise.resolve(),
    hear: () => () => {},
    exchange: () => Promise.resolve([]),
    leads: () => Promise.resolve(true),
    skew: () => 0,
    alive: (_, holders) => Promise.resolve(new Set(holders)),
  };
}
