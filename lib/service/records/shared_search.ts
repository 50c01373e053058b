/**
 * What several reads of one state of the database need: it is looked up once for all of them.
 *
 * @module
 */

import type { Tx } from "../store/mod.ts";

/** Looks something up, or waits for somebody who is doing so on the same snapshot. */
type SharedSearch<V> = (
  tx: Tx,
  key: string,
  find: () => Promise<V | undefined>,
) => Promise<V | undefined>;

/** Makes a search that reads on the same snapshot share. Work that may change something searches alone. */
export function sharedSearch<V>(): SharedSearch<V> {
  const bySnapshot = new WeakMap<object, Map<string, Promise<V | undefined>>>();
  return async ({ snapshot }, key, find) => {
    if (!snapshot) return await find();
    const known = bySnapshot.get(snapshot) ?? new Map<string, Promise<V | undefined>>();
    bySnapshot.set(snapshot, known);
    const present = known.get(key);
    if (present) return await present;
    const search = find();
    known.set(key, search);
    const value = await search;
    // Anybody can search for what does not exist, again and again.
    if (value === undefined) known.delete(key);
    return value;
  };
}
