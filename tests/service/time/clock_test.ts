import { deepEqual, equal } from "node:assert/strict";
import { projectTime, steadyClock, systemLater } from "../../../lib/service/time/clock.ts";
import { withReplaced } from "../../support/replaced.ts";

Deno.test("a steady clock stands while the clock that it follows is behind", () => {
  let now = 100;
  const clock = steadyClock(() => now, 90);
  equal(clock(), 100);
  now = 50;
  equal(clock(), 100);
  now = 101;
  equal(clock(), 101);
  equal(steadyClock(() => 5, 90)(), 90);
});

Deno.test("a project's time stands where it is frozen, and is ahead by its offset elsewhere", () => {
  equal(projectTime({ clock_frozen_at: null, clock_offset: 7 }, 100), 107);
  equal(projectTime({ clock_frozen_at: 0, clock_offset: 7 }, 100), 0);
});

Deno.test("a timer runs its work once, unless it is called off", async () => {
  const ran: string[] = [];
  const off = systemLater(0, () => ran.push("off"));
  const { promise, resolve } = Promise.withResolvers<void>();
  systemLater(0, () => ran.push("on"));
  systemLater(1, resolve);
  off();
  // Timers of the service do not keep the test alive, either.
  const awake = setTimeout(() => {}, 10_000);
  await promise;
  clearTimeout(awake);
  deepEqual(ran, ["on"]);
});

Deno.test("a timer does not keep its program alive", async () => {
  const { setTimeout } = globalThis;
  const [timers, free]: [unknown[], unknown[]] = [[], []];
  const set = (run: () => void, ms: number) => {
    const timer = setTimeout(run, ms);
    timers.push(timer);
    return timer;
  };
  await withReplaced(
    globalThis,
    { setTimeout: set },
    () =>
      withReplaced(Deno, { unrefTimer: (id: unknown) => free.push(id) }, () => {
        systemLater(3_600_000, () => {})();
        return Promise.resolve();
      }),
  );
  equal(timers.length, 1);
  deepEqual(free, timers);
});
