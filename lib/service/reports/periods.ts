/**
 * Periods of charts: whole days, weeks, months, quarters and years of the UTC calendar.
 *
 * @module
 */

import { addDuration, DAY_MS, dayOf } from "../domain/calendar.ts";

/** Lengths of a period, shortest first. The place in this list is the length's other name: `"0"`. */
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

/** How far back a chart goes without a first day: so many periods, the present one among them. */
const USUAL_COUNT: Readonly<Record<Resolution, number>> = {
  day: 28,
  week: 12,
  month: 12,
  quarter: 8,
  year: 5,
};

/** The period that a moment belongs to. Weeks start on Monday. */
function periodAt(at: number, resolution: Resolution): Period {
  const starts = startOf(at, resolution);
  return { starts, ends: addDuration(starts, LENGTHS[resolution]) };
}

/** A number of periods in a row, from the one on that a moment belongs to. */
export function periodsFrom(at: number, resolution: Resolution, count: number): Period[] {
  const periods: Period[] = [];
  let period = periodAt(at, resolution);
  for (let i = 0; i < count; i++) {
    periods.push(period);
    period = { starts: period.ends, ends: addDuration(period.ends, LENGTHS[resolution]) };
  }
  return periods;
}

/** The periods from one moment's to another's, or the first `most` of them. */
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

/** Which of some periods in a row a moment belongs to; -1 for none of them. */
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

/** The first millisecond of the period that a moment belongs to. */
function startOf(at: number, resolution: Resolution): number {
  const day = dayOf(at);
  const date = new Date(day);
  if (resolution === "day") return day;
  // Gap: where a week starts is not published. This is ISO 8601's answer.
  if (resolution === "week") return day - (date.getUTCDay() + 6) % 7 * DAY_MS;
  const month = day - (date.getUTCDate() - 1) * DAY_MS;
  const size = { month: 1, quarter: 3, year: 12 }[resolution];
  return addDuration(month, { months: -(date.getUTCMonth() % size), days: 0, ms: 0 });
}
