import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import {
  addDuration,
  DAY_MS,
  dayOf,
  isDuration,
  monthOf,
  parseDuration,
  weekInMonthOf,
  weekOf,
} from "../../../lib/service/domain/calendar.ts";

const at = (text: string): number => Date.parse(`${text}Z`);
const show = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

/** A moment from 1970 to 2200. */
const moments = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) });

Deno.test("months end on the anchor's day, or on the last day of a shorter month", () => {
  const ends = (from: string, duration: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => show(addDuration(at(from), duration, i + 1)));
  deepEqual(ends("2026-01-31T10:20:30", "P1M", 5), [
    "2026-02-28T10:20:30",
    "2026-03-31T10:20:30",
    "2026-04-30T10:20:30",
    "2026-05-31T10:20:30",
    "2026-06-30T10:20:30",
  ]);
  deepEqual(ends("2024-02-29T00:00:00", "P1Y", 4), [
    "2025-02-28T00:00:00",
    "2026-02-28T00:00:00",
    "2027-02-28T00:00:00",
    "2028-02-29T00:00:00",
  ]);
  deepEqual(ends("2023-11-30T23:59:59", "P3M", 2), ["2024-02-29T23:59:59", "2024-05-30T23:59:59"]);
  deepEqual(ends("2025-12-31T00:00:00", "P2M", 1), ["2026-02-28T00:00:00"]);
  deepEqual(ends("2025-12-29T00:00:00", "P1W", 1), ["2026-01-05T00:00:00"]);
  deepEqual(ends("2026-01-31T00:00:00", "P1M1DT2H", 1), ["2026-03-01T02:00:00"]);
});

Deno.test("durations are whole ISO 8601 units in their order, and nothing else", () => {
  deepEqual(parseDuration("P1Y2M3W4DT5H6M7S"), {
    months: 14,
    days: 25,
    ms: (5 * 3600 + 6 * 60 + 7) * 1000,
  });
  for (
    const text of [
      "",
      "P",
      "PT",
      "P1",
      "1M",
      "p1m",
      "P1.5M",
      "P-1M",
      "P1M2Y",
      "P1H",
      "PT1D",
      "P1M ",
    ]
  ) {
    throws(() => parseDuration(text), RangeError, text);
    equal(isDuration(text), false, text);
  }
  equal(isDuration("P0D"), false, "nothing is no duration");
  equal(isDuration("PT5M"), true);
});

Deno.test("the end of n months is in the n-th month, on the anchor's day or before", () => {
  fc.assert(fc.property(moments, fc.integer({ min: 0, max: 600 }), (from, months) => {
    const [start, end] = [new Date(from), new Date(addDuration(from, "P1M", months))];
    const count = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() -
      start.getUTCMonth();
    equal(count, months);
    equal(end.getTime() % DAY_MS, from % DAY_MS, "the time of day is kept");
    const last = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
    equal(end.getUTCDate(), Math.min(start.getUTCDate(), last));
  }));
});

Deno.test("later periods end later, and the same period always ends at the same time", () => {
  const durations = fc.constantFrom("P1D", "P1W", "P1M", "P2M", "P3M", "P6M", "P1Y", "PT5M");
  fc.assert(fc.property(moments, durations, fc.nat(200), (from, duration, n) => {
    ok(addDuration(from, duration, n) < addDuration(from, duration, n + 1));
  }));
  fc.assert(fc.property(moments, fc.nat(50), (from, n) => {
    equal(addDuration(from, "P1Y", n), addDuration(from, "P1M", 12 * n));
    equal(addDuration(from, "P3M", n), addDuration(from, "P1M", 3 * n));
    equal(addDuration(from, "P1W", n), from + 7 * n * DAY_MS);
  }));
});

Deno.test("a day begins at midnight UTC, also before 1970", () => {
  equal(dayOf(at("2026-07-01T23:59:59")), at("2026-07-01T00:00:00"));
  equal(dayOf(at("1969-12-31T00:00:01")), at("1969-12-31T00:00:00"));
  fc.assert(fc.property(fc.integer({ min: -1e14, max: 1e14 }), (ms) => {
    const day = dayOf(ms);
    ok(day <= ms && ms < day + DAY_MS && day % DAY_MS === 0);
  }));
});

Deno.test("a week begins on Monday UTC, and again where a month begins", () => {
  equal(weekOf(at("2026-05-17T23:59:59")), at("2026-05-11T00:00:00"));
  equal(weekOf(at("2026-05-18T00:00:00")), at("2026-05-18T00:00:00"));
  equal(weekOf(at("1969-12-28T12:00:00")), at("1969-12-22T00:00:00"));
  equal(weekInMonthOf(at("2026-04-30T12:00:00")), at("2026-04-27T00:00:00"));
  equal(weekInMonthOf(at("2026-05-03T12:00:00")), at("2026-05-01T00:00:00"));
  equal(weekInMonthOf(at("2026-05-04T12:00:00")), at("2026-05-04T00:00:00"));
  fc.assert(fc.property(moments, (ms) => {
    const week = weekOf(ms);
    ok(week <= ms && ms < week + 7 * DAY_MS && new Date(week).getUTCDay() === 1);
    equal(dayOf(week), week);
    const part = weekInMonthOf(ms);
    equal(weekOf(part), week);
    equal(monthOf(part), monthOf(ms));
    equal(weekInMonthOf(part), part);
  }));
});
