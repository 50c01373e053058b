import { deepEqual, equal } from "node:assert/strict";
import {
  indexOfPeriod,
  periodsBetween,
  periodsFrom,
  RESOLUTIONS,
  usualStart,
} from "../../../lib/service/reports/periods.ts";

/** The day of a moment. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** A Thursday. */
const DAY = Date.UTC(2026, 4, 14);

Deno.test("a chart without a first day starts so many whole periods earlier", () => {
  deepEqual(RESOLUTIONS.map((resolution) => dayOf(usualStart(DAY, resolution))), [
    "2026-04-17",
    "2026-02-23",
    "2025-06-01",
    "2024-07-01",
    "2022-01-01",
  ]);
});

Deno.test("periods follow each other, from a first one to a last one or to a number", () => {
  const first = periodsFrom(DAY + 1, "quarter", 2);
  deepEqual(first.map(({ starts, ends }) => [dayOf(starts), dayOf(ends)]), [
    ["2026-04-01", "2026-07-01"],
    ["2026-07-01", "2026-10-01"],
  ]);
  const until = Date.UTC(2026, 5, 1);
  const starts = (most: number, end: number) =>
    periodsBetween(DAY, end, "week", most).map((period) => dayOf(period.starts));
  deepEqual(starts(9, until), ["2026-05-11", "2026-05-18", "2026-05-25", "2026-06-01"]);
  deepEqual(starts(9, until - 1), ["2026-05-11", "2026-05-18", "2026-05-25"]);
  deepEqual(starts(2, until), ["2026-05-11", "2026-05-18"]);
});

Deno.test("a moment belongs to one period, or to none", () => {
  const periods = periodsFrom(DAY, "day", 5);
  const ends = periods.at(-1)?.ends ?? 0;
  periods.forEach(({ starts, ends }, i) => {
    deepEqual([starts, ends - 1].map((at) => indexOfPeriod(periods, at)), [i, i]);
  });
  deepEqual([DAY - 1, ends].map((at) => indexOfPeriod(periods, at)), [-1, -1]);
  equal(indexOfPeriod([], DAY), -1);
});
