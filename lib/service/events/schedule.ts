/**
 * How often a delivery is tried, how long a receiver may take, and which answers count.
 *
 * @module
 */

/** The names of the schedules. */
export type ScheduleName = "public" | "standard" | "dev";

/** When a delivery is tried again, and when it is given up. */
export interface Schedule {
  /** How long a receiver may take for its whole answer, in milliseconds. */
  readonly timeoutMs: number;
  /** The waits before the second and all further attempts, in milliseconds. */
  readonly waitsMs: readonly number[];
  /** Whether a status means that the event has arrived. */
  isSuccess(status: number): boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The longest wait that a receiver can ask for. */
const LONGEST_WAIT = 24 * HOUR;

/** How much longer a wait may become by chance, so that what failed together is not tried together. */
const JITTER = 0.1;

/** All schedules. */
export const SCHEDULES: Readonly<Record<ScheduleName, Schedule>> = {
  // The public service's: exactly 200, a minute, five more attempts.
  public: {
    timeoutMs: MINUTE,
    waitsMs: [5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 40 * MINUTE, 80 * MINUTE],
    isSuccess: (status) => status === 200,
  },
  // What the Standard Webhooks recommend.
  standard: {
    timeoutMs: 20 * SECOND,
    waitsMs: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
    isSuccess: (status) => status >= 200 && status < 300,
  },
  // As strict as the public one, for those who restart their receiver every minute.
  dev: {
    timeoutMs: 10 * SECOND,
    waitsMs: [0.2, 0.5, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8].map((seconds) => seconds * SECOND),
    isSuccess: (status) => status === 200,
  },
};

/** How long to wait after so many failed attempts, in milliseconds; undefined when it is given up. */
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

/** What a `Retry-After` header asks for, in milliseconds from now: the longest, where it is repeated. */
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
