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
) => V | Promise<V | undefined>;

/**
 * Makes a search that reads on the same snapshot share. Work that may change something searches alone.
 * What was found before is there at once.
 */
export function sharedSearch<V>(): SharedSearch<V> {
  const bySnapshot = new WeakMap<object, Map<string, V | Promise<V | undefined>>>();
  return ({ snapshot }, key, find) => {
    if (!snapshot) return find();
    let known = bySnapshot.get(snapshot);
    if (!known) bySnapshot.set(snapshot, known = new Map());
    return known.get(key) ?? searchOnce(known, key, find);
  };
}

/** Searches, and keeps what is found. */
async function searchOnce<V>(
  known: Map<string, V | Promise<V | undefined>>,
  key: string,
  find: () => Promise<V | undefined>,
): Promise<V | undefined> {
  const search = find();
  known.set(key, search);
  const value = await search;
  // Anybody can search for what does not exist, again and again.
  if (value === undefined) known.delete(key);
  else known.set(key, value);
  return value;
}
