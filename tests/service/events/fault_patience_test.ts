import { deepEqual, equal } from "node:assert/strict";
import { createDeliverer } from "../../../lib/service/events/deliverer.ts";
import { createDeliveryFaults } from "../../../lib/service/events/faults.ts";
import { SCHEDULES } from "../../../lib/service/events/schedule.ts";
import { createTargets } from "../../../lib/service/outbound/targets.ts";
import { StoreError } from "../../../lib/service/store/mod.ts";
import { openPostOffice } from "../../support/delivery_fixture.ts";
import { openReceiver } from "../../support/receiver.ts";
import { withTimersAt } from "../../support/stubbed_timers.ts";

/** Delivers an event whose faults cannot be read at first, and can be so many milliseconds later. */
async function deliverAfter(ms: number): Promise<{ arrived: number; reported: unknown[] }> {
  using receiver = openReceiver();
  // The office leaves deliveries to others.
  await using office = await openPostOffice({ role: "api" });
  const { desk: { service: { store } }, time: { clock, later, pass } } = office;
  await office.subscribe(receiver);
  await office.buy();
  const targets = createTargets("loopback", { time: { clock, later } });
  const reported: unknown[] = [];
  let tries = 0;
  const deliverer = createDeliverer({
    store,
    clock,
    later,
    random: () => 0,
    targets,
    schedule: SCHEDULES.public,
    delivers: true,
    faults: {
      ...createDeliveryFaults(),
      next() {
        if (++tries > 1) return Promise.resolve(undefined);
        pass(ms);
        throw new StoreError("Cannot use the database: gone", { failure: "unreachable" });
      },
    },
    report: (error) => reported.push(error instanceof Error ? error.message : error),
  });
  await withTimersAt(100, async () => {
    await deliverer.start();
    await deliverer.idle();
  });
  await deliverer.stop();
  targets.close();
  return { arrived: receiver.arrived.length, reported };
}

Deno.test("a delivery waits 15 seconds for its faults, and is left to a later claim then", async () => {
  deepEqual(await deliverAfter(15_000), { arrived: 1, reported: [] });
  const { arrived, reported } = await deliverAfter(15_001);
  equal(arrived, 0);
  deepEqual(reported, ["Cannot use the database: gone"]);
});
