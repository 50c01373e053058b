/**
 * Kills the service repeatedly while it delivers to a receiver that fails at random. In the end
 * every event has arrived, each customer's in order, and duplicates were equal.
 *
 * `DELIVERY_CRASH_EVENTS` is the number of events, 160 without it. With it, the service is killed
 * every 2 seconds; without it, whenever so many requests have arrived.
 *
 * @module
 */

import { deepEqual, ok } from "node:assert/strict";
import { deliverKilled } from "../../../scripts/bench/delivery.ts";
import { inFolder } from "../../support/store_fixture.ts";

const LONG = Deno.env.get("DELIVERY_CRASH_EVENTS");

Deno.test("all events arrive although a third fails and the service is killed", async () => {
  await inFolder(async (folder) => {
    const { faults, kills, ...figures } = await deliverKilled({
      folder,
      events: Number(LONG ?? 160),
      kill: LONG === undefined ? { requests: 45 } : { ms: 2000 },
    });
    deepEqual(faults, []);
    ok(kills >= 3, `killed ${kills} times`);
    ok(figures.failed > 0 && figures.interrupted > 0);
    if (LONG !== undefined) console.log({ kills, ...figures });
  });
});
