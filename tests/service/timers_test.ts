import { deepEqual, equal } from "node:assert/strict";
import { repeat } from "../../lib/service/timers.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("periodic work that has not ended is not begun again, and goes on after an error", async () => {
  let count = 0;
  const reports: unknown[] = [];
  let end = Promise.withResolvers<void>();
  const timer = repeat(1, () => {
    count++;
    return end.promise;
  }, (error) => reports.push(error));
  try {
    while (count === 0) await pause(2);
    await pause(30);
    equal(count, 1);
    const failed = end;
    end = Promise.withResolvers<void>();
    failed.reject(new TypeError("no database"));
    while (count === 1) await pause(2);
    await pause(30);
    equal(count, 2);
    deepEqual(reports.map(String), ["TypeError: no database"]);
  } finally {
    clearInterval(timer);
    end.resolve();
  }
});
