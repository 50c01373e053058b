import { deepEqual, equal } from "node:assert/strict";
import { attempted } from "../../../lib/service/events/awaited.ts";

Deno.test("a caller whose limit is over leaves nothing behind, and the others still wait", async () => {
  const timers: { ms: number; run: () => void }[] = [];
  const waiting = new Map<string, (() => void)[]>();
  const parts = {
    waiting,
    stop: new AbortController(),
    schedule: { timeoutMs: 5000 },
    later: (ms: number, run: () => void) => {
      timers.push({ ms, run });
      return () => {};
    },
  };
  const [first, second] = [attempted(parts, "a"), attempted(parts, "a")];
  deepEqual(timers.map(({ ms }) => ms), [15_000, 15_000]);
  equal(waiting.get("a")?.length, 2, "both wait");
  timers[0]?.run();
  await first;
  equal(waiting.get("a")?.length, 1, "the second still waits");
  timers[1]?.run();
  await second;
  equal(waiting.size, 0);
});
