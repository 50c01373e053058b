import { deepEqual, equal } from "node:assert/strict";
import { isoMoment, readMoment, readPeriod } from "../../../lib/scenario/values/times.ts";

/** A moment as people write it, or nothing. */
function momentOf(text: string, zone: string): string | undefined {
  const at = readMoment(text, zone);
  return at === undefined ? undefined : isoMoment(at);
}

Deno.test("a time that a zone skips in spring is no moment, and a day begins after the skipped hour", () => {
  equal(momentOf("2026-03-08T02:30", "America/New_York"), undefined);
  equal(momentOf("2026-03-08T01:59", "America/New_York"), "2026-03-08T06:59:00Z");
  equal(momentOf("2026-03-08T03:00", "America/New_York"), "2026-03-08T07:00:00Z");
  equal(momentOf("2026-04-24", "Africa/Cairo"), "2026-04-23T22:00:00Z");
  equal(momentOf("2026-04-24T00:30", "Africa/Cairo"), undefined);
  // The hour that comes twice in autumn is one moment.
  equal(momentOf("2026-11-01T01:30", "America/New_York") !== undefined, true);
});

Deno.test("a period is counted in days or written in ISO 8601, and a wrong one has its reason", () => {
  for (
    const [text, period] of [
      ["7d", "P7D"],
      ["3m", "P90D"],
      ["1y", "P365D"],
      ["999999d", "P999999D"],
      ["P1M", "P1M"],
    ] as const
  ) {
    deepEqual(readPeriod(text), { period });
  }
  for (const text of ["1000000d", "3000y"]) deepEqual(readPeriod(text), { why: "it is too long" });
  for (const text of ["", "0d", "7", "7w", "a month"]) {
    deepEqual(readPeriod(text), { why: "it is not a period such as 30d or P1M" });
  }
});
