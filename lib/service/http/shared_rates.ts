/**
 * Rate limits that several processes count together. Each process counts its own requests, and
 * exchanges counts with the others between requests. Together they exceed a limit by the requests
 * that arrive before the next exchange.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
import type { Others } from "../store/mod.ts";
import { createRateCounter, type RateCounter, type RateLimits } from "./rates.ts";

/**
 * The time from a count to the exchange, in milliseconds. Another process has the count after its own
 * next exchange, so it takes twice as long at most: less than half a second.
 */
const EXCHANGE_MS = 200;

/** The age at which counts no longer matter, in milliseconds. */
const STALE_MS = 60_000;

/** Counted requests: the caller and class, the slot of time, and their number. */
type Counted = [key: string, slot: number, count: number];

/** The parts of shared counting. */
interface Parts {
  /** The limits. */
  limits: RateLimits;
  /** Wall time, the same for all processes. */
  clock: Clock;
  /** The other processes. */
  others: Others | undefined;
}

/** Makes a counter: a shared one where there may be other processes. */
export function openRateCounter({ limits, clock, others }: Parts): RateCounter {
  return others ? shareCounts(limits, clock, others) : createRateCounter(limits, clock);
}

function shareCounts(limits: RateLimits, clock: Clock, others: Others): RateCounter {
  let unsent = new Map<string, Counted>();
  let failed: { at: number; counts: Counted[] } = { at: 0, counts: [] };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let exchanging: Promise<void> | undefined;
  let stopped = false;
  const counter = createRateCounter(limits, clock, (key, slot) => {
    const place = `${slot} ${key}`;
    const counted = unsent.get(place);
    if (counted) counted[2]++;
    else unsent.set(place, [key, slot, 1]);
  });
  const exchange = async () => {
    const fresh = clock() - failed.at < STALE_MS ? failed.counts : [];
    const counts = [...fresh, ...unsent.values()];
    const began = fresh.length > 0 ? failed.at : clock();
    unsent = new Map();
    failed = { at: 0, counts: [] };
    try {
      const notes = await others.exchange(counts.length > 0 ? JSON.stringify(counts) : undefined);
      for (const note of notes) {
        const theirs: Counted[] = JSON.parse(note);
        theirs.forEach(([key, slot, count]) => counter.add(key, slot, count));
      }
    } catch {
      // Without the database each process counts for itself. The others get these counts later.
      failed = { at: began, counts };
    }
  };
  const schedule = () => {
    if (timer !== undefined || exchanging || stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      exchanging = exchange().finally(() => {
        exchanging = undefined;
        if (unsent.size > 0) schedule();
      });
    }, EXCHANGE_MS);
    Deno.unrefTimer(timer);
  };
  return {
    ...counter,
    get callers() {
      return counter.callers;
    },
    count(caller, rate) {
      schedule();
      return counter.count(caller, rate);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await exchanging;
      // The others still need these counts.
      if (unsent.size > 0) await exchange();
    },
  };
}
