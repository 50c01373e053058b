/**
 * Periods of charts: whole days, weeks, months, quarters and years of the UTC calendar.
 *
 * @module
 */

import { addDuration, DAY_MS, dayOf, weekOf } from "../domain/calendar.ts";

/** Lengths of a period, shortest first. The index in this list, such as `"0"`, is another name. */
export const RESOLUTIONS = ["day", "week", "month", "quarter", "year"] as const;

/** The length of a period. */
export type Resolution = typeof RESOLUTIONS[number];

/** A span of time. */
export interface Period {
  /** Its first millisecond. */
  readonly starts: number;
  /** The first millisecond after it. */
  readonly ends: number;
}

const LENGTHS: Readonly<Record<Resolution, string>> = {
  day: "P1D",
  week: "P1W",
  month: "P1M",
  quarter: "P3M",
  year: "P1Y",
};

/** The number of periods of a chart without a first day, including the current one. */
const USUAL_COUNT: Readonly<Record<Resolution, number>> = {
  day: 28,
  week: 12,
  month: 12,
  quarter: 8,
  year: 5,
};

/** The period of a moment. Weeks start on Monday. */
function periodAt(at: number, resolution: Resolution): Period {
  const starts = startOf(at, resolution);
  return { starts, ends: addDuration(starts, LENGTHS[resolution]) };
}

/** Consecutive periods, starting with that of a moment. */
export function periodsFrom(at: number, resolution: Resolution, count: number): Period[] {
  const periods: Period[] = [];
  let period = periodAt(at, resolution);
  for (let i = 0; i < count; i++) {
    periods.push(period);
    period = { starts: period.ends, ends: addDuration(period.ends, LENGTHS[resolution]) };
  }
  return periods;
}

/** The periods between two moments, or the first `most` of them. */
export function periodsBetween(
  from: number,
  until: number,
  resolution: Resolution,
  most: number,
): Period[] {
  const periods: Period[] = [];
  let period = periodAt(from, resolution);
  while (period.starts <= until && periods.length < most) {
    periods.push(period);
    period = { starts: period.ends, ends: addDuration(period.ends, LENGTHS[resolution]) };
  }
  return periods;
}

/** The usual first day of a chart that ends on a day. */
export function usualStart(end: number, resolution: Resolution): number {
  return addDuration(startOf(end, resolution), LENGTHS[resolution], 1 - USUAL_COUNT[resolution]);
}

/** The index of a moment's period among consecutive periods, or -1. */
export function indexOfPeriod(periods: readonly Period[], at: number): number {
  let low = 0;
  let high = periods.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const period = periods[middle];
    if (!period || at < period.starts) high = middle - 1;
    else if (at >= period.ends) low = middle + 1;
    else return middle;
  }
  return -1;
}

/** The first millisecond of a moment's period. */
function startOf(at: number, resolution: Resolution): number {
  const day = dayOf(at);
  const date = new Date(day);
  if (resolution === "day") return day;
  // Gap: the first day of a week is not documented. ISO 8601 says Monday.
  if (resolution === "week") return weekOf(at);
  const month = day - (date.getUTCDate() - 1) * DAY_MS;
  const size = { month: 1, quarter: 3, year: 12 }[resolution];
  return addDuration(month, { months: -(date.getUTCMonth() % size), days: 0, ms: 0 });
}
