/**
 * Rate limits: requests per minute, counted for each caller and class of routes.
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import { Refusal } from "../contract/errors.ts";
import type { RateClass } from "../contract/route.ts";

/** Requests per minute of one caller, by class. */
export type RateLimits = Readonly<Record<RateClass, number>>;

/** The public service's numbers. */
export const PUBLIC_LIMITS: RateLimits = { customers: 480, configuration: 60, charts: 15 };

/** Limits for a laptop: counted and reported, but too high to stop a script. */
export const LOCAL_LIMITS: RateLimits = {
  customers: 1_000_000,
  configuration: 1_000_000,
  charts: 1_000_000,
};

/** The window of the limits. */
const WINDOW_MS = 60_000;

/** The resolution of the window. */
const SLOT_MS = 250;

/** The slots that a minute touches: one more than fit, since it begins and ends inside of slots. */
const SLOTS = WINDOW_MS / SLOT_MS + 1;

/** Counts requests. */
export interface RateCounter {
  /** The number of counters in memory: one for each caller and class of the last two minutes. */
  readonly callers: number;
  /**
   * Counts one request and returns the headers that report it.
   *
   * @throws {Refusal} 429 over the limit of a minute.
   */
  count(caller: string, rate: RateClass): Record<string, string>;
}

/** The requests of one caller in the last minute, by slot of time. */
interface Usage {
  /** A ring: slot number modulo its length. */
  readonly slots: Uint32Array;
  /** The newest slot. */
  newest: number;
  /** The sum of all slots. */
  total: number;
}

/** Makes a counter over a sliding minute of wall time. */
export function createRateCounter(limits: RateLimits, clock: Clock): RateCounter {
  const used = new Map<string, Usage>();
  let swept = 0;
  return {
    get callers() {
      return used.size;
    },
    count(caller, rate) {
      const now = clock();
      // Only callers of the last minutes take memory.
      if (now - swept >= WINDOW_MS) {
        for (const [key, { newest }] of used) {
          if ((newest + SLOTS) * SLOT_MS <= now) used.delete(key);
        }
        swept = now;
      }
      const key = `${rate} ${caller}`;
      const usage = used.get(key) ?? { slots: new Uint32Array(SLOTS), newest: 0, total: 0 };
      used.set(key, usage);
      moveTo(usage, Math.floor(now / SLOT_MS));
      const limit = limits[rate];
      const isOver = usage.total >= limit;
      if (!isOver) add(usage);
      const headers = {
        "Service-Rate-Limit-Current-Usage": String(usage.total),
        "Service-Rate-Limit-Current-Limit": String(limit),
      };
      if (!isOver) return headers;
      const seconds = Math.ceil((freeAt(usage) - now) / 1000);
      throw new Refusal(
        429,
        "rate_limit_error",
        `More than ${limit} ${limit === 1 ? "request" : "requests"} in one minute`,
        {
          backoff_ms: seconds * 1000,
          headers: { ...headers, "Retry-After": String(seconds) },
        },
      );
    },
  };
}

/** Drops requests older than a minute. If the clock was set back, it stands still. */
function moveTo(usage: Usage, slot: number): void {
  if (slot - usage.newest >= SLOTS) {
    usage.slots.fill(0);
    usage.total = 0;
    usage.newest = slot;
  }
  while (usage.newest < slot) {
    const place = ++usage.newest % SLOTS;
    usage.total -= usage.slots[place] ?? 0;
    usage.slots[place] = 0;
  }
}

/** Counts a request in the newest slot. */
function add(usage: Usage): void {
  const place = usage.newest % SLOTS;
  usage.slots[place] = (usage.slots[place] ?? 0) + 1;
  usage.total++;
}

/** The time when the oldest requests no longer count. */
function freeAt({ slots, newest }: Usage): number {
  let oldest = newest - SLOTS + 1;
  while (oldest < newest && slots[oldest % SLOTS] === 0) oldest++;
  return (oldest + SLOTS) * SLOT_MS;
}
