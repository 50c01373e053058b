import { deepEqual, equal } from "node:assert/strict";
import { readRetryAfter, SCHEDULES, waitAfter } from "../../../lib/service/events/schedule.ts";

const { public: strict, standard, dev } = SCHEDULES;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

Deno.test("each schedule has its waits, its time limit and its successful statuses", () => {
  const minutes = (waitsMs: readonly number[]) => waitsMs.map((ms) => ms / MINUTE);
  deepEqual([strict.timeoutMs, minutes(strict.waitsMs)], [60_000, [5, 10, 20, 40, 80]]);
  deepEqual([standard.timeoutMs, minutes(standard.waitsMs)], [
    20_000,
    [5 / 60, 5, 30, 120, 300, 600, 600],
  ]);
  deepEqual([dev.timeoutMs, dev.waitsMs], [
    10_000,
    [200, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000, 8000, 8000],
  ]);
  const successes = (isSuccess: (status: number) => boolean) =>
    [199, 200, 201, 204, 299, 300].filter(isSuccess);
  deepEqual([strict, standard, dev].map((one) => successes(one.isSuccess)), [
    [200],
    [200, 201, 204, 299],
    [200],
  ]);
});

Deno.test("a wait is that of the schedule, or a longer Retry-After up to a day", () => {
  const wait = (failures: number, retryAfterMs?: number, random = 0) =>
    waitAfter(strict, failures, { retryAfterMs, random: () => random });
  deepEqual([wait(1), wait(2), wait(5), wait(6)], [
    5 * MINUTE,
    10 * MINUTE,
    80 * MINUTE,
    undefined,
  ]);
  deepEqual([wait(1, 1000), wait(1, 6 * MINUTE), wait(1, 2 * DAY)], [
    5 * MINUTE,
    6 * MINUTE,
    DAY,
  ]);
  // A random part makes it up to a tenth longer, and never shorter.
  deepEqual([wait(1, undefined, 0.5), wait(1, undefined, 1), wait(1, DAY, 1)], [
    5.25 * MINUTE,
    5.5 * MINUTE,
    DAY + DAY / 10,
  ]);
  equal(waitAfter(dev, 1, { retryAfterMs: undefined, random: () => 0.333333 }), 207);
  // A Retry-After adds no attempt.
  equal(wait(6, MINUTE), undefined);
});

Deno.test("Retry-After is seconds or a date, and the longest of several counts", () => {
  const now = Date.UTC(2026, 0, 1);
  const cases: [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["0", 0],
    ["120", 120_000],
    ["Thu, 01 Jan 2026 00:00:05 GMT", 5000],
    ["Wed, 31 Dec 2025 23:59:59 GMT", 0],
    ["5, 7, 6", 7000],
    ["nonsense, 3", 3000],
    ["Thu, 01 Jan 2026 00:00:05 GMT, 9", 9000],
    ["2, Thu, 01 Jan 2026 00:00:05 GMT", 5000],
    ["1.5x", undefined],
  ];
  for (const [header, expected] of cases) equal(readRetryAfter(header, now), expected, header);
});
