/**
 * The retry schedules: waits between attempts, the receiver's time limit and the successful
 * statuses.
 *
 * @module
 */

/** The names of the schedules. */
export type ScheduleName = "public" | "standard" | "dev";

/** The times of retries and the limit of attempts. */
export interface Schedule {
  /** The time limit for the receiver's whole response, in milliseconds. */
  readonly timeoutMs: number;
  /** The waits before the second and all further attempts, in milliseconds. */
  readonly waitsMs: readonly number[];
  /** Whether a status means success. */
  isSuccess(status: number): boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The longest wait that a receiver can ask for. */
const LONGEST_WAIT = 24 * HOUR;

/** The random part of a wait, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** All schedules. */
export const SCHEDULES: Readonly<Record<ScheduleName, Schedule>> = {
  // That of the public API: status 200 only, a minute, five retries.
  public: {
    timeoutMs: MINUTE,
    waitsMs: [5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 40 * MINUTE, 80 * MINUTE],
    isSuccess: (status) => status === 200,
  },
  // That of Standard Webhooks.
  standard: {
    timeoutMs: 20 * SECOND,
    waitsMs: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
    isSuccess: (status) => status >= 200 && status < 300,
  },
  // As strict as the public one, with short waits for development.
  dev: {
    timeoutMs: 10 * SECOND,
    waitsMs: [0.2, 0.5, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8].map((seconds) => seconds * SECOND),
    isSuccess: (status) => status === 200,
  },
};

/** The wait after so many failed attempts, in milliseconds; undefined after the last one. */
export function waitAfter(
  { waitsMs }: Schedule,
  failures: number,
  asked: { retryAfterMs: number | undefined; random(): number },
): number | undefined {
  const wait = waitsMs[failures - 1];
  if (wait === undefined) return undefined;
  const wanted = Math.min(asked.retryAfterMs ?? 0, LONGEST_WAIT);
  return Math.round(Math.max(wait, wanted) * (1 + JITTER * asked.random()));
}

/** The wait of a `Retry-After` header, in milliseconds: the longest if it is repeated. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  // The day of the week and a comma begin a date of HTTP.
  const asked = header.match(/(?:[A-Z][a-z]+, )?[^,\s][^,]*/g) ?? [];
  const waits = asked.map((one) => {
    const text = one.trim();
    return /^\d+$/.test(text) ? Number(text) * SECOND : Math.max(Date.parse(text) - now, 0);
  }).filter((wait) => !Number.isNaN(wait));
  return waits.length === 0 ? undefined : Math.max(...waits);
}
