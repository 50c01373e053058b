/**
 * What transactions have written of events, so that those who wait for it hear of it.
 *
 * @module
 */

import type { Tx } from "../store/mod.ts";

/** Transactions that queued deliveries. */
const busy = new WeakSet<Tx>();

/** Transactions that wrote events, with or without receivers. */
const telling = new WeakSet<Tx>();

/** Notes that a transaction writes events. */
export function markEvents(tx: Tx): void {
  telling.add(tx);
}

/** Notes that a transaction queues deliveries. */
export function markQueued(tx: Tx): void {
  busy.add(tx);
}

/** Whether a transaction has written events. */
export function hasEvents(tx: Tx): boolean {
  return telling.has(tx);
}

/** Whether a transaction has queued deliveries. */
export function hasQueued(tx: Tx): boolean {
  return busy.has(tx);
}
