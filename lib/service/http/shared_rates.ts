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

/** Counts that the other processes do not have yet. */
interface Unsent {
  /** When the first try to tell them failed, or when they were taken: wall time. */
  since: number;
  /** The counts. */
  counts: readonly Counted[];
}

/** Collects counts for the other processes. */
function collectCounts(clock: Clock) {
  let fresh = new Map<string, Counted>();
  let failed: Unsent = { since: 0, counts: [] };
  return {
    isEmpty: () => fresh.size === 0,
    add(key: string, slot: number): void {
      const place = `${slot} ${key}`;
      const [, , count] = fresh.get(place) ?? [key, slot, 0];
      fresh.set(place, [key, slot, count + 1]);
    },
    /** Takes all that still matter. */
    take(): Unsent {
      const { since, counts: kept } = failed;
      const counts = [...fresh.values()];
      fresh = new Map();
      failed = { since: 0, counts: [] };
      return kept.length > 0 && clock() - since < STALE_MS
        ? { since, counts: [...kept, ...counts] }
        : { since: clock(), counts };
    },
    /** Takes back what could not be told. */
    keep: (counts: Unsent) => void (failed = counts),
  };
}

function shareCounts(
  limits: RateLimits,
  clock: Clock,
  others: Pick<Others, "exchange">,
  later: Later,
): RateCounter {
  const unsent = collectCounts(clock);
  let callOff: (() => void) | undefined;
  let exchanging: Promise<void> | undefined;
  let stopped = false;
  const counter = createRateCounter(limits, clock, unsent.add);
  const exchange = async () => {
    const taken = unsent.take();
    const { counts } = taken;
    try {
      const notes = await others.exchange(counts.length > 0 ? JSON.stringify(counts) : undefined);
      for (const note of notes) {
        const theirs: Counted[] = JSON.parse(note);
        theirs.forEach(([key, slot, count]) => counter.add(key, slot, count));
      }
    } catch {
      // Without the database each process counts for itself. The others get these counts later.
      unsent.keep(taken);
    }
  };
  const schedule = () => {
    if (callOff || exchanging || stopped) return;
    callOff = later(EXCHANGE_MS, () => {
      callOff = undefined;
      exchanging = exchange().finally(() => {
        exchanging = undefined;
        if (!unsent.isEmpty()) schedule();
      });
    });
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
    async stop() {
      stopped = true;
      callOff?.();
      await exchanging;
      // The others still need these counts.
      if (!unsent.isEmpty()) await exchange();
    },
  };
}
