/**
 * Rate limits that several processes count together. Each process counts its own requests, and
 * exchanges counts with the others between requests. Together they exceed a limit by the requests
 * that arrive before the next exchange.
 *
 * @module
 */

import { type Clock, type Later, systemLater } from "../time/clock.ts";
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

/** What a counter needs. */
interface Parts {
  /** The limits. */
  limits: RateLimits;
  /** Wall time, the same for all processes. */
  clock: Clock;
  /** The other processes. */
  others: Pick<Others, "exchange"> | undefined;
  /** The timer of the exchanges. Default: the machine's. */
  later?: Later | undefined;
}

/** Makes a counter: a shared one where there may be other processes. */
export function openRateCounter(parts: Parts): RateCounter {
  const { limits, clock, others, later = systemLater } = parts;
  return others ? shareCounts(limits, clock, others, later) : createRateCounter(limits, clock);
}

function shareCounts(
  limits: RateLimits,
  clock: Clock,
  others: Pick<Others, "exchange">,
  later: Later,
): RateCounter {
  let unsent = new Map<string, Counted>();
  let failed: { at: number; counts: Counted[] } = { at: 0, counts: [] };
  let callOff: (() => void) | undefined;
  let exchanging: Promise<void> | undefined;
  let stopped = false;
  const counter = createRateCounter(limits, clock, (key, slot) => {
    const place = `${slot} ${key}`;
    const [, , count] = unsent.get(place) ?? [key, slot, 0];
    unsent.set(place, [key, slot, count + 1]);
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
    if (callOff || exchanging || stopped) return;
    callOff = later(EXCHANGE_MS, () => {
      callOff = undefined;
      exchanging = exchange().finally(() => {
        exchanging = undefined;
        if (unsent.size > 0) schedule();
      });
    });
  };
  const stop = async () => {
    stopped = true;
    callOff?.();
    await exchanging;
    // The others still need these counts.
    if (unsent.size > 0) await exchange();
  };
  return {
    get callers() {
      return counter.callers;
    },
    count(caller, rate) {
      schedule();
      return counter.count(caller, rate);
    },
    add: counter.add,
    stop,
  };
}
