/**
 * Rate limits: requests per minute, counted for each caller and class of routes.
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import { Refusal } from "../contract/errors.ts";
import type { RateClass } from "../contract/route.ts";

/** Requests per minute that each class allows one caller. */
export type RateLimits = Readonly<Record<RateClass, number>>;

/** The public service's numbers. */
export const PUBLIC_LIMITS: RateLimits = { customers: 480, configuration: 60, charts: 15 };

/** Numbers for a laptop: counted and reported, but never in the way of a script. */
export const LOCAL_LIMITS: RateLimits = {
  customers: 1_000_000,
  configuration: 1_000_000,
  charts: 1_000_000,
};

const WINDOW_MS = 60_000;

/** Counts requests. */
export interface RateCounter {
  /**
   * Counts one request and returns the headers that report it.
   *
   * @throws {Refusal} 429 when the minute's limit is used up.
   */
  count(caller: string, rate: RateClass): Record<string, string>;
}

/** Makes a counter over fixed windows of one minute of wall time. */
export function createRateCounter(limits: RateLimits, clock: Clock): RateCounter {
  let window = -1;
  const used = new Map<string, number>();
  return {
    count(caller, rate) {
      const now = clock();
      if (Math.floor(now / WINDOW_MS) !== window) {
        window = Math.floor(now / WINDOW_MS);
        used.clear();
      }
      const key = `${rate} ${caller}`;
      const usage = (used.get(key) ?? 0) + 1;
      const limit = limits[rate];
      const headers = {
        "Service-Rate-Limit-Current-Usage": String(Math.min(usage, limit)),
        "Service-Rate-Limit-Current-Limit": String(limit),
      };
      if (usage <= limit) {
        used.set(key, usage);
        return headers;
      }
      const seconds = Math.ceil(((window + 1) * WINDOW_MS - now) / 1000);
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
