import { deepEqual } from "node:assert/strict";
import { claim, readyLanes } from "../../../lib/service/events/claims.ts";
import { createDeliverer, type DelivererParts } from "../../../lib/service/events/deliverer.ts";
import { createDeliveryFaults } from "../../../lib/service/events/faults.ts";
import { SCHEDULES } from "../../../lib/service/events/schedule.ts";
import { createTargets } from "../../../lib/service/outbound/targets.ts";
import { type Store, StoreError } from "../../../lib/service/store/mod.ts";
import { openPostOffice, type PostOffice } from "../../support/delivery_fixture.ts";
import { openReceiver } from "../../support/receiver.ts";
import { withTimersAt } from "../../support/stubbed_timers.ts";

/** Runs a worker of its own on an office's deliveries until it has nothing to do. Returns its errors. */
async function work(
  { time: { clock, later } }: PostOffice,
  parts: Pick<DelivererParts, "store" | "faults">,
): Promise<unknown[]> {
  const targets = createTargets("loopback", { time: { clock, later } });
  const reported: unknown[] = [];
  const deliverer = createDeliverer({
    ...parts,
    clock,
    later,
    random: () => 0,
    targets,
    schedule: SCHEDULES.public,
    delivers: true,
    report: (error) => reported.push(error instanceof Error ? error.message : error),
  });
  await deliverer.start();
  await deliverer.idle();
  await deliverer.stop();
  targets.close();
  return reported;
}

/** Delivers an event whose faults cannot be read at first, and can be so many milliseconds later. */
async function deliverAfter(ms: number): Promise<{ arrived: number; reported: unknown[] }> {
  using receiver = openReceiver();
  // The office leaves deliveries to others.
  await using office = await openPostOffice({ role: "api" });
  const { desk: { service: { store } } } = office;
  await office.subscribe(receiver);
  await office.buy();
  let reported: unknown[] = [];
  let tries = 0;
  const faults = {
    ...createDeliveryFaults(),
    next() {
      if (++tries > 1) return Promise.resolve(undefined);
      office.time.pass(ms);
      throw new StoreError("Cannot use the database: gone", { failure: "unreachable" });
    },
  };
  await withTimersAt(100, async () => {
    reported = await work(office, { store, faults });
  });
  return { arrived: receiver.arrived.length, reported };
}

Deno.test("a delivery waits 15 seconds for its faults, and is left to a later claim then", async () => {
  deepEqual(await deliverAfter(15_000), { arrived: 1, reported: [] });
  deepEqual(await deliverAfter(15_001), {
    arrived: 0,
    reported: ["Cannot use the database: gone"],
  });
});

Deno.test("a worker looks once for deliveries that another one claims before it", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice({ role: "api" });
  const { desk: { service: { store } }, time: { clock } } = office;
  await office.subscribe(receiver);
  await office.buy();
  let looks = 0;
  const late: Store = {
    ...store,
    async read(look) {
      const found = await store.read(look);
      if (++looks > 1) return found;
      await store.write(async (tx) => {
        const options = { now: clock(), until: clock() + 60_000, most: 9, holder: "other" };
        for (const lane of await readyLanes(tx, clock())) await claim(tx, lane, options);
      });
      return found;
    },
  };
  deepEqual(await work(office, { store: late, faults: createDeliveryFaults() }), []);
  deepEqual([looks, receiver.arrived.length], [1, 0]);
});
