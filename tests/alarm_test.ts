import { deepEqual, equal, ok } from "node:assert/strict";
import { alarm } from "../lib/alarm.ts";
import { withReplaced } from "./support/replaced.ts";

/** Waits. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Counts the timers of the platform while something runs. */
async function timersIn(run: () => Promise<void>): Promise<number> {
  const { timeout } = AbortSignal;
  let count = 0;
  AbortSignal.timeout = (ms) => {
    count++;
    return timeout.call(AbortSignal, ms);
  };
  try {
    await run();
  } finally {
    AbortSignal.timeout = timeout;
  }
  return count;
}

Deno.test("alarms ring once, in the order of their times", async () => {
  const rung: string[] = [];
  alarm(60, () => rung.push("third"));
  alarm(0, () => rung.push("first"));
  alarm(30, () => {
    rung.push("second");
    alarm(60, () => rung.push("fourth"));
  });
  await wait(250);
  deepEqual(rung, ["first", "second", "third", "fourth"]);
});

Deno.test("an alarm does not ring before its time, nor after it has ended", async () => {
  const rung: string[] = [];
  const started = performance.now();
  let after = 0;
  const ends = [alarm(20, () => rung.push("ended")), alarm(60, () => rung.push("ended late"))];
  alarm(40, () => {
    after = performance.now() - started;
    ends[1]?.();
  });
  ends[0]?.();
  await wait(150);
  deepEqual(rung, []);
  ok(after >= 40, `${after} ms`);
});

Deno.test("alarms that end before their time share a few timers", async () => {
  const timers = await timersIn(async () => {
    for (let i = 0; i < 500; i++) {
      const ends = [alarm(30_000, () => {}), alarm(15_000, () => {})];
      if (i % 50 === 0) await wait(1);
      for (const end of ends) end();
    }
  });
  ok(timers <= 4, `${timers} timers`);
});

Deno.test("an alarm without an end needs no timer", async () => {
  equal(await timersIn(() => Promise.resolve(void alarm(Infinity, () => {})())), 0);
});

Deno.test("elsewhere than on Deno, alarms use a timer that keeps the program running", async () => {
  const { Deno: deno, setTimeout: start } = globalThis;
  const loading = new URL("../lib/alarm.ts?node", import.meta.url).href;
  const set: number[] = [];
  Reflect.deleteProperty(globalThis, "Deno");
  try {
    const other: { alarm: typeof alarm } = await import(loading);
    const count = (run: () => void, ms = 0) => (set.push(ms), start(run, ms));
    await withReplaced(globalThis, { setTimeout: count }, async () => {
      const rung: string[] = [];
      const timers = await timersIn(async () => {
        other.alarm(30, () => rung.push("second"));
        other.alarm(0, () => rung.push("first"));
        const end = other.alarm(10, () => rung.push("ended"));
        end();
        await new Promise<void>((resolve) => void other.alarm(60, resolve));
      });
      deepEqual([timers, rung], [0, ["first", "second"]]);
      // A longer timer would fire at once.
      other.alarm(2 ** 40, () => {})();
      equal(set.at(-1), 2 ** 31 - 1);
      // Were one of their timers left, the test would fail.
      for (let i = 0; i < 500; i++) other.alarm(30_000, () => {})();
    });
  } finally {
    Object.defineProperty(globalThis, "Deno", { value: deno, configurable: true });
  }
});
