/**
 * Periods of time as stores count them: ISO 8601 durations on the UTC calendar.
 *
 * @module
 */

/** A duration: whole months, whole days, and the rest in milliseconds. */
export interface Duration {
  /** Months; a year counts as 12. */
  months: number;
  /** Days; a week counts as 7. */
  days: number;
  /** Hours, minutes and seconds, in milliseconds. */
  ms: number;
}

/** Milliseconds in a day. */
export const DAY_MS = 86_400_000;

const FORM =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,7})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/;

/** Durations that were read before. There are few in use, and each renewal asks for three. */
const known = new Map<string, Readonly<Duration>>();

/** So many durations are remembered. */
const MOST_KNOWN = 200;

/**
 * Reads an ISO 8601 duration of whole units, such as `P1M`, `P2W` or `PT5M`.
 *
 * @throws {RangeError} for anything else.
 */
export function parseDuration(text: string): Readonly<Duration> {
  const present = known.get(text);
  if (present) return present;
  const duration = readDuration(text);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, duration);
  return duration;
}

function readDuration(text: string): Readonly<Duration> {
  const match = FORM.exec(text);
  if (!match) throw new RangeError(`${JSON.stringify(text)} is no ISO 8601 duration`);
  const part = (group: number): number => Number(match[group] ?? 0);
  return {
    months: part(1) * 12 + part(2),
    days: part(3) * 7 + part(4),
    ms: (part(5) * 3600 + part(6) * 60 + part(7)) * 1000,
  };
}

/** Whether a text is a duration longer than zero. */
export function isDuration(text: string): boolean {
  if (!FORM.test(text)) return false;
  const { months, days, ms } = parseDuration(text);
  return months + days + ms > 0;
}

/**
 * Adds a number of durations to a moment. Months keep the day of the month, or use the last day of
 * a shorter month: one month after 31 January is 28 February, two months after it are 31 March.
 */
export function addDuration(at: number, duration: Duration | string, times = 1): number {
  const { months, days, ms } = typeof duration === "string" ? parseDuration(duration) : duration;
  const end = addMonths(at, months * times);
  return end + days * times * DAY_MS + ms * times;
}

/** The first millisecond of the UTC day that a moment belongs to. */
export function dayOf(at: number): number {
  return at - modulo(at, DAY_MS);
}

/** The first millisecond of the UTC month that a moment belongs to. */
export function monthOf(at: number): number {
  const date = new Date(at);
  return firstOf(date.getUTCFullYear(), date.getUTCMonth());
}

/** The first millisecond of the UTC week that a moment belongs to. Weeks start on Monday. */
export function weekOf(at: number): number {
  // The first day of 1970 was a Thursday.
  return at - modulo(at + 3 * DAY_MS, 7 * DAY_MS);
}

/**
 * The first millisecond of a moment's week within its month: a week in which a month begins is two of
 * them. So both weeks and months are made of whole ones.
 */
export function weekInMonthOf(at: number): number {
  return Math.max(weekOf(at), monthOf(at));
}

/** Adds whole months to a moment, and stays within the resulting month. */
function addMonths(at: number, months: number): number {
  if (months === 0) return at;
  const date = new Date(at);
  const target = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  const year = Math.floor(target / 12);
  const month = modulo(target, 12);
  const day = Math.min(date.getUTCDate(), daysIn(year, month));
  return firstOf(year, month) + (day - 1) * DAY_MS + modulo(at, DAY_MS);
}

/** The number of days in a month. `month` is 0 to 11. */
function daysIn(year: number, month: number): number {
  return (firstOf(year, month + 1) - firstOf(year, month)) / DAY_MS;
}

/** The first millisecond of a month. `month` is 0 to 11. */
function firstOf(year: number, month: number): number {
  // `Date.UTC` reads years below 100 as 19xx.
  return new Date(0).setUTCFullYear(year, month, 1);
}

/** The remainder, never negative. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
