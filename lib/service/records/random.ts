/**
 * Random bytes for ids: the machine's own, or those of a source that a service was opened with, so
 * that the same requests make the same ids. Tokens and signing secrets never come from such a source.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";

/** Gives so many bytes. */
export type RandomSource = (count: number) => Uint8Array;

/** What one service's ids are made of. */
interface IdSource {
  /** Gives lower-case hexadecimal digits. */
  digits(count: number): string;
  /** The ids of this source that ascend: the digits they begin with, and the number of the last. */
  series?: { start: string; last: number };
  /** Where the ids of requests have got to: the digits they begin with, and the number of the last. */
  requests?: { start: string; last: number };
}

/** Digits are fetched in pieces of so many bytes: many at once cost little more than a few. */
const PIECE = 512;

const pinned = new AsyncLocalStorage<IdSource>();
const machine = sourceOf(randomBytes);

/** Makes a source of ids out of random bytes. */
export function sourceOf(bytes: RandomSource): IdSource {
  let pool = "";
  return {
    digits(count) {
      while (pool.length < count) pool += Buffer.from(bytes(PIECE)).toString("hex");
      const digits = pool.slice(0, count);
      pool = pool.slice(count);
      return digits;
    },
  };
}

/** Runs something whose ids come from a source. */
export function withIds<T>(source: IdSource, run: () => T): T {
  return pinned.run(source, run);
}

/** The source of the service that is at work. */
export function idSource(): IdSource {
  return pinned.getStore() ?? machine;
}

/** Makes up an id of an event, a UUID of version 4. */
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
