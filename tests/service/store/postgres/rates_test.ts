import { deepEqual, equal, ok } from "node:assert/strict";
import { onDatabase, ONLY_POSTGRES } from "../../../support/engine.ts";
import { openTogether, until } from "../../../support/together.ts";

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
