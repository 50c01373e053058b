import { deepEqual, equal, ok } from "node:assert/strict";
import { Refusal } from "../../../lib/service/contract/errors.ts";
import { openRateCounter } from "../../../lib/service/http/shared_rates.ts";
import type { Others } from "../../../lib/service/store/mod.ts";
import { onDatabase, ONLY_POSTGRES } from "../../support/engine.ts";
import { openTogether, until } from "../../support/together.ts";

const LIMITS = { customers: 480, configuration: 60, charts: 15 };

/** What a limit may be exceeded by, in milliseconds of arrivals. */
const LAG_MS = 500;

Deno.test(
  "three processes admit a limit together, and half a second's arrivals more at most",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(3, { rateLimits: LIMITS });
    const admitted: number[] = [];
    const refusals: number[] = [];
    const send = async (place: number) => {
      const sent = Date.now();
      const answer = await all.send(place, "GET", "/v2/projects");
      await answer.body?.cancel();
      if (answer.status === 200) admitted.push(sent);
      else {
        equal(answer.status, 429);
        refusals.push(Number(answer.headers.get("Retry-After")) * 1000 + Date.now());
      }
    };
    // Each process gets as many as the limit allows one alone.
    for (let i = 0; i < 3 * LIMITS.configuration; i++) {
      await send(i % 3);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const reached = admitted[LIMITS.configuration - 1] ?? 0;
    const late = admitted.filter((at) => at > reached + LAG_MS);
    deepEqual(late, [], `${admitted.length} were admitted`);
    ok(refusals.length > 0);
    // The first request that counts ends its minute then, whoever counted it.
    const free = (admitted[0] ?? 0) + 60_000;
    ok(refusals.every((at) => at >= free - 2000 && at <= Date.now() + 61_000), "Retry-After");
    const shown = await all.send(1, "GET", "/v2/projects");
    await shown.body?.cancel();
    equal(Number(shown.headers.get("Service-Rate-Limit-Current-Usage")), admitted.length);

    // A process that starts now knows the last minute, after its first exchange.
    await all.open();
    await until(async () => {
      const answer = await all.send(3, "GET", "/v2/projects");
      await answer.body?.cancel();
      return answer.status === 429;
    }, "a refusal by a new process");
  },
);

Deno.test("without the database each process counts for itself, and tells later", async () => {
  let now = Date.UTC(2026, 0, 1);
  let reachable = false;
  let tries = 0;
  const sent: string[] = [];
  const others: Pick<Others, "exchange"> = {
    exchange: (note) => {
      tries++;
      if (!reachable) return Promise.reject(new Error("the database is away"));
      if (note !== undefined) sent.push(note);
      return Promise.resolve([JSON.stringify([["charts ada", Math.floor(now / 250), 10]])]);
    },
  };
  const rates = openRateCounter({
    limits: LIMITS,
    clock: () => now,
    // Nothing else of the others is used.
    others: others as Others,
  });
  for (let i = 0; i < 3; i++) rates.count("ada", "charts");
  await until(() => tries === 1, "an exchange");
  equal(rates.count("ada", "charts")["Service-Rate-Limit-Current-Usage"], "4");
  reachable = true;
  await rates.stop();
  const slot = Math.floor(now / 250);
  deepEqual(sent.map((note) => JSON.parse(note)), [[["charts ada", slot, 3], [
    "charts ada",
    slot,
    1,
  ]]]);
  const usage = () => {
    try {
      return rates.count("ada", "charts")["Service-Rate-Limit-Current-Usage"];
    } catch (error) {
      ok(error instanceof Refusal);
      return error.details.headers;
    }
  };
  equal(usage(), "15");
  // More than the limit was admitted elsewhere: one may come when enough of them are a minute old.
  now += 30_000;
  rates.add("charts ada", Math.floor(now / 250), 5);
  deepEqual(usage(), {
    "Service-Rate-Limit-Current-Usage": "20",
    "Service-Rate-Limit-Current-Limit": "15",
    "Retry-After": "31",
  });
  now += 31_000;
  equal(usage(), "6");
});

Deno.test("notes of the processes do not pile up", ONLY_POSTGRES, async () => {
  await using all = await openTogether(1);
  const others = all.services[0]?.store.others;
  ok(others);
  for (let i = 0; i < 5; i++) await others.exchange(`note ${i}`);
  const count = () =>
    onDatabase(all.database, async (client) => {
      const { rows } = await client.query(
        "select count(*) as n from notes where text like 'note%'",
      );
      return Number(rows[0]?.n);
    });
  equal(await count(), 5);
  await onDatabase(all.database, (client) => client.query("update notes set at = at - 70000"));
  for (let i = 0; i < 60; i++) await others.exchange(undefined);
  // The last one stays, so that numbers go on.
  ok(await count() <= 1);
});
