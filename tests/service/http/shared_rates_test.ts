import { deepEqual, equal } from "node:assert/strict";
import { Refusal } from "../../../lib/service/contract/errors.ts";
import { openRateCounter } from "../../../lib/service/http/shared_rates.ts";
import { openTime } from "../../support/virtual_time.ts";

const LIMITS = { customers: 480, configuration: 60, charts: 15 };

/** A process that counts with others, whose notes the test writes. */
function openProcess() {
  const time = openTime();
  const state = { isReachable: true, tries: 0, notes: [] as string[] };
  const sent: unknown[] = [];
  const others = {
    exchange(note: string | undefined) {
      state.tries++;
      if (!state.isReachable) return Promise.reject(new Error("the database is away"));
      sent.push(note === undefined ? undefined : JSON.parse(note));
      return Promise.resolve(state.notes.splice(0));
    },
  };
  const rates = openRateCounter({ limits: LIMITS, clock: time.clock, others, later: time.later });
  return {
    rates,
    time,
    state,
    sent,
    /** The slot of the present. */
    slot: () => Math.floor(time.clock() / 250),
    /** Lets time pass, and the exchanges on the way end. */
    async pass(ms: number) {
      time.pass(ms);
      await new Promise((resolve) => setTimeout(resolve));
    },
    /** Counts a request, and returns the number of those that count: a list with the wait over the limit. */
    use(caller = "ada") {
      try {
        return Number(rates.count(caller, "charts")["Service-Rate-Limit-Current-Usage"]);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { headers = {} } = error.details;
        return ["Service-Rate-Limit-Current-Usage", "Retry-After"].map((name) => headers[name]);
      }
    },
  };
}

Deno.test("a process tells its counts 200 ms after the first, and each once", async () => {
  const { time, pass, use, sent, slot } = openProcess();
  equal(time.next(), undefined, "without requests there is nothing to tell");
  const first = slot();
  use();
  use();
  use("bob");
  equal(time.next(), 200);
  await pass(199);
  deepEqual(sent, []);
  await pass(1);
  deepEqual(sent, [[["charts ada", first, 2], ["charts bob", first, 1]]]);
  equal(time.next(), undefined);
  await pass(50);
  use();
  await pass(200);
  deepEqual(sent[1], [["charts ada", first + 1, 1]]);
});

Deno.test("requests that other processes have counted count here, without being told again", async () => {
  const { pass, use, sent, slot, state, rates } = openProcess();
  state.notes.push(
    JSON.stringify([["charts ada", slot(), 10], ["charts bob", slot(), 1]]),
    JSON.stringify([["charts ada", slot() - 1, 2]]),
  );
  equal(use(), 1);
  await pass(200);
  equal(use(), 14);
  equal(use("bob"), 2);
  equal(rates.callers, 2);
  await pass(200);
  deepEqual(sent[1], [["charts ada", slot() - 1, 1], ["charts bob", slot() - 1, 1]]);
});

Deno.test("what is counted during an exchange is told by the next one", async () => {
  const { time, pass, use, sent, slot } = openProcess();
  use();
  time.pass(200);
  use();
  equal(time.next(), undefined, "one exchange at a time");
  await pass(0);
  equal(time.next(), 200);
  await pass(200);
  deepEqual(sent, [[["charts ada", slot() - 1, 1]], [["charts ada", slot() - 1, 1]]]);
});

Deno.test("without the database each process counts for itself, and tells later", async () => {
  const { pass, use, sent, slot, state, rates } = openProcess();
  const first = slot();
  state.isReachable = false;
  for (let i = 0; i < 3; i++) use();
  await pass(200);
  equal(state.tries, 1);
  equal(use(), 4);
  state.isReachable = true;
  state.notes.push(JSON.stringify([["charts ada", first, 10]]));
  await rates.stop();
  deepEqual(sent, [[["charts ada", first, 3], ["charts ada", first, 1]]]);
  equal(use(), 15);
  // More than the limit was admitted elsewhere: one may come when enough of them are a minute old.
  await pass(30_000 - 200);
  rates.add("charts ada", slot(), 5);
  deepEqual(use(), ["20", "31"]);
  await pass(31_000);
  equal(use(), 6);
});

Deno.test("counts that could not be told for a minute are told no more", async () => {
  const { pass, use, sent, slot, state } = openProcess();
  state.isReachable = false;
  use();
  await pass(200);
  // They are a minute old since the failure of their first exchange, not since that of the last one.
  await pass(30_000);
  use();
  await pass(200);
  state.isReachable = true;
  await pass(29_599);
  use("bob");
  await pass(200);
  const minute = 60_000 / 250;
  const late = [["charts ada", slot() - minute / 2, 1], ["charts bob", slot() - 1, 1]];
  deepEqual(sent, [[["charts ada", slot() - minute, 1], ...late]]);

  state.isReachable = false;
  use();
  await pass(200);
  state.isReachable = true;
  await pass(59_800);
  use("bob");
  await pass(200);
  deepEqual(sent[1], [["charts bob", slot() - 1, 1]]);
});

Deno.test("a stop tells the last counts, and sets no timer afterwards", async () => {
  const { time, use, sent, slot, rates } = openProcess();
  await rates.stop();
  deepEqual(sent, []);
  use();
  await rates.stop();
  deepEqual(sent, [[["charts ada", slot(), 1]]]);
  equal(time.next(), undefined);
  await rates.stop();
  equal(sent.length, 1);
});

Deno.test("a process without others counts alone", () => {
  const time = openTime();
  const parts = { limits: LIMITS, clock: time.clock, others: undefined, later: time.later };
  const rates = openRateCounter(parts);
  equal(rates.count("ada", "charts")["Service-Rate-Limit-Current-Usage"], "1");
  equal(time.next(), undefined);
});
