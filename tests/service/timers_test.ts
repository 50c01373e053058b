import { deepEqual, equal } from "node:assert/strict";
import { createCatchUp } from "../../lib/service/ledger/catch_up.ts";
import { acrossProjects } from "../../lib/service/store/mod.ts";
import { keepUp, repeat } from "../../lib/service/timers.ts";
import { openService, type TestService } from "../support/engine.ts";
import { othersOf } from "../support/others.ts";
import { withIntervals } from "../support/stubbed_timers.ts";

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Begins the periodic work of a service. Returns the list to which it adds each piece of work. */
function beginWork({ store, deliverer }: TestService, leads?: boolean): string[] {
  const did: string[] = [];
  const does = (what: string) => () => Promise.resolve(void did.push(what));
  const clock = () => HOUR;
  const others = { ...othersOf("a"), leads: () => Promise.resolve(leads === true) };
  keepUp({
    store: {
      ...store,
      others: leads === undefined ? undefined : others,
      shrinkLog: does("shrink the log"),
      async write(work, ...more) {
        did.push("tidy");
        return await store.write(work, ...more);
      },
    },
    clock,
    catchUp: { ...createCatchUp(store, clock), all: does("catch up") },
    pruner: { prune: does("prune"), stop: does("stop") },
    deliverer: { ...deliverer, wake: () => void did.push("deliver"), freeDead: does("free") },
    report: (error) => did.push(String(error)),
  });
  return did;
}

Deno.test("each kind of work has its time, and of several processes one does what is done once", async () => {
  await using service = await openService({ empty: true });
  const always = { [MINUTE]: ["shrink the log", "deliver"] };
  const once = { [SECOND]: ["catch up"], [HOUR]: ["tidy", "prune"] };
  for (
    const [leads, expected] of [
      [undefined, { ...always, ...once }],
      [true, { ...always, ...once, [SECOND]: ["catch up", "free"] }],
      [false, { ...always, [SECOND]: ["free"] }],
    ] as const
  ) {
    await withIntervals(async (intervals) => {
      const did = beginWork(service, leads);
      await Promise.resolve();
      await Promise.resolve();
      deepEqual(did.splice(0), leads === false ? [] : ["prune"], "at once");
      const found: Record<number, string[]> = {};
      for (const { ms, run } of intervals) {
        await run();
        if (did.length > 0) (found[ms] ??= []).push(...did.splice(0));
      }
      deepEqual(found, expected);
    });
  }
});

Deno.test("what has expired is deleted each hour", async () => {
  await using service = await openService({ empty: true });
  const { store } = service;
  const tries = (expires_at: number) => ({
    subject: `until ${expires_at}`,
    tries: 1,
    locked_until: 0,
    expires_at,
  });
  await store.write((tx) =>
    acrossProjects(tx).insertInto("sign_in_tries").values([tries(HOUR), tries(HOUR + 1)]).execute()
  );
  await withIntervals(async (intervals) => {
    beginWork(service);
    for (const { ms, run } of intervals) if (ms === HOUR) await run();
  });
  const left = await store.read((tx) =>
    acrossProjects(tx).selectFrom("sign_in_tries").select("subject").execute()
  );
  deepEqual(left, [{ subject: `until ${HOUR + 1}` }]);
});

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
