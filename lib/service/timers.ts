/**
 * What the service does again and again, without being asked.
 *
 * @module
 */

import type { Clock } from "./time/clock.ts";
import type { Deliverer, Pruner } from "./events/mod.ts";
import { forgetAnswers } from "./http/idempotency.ts";
import type { ServerParts } from "./http/server.ts";
import { prune } from "./oauth/prune.ts";
import { plainly, type Store, type TextTx } from "./store/mod.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

/** Runs the periodic work. */
export function keepUp(
  parts: Pick<ServerParts, "store" | "clock" | "catchUp" | "report"> & {
    pruner: Pruner;
    deliverer: Deliverer;
  },
): ReturnType<typeof setInterval>[] {
  const { store, clock, catchUp, pruner, deliverer, report } = parts;
  const { others } = store;
  // Of several processes one does this at a time; when it dies, another one takes over.
  const once = (work: () => Promise<void>) => async () => {
    if (await others?.leads() ?? true) await work();
  };
  const pruneOnce = once(pruner.prune);
  // Nothing waits for this.
  pruneOnce().catch(report);
  return [
    repeat(HOUR_MS, once(() => tidy(store, clock)), report),
    repeat(SECOND_MS, once(catchUp.all), report),
    repeat(HOUR_MS, pruneOnce, report),
    repeat(MINUTE_MS, () => store.shrinkLog(), report),
    // Its own timer depends on the clock, which may have been set back.
    repeat(MINUTE_MS, async () => deliverer.wake(), report),
    ...others
      ? [
        // Whoever leads shows it also while its work takes long.
        repeat(SECOND_MS, async () => void await others.leads(), report),
        repeat(SECOND_MS, deliverer.freeDead, report),
      ]
      : [],
  ];
}

/**
 * Repeats something each `ms` milliseconds without keeping the process alive. What has not ended is not
 * begun again: while the database does not answer, nothing piles up. Errors go to `report`.
 */
export function repeat(
  ms: number,
  work: () => Promise<void>,
  report: (error: unknown) => void,
): ReturnType<typeof setInterval> {
  let isUnderWay = false;
  const timer = setInterval(async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    await work().catch(report);
    isUnderWay = false;
  }, ms);
  Deno.unrefTimer(timer);
  return timer;
}

/** Deletes expired rows. */
async function tidy(store: Store, clock: Clock): Promise<void> {
  await store.write(plainly((tx) => tidyIn(tx, clock())));
}

/** Deletes the rows that have expired by a time, in a transaction. */
export async function tidyIn(tx: TextTx, now: number): Promise<void> {
  await forgetAnswers(tx, now);
  await prune(tx, now);
}
