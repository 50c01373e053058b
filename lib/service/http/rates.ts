/**
 * Rate limits: requests per minute, counted for each caller and class of routes.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
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

/** The slots that a minute touches: one more than it has, as it begins and ends inside of slots. */
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
  /** Adds requests that another process counted in a slot of time. */
  add(key: string, slot: number, count: number): void;
  /** Ends its exchange with other processes, if there are any. */
  stop(): Promise<void>;
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

/**
 * Makes a counter over a sliding minute of wall time.
 *
 * @param counted Called for each counted request, with its slot of time.
 */
export function createRateCounter(
  limits: RateLimits,
  clock: Clock,
  counted?: (key: string, slot: number) => void,
): RateCounter {
  const used = new Map<string, Usage>();
  let swept = 0;
  const usageAt = (key: string, now: number): Usage => {
    const usage = used.get(key) ?? { slots: new Uint32Array(SLOTS), newest: 0, total: 0 };
    used.set(key, usage);
    moveTo(usage, Math.floor(now / SLOT_MS));
    return usage;
  };
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
      const usage = usageAt(key, now);
      const limit = limits[rate];
      const isOver = usage.total >= limit;
      if (!isOver) {
        add(usage, usage.newest, 1);
        counted?.(key, usage.newest);
      }
      const headers = {
        "Service-Rate-Limit-Current-Usage": String(usage.total),
        "Service-Rate-Limit-Current-Limit": String(limit),
      };
      if (!isOver) return headers;
      const seconds = Math.ceil((freeAt(usage, limit) - now) / 1000);
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
    add: (key, slot, count) => add(usageAt(key, clock()), slot, count),
    stop: async () => {},
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

/** Counts requests in a slot, unless that is over. Clocks may differ by a few milliseconds. */
function add(usage: Usage, slot: number, count: number): void {
  const { slots, newest } = usage;
  const at = Math.min(slot, newest);
  if (at <= newest - SLOTS) return;
  slots[at % SLOTS] = (slots[at % SLOTS] ?? 0) + count;
  usage.total += count;
}

/** The time when so many of the oldest requests no longer count that another one may come. */
function freeAt({ slots, newest, total }: Usage, limit: number): number {
  let oldest = newest - SLOTS + 1;
  let left = total - (slots[oldest % SLOTS] ?? 0);
  while (oldest < newest && left >= limit) left -= slots[++oldest % SLOTS] ?? 0;
  return (oldest + SLOTS) * SLOT_MS;
}
