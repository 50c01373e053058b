/**
 * Random bytes for ids: the machine's, or those of a service's own source, so that the same
 * requests make the same ids. Tokens and signing secrets never use such a source.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** Returns so many bytes. */
export type RandomSource = (count: number) => Uint8Array;

/** The source of one service's ids. */
interface IdSource {
  /** Returns lower-case hexadecimal digits. */
  digits(count: number): string;
  /** The ascending ids of this source: their first digits, and the last number. */
  series?: { start: string; last: number };
  /** The present cluster: its first digits, the last ones of its next id, and its ids so far. */
  cluster?: { start: string; next: number; made: number };
  /** The ids of requests: their first digits, and the last number. */
  requests?: { start: string; last: number };
}

/**
 * Digits are generated in blocks of so many bytes, since many at once take little longer than a
 * few.
 */
const PIECE = 512;

const pinned = new AsyncLocalStorage<IdSource>();
const machine = sourceOf((count) => crypto.getRandomValues(new Uint8Array(count)));

/** Makes a source of ids from random bytes. */
export function sourceOf(bytes: RandomSource): IdSource {
  let pool = "";
  return {
    digits(count) {
      while (pool.length < count) pool += bytes(PIECE).toHex();
      const digits = pool.slice(0, count);
      pool = pool.slice(count);
      return digits;
    },
  };
}

/** Runs something with the ids of a source. */
export function withIds<T>(source: IdSource, run: () => T): T {
  return pinned.run(source, run);
}

/** The source of the running service. */
export function idSource(): IdSource {
  return pinned.getStore() ?? machine;
}

/** Generates the id of an event, a UUID of version 4. */
export function newUuid(): string {
  if (!pinned.getStore()) return crypto.randomUUID();
  const digits = idSource().digits(32);
  const variant = "89ab"[parseInt(digits.charAt(16), 16) % 4];
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ];
  return groups.join("-");
}
