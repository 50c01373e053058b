import { deepEqual, equal, match, ok } from "node:assert/strict";
import { sql } from "kysely";
import type { Claim } from "../../../lib/service/events/claims.ts";
import { createRecorder } from "../../../lib/service/events/recorder.ts";
import { acrossProjects, openDatabase, StoreError } from "../../../lib/service/store/mod.ts";
import { openPostOffice } from "../../support/delivery_fixture.ts";
import { testOnSqlite } from "../../support/engine.ts";
import { answers, type Behaviour, openReceiver } from "../../support/receiver.ts";

/** A receiver's behaviour that waits until many have arrived, so that their attempts end together. */
function together(count: number): Behaviour {
  let arrived = 0;
  const all = Promise.withResolvers<void>();
  return async (one, conn) => {
    if (++arrived === count) all.resolve();
    await all.promise;
    await answers(200)(one, conn);
  };
}

testOnSqlite(
  "a result that cannot be stored takes no other with it",
  "its trigger is written for SQLite",
  async () => {
    const told: unknown[] = [];
    using receiver = openReceiver(together(8));
    await using office = await openPostOffice({ report: (error) => void told.push(error) });
    const webhook = await office.subscribe(receiver);
    await office.desk.service.store.write(async (tx) => {
      await sql`create trigger broken before insert on attempts
        when (select event_id from deliveries
          where id = new.delivery_id) = (select id from events where customer_id = 'c3')
        begin select raise(abort, 'this result is broken'); end`.execute(tx);
    });
    for (let i = 0; i < 8; i++) await office.buy(`c${i}`);
    await office.idle();
    const states = (await office.deliveries(webhook)).map(({ state }) => state);
    equal(states.filter((state) => state === "delivered").length, 7);
    equal(states[3], "sending");
    equal(told.length, 1);
    match(String(told[0]), /this result is broken/);
  },
);

Deno.test("no more than 32 deliveries to a webhook are in progress, all the time", async () => {
  let [now, most] = [0, 0];
  using receiver = openReceiver(async (one, conn) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    now--;
    await answers(200)(one, conn);
  });
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  // New events and results claim at the same time.
  for (let i = 0; i < 150; i++) await office.buy(`c${i % 75}`);
  await office.idle();
  ok(most <= 32, `${most} at a time`);
  const states = new Set((await office.deliveries(webhook)).map(({ state }) => state));
  deepEqual([...states], ["delivered"]);
  const orders = new Map<string, number[]>();
  const rows = await office.desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("events").select(["id", "seq"]).execute()
  );
  const seqs = new Map(rows.map(({ id, seq }) => [id, seq]));
  for (const { event } of receiver.arrived) {
    const customer = String(event.app_user_id);
    orders.set(customer, [...orders.get(customer) ?? [], seqs.get(event.id) ?? 0]);
  }
  for (const [customer, order] of orders) {
    deepEqual(order, order.toSorted((a, b) => a - b), customer);
  }
});

for (const failure of ["unreachable", "busy"] as const) {
  Deno.test(`results that a database cannot take now (${failure}) are not tried one by one`, async () => {
    const own = await openDatabase({ file: ":memory:" });
    let tries = 0;
    const write = () => {
      tries++;
      return Promise.reject(new StoreError("Cannot use the database", { failure }));
    };
    const recorder = createRecorder({
      store: { ...own, write },
      clock: Date.now,
      claimMore: async () => [],
      begin: () => {},
      forget: () => {},
      wrote: () => {},
    });
    const results = Array.from({ length: 3 }, () =>
      recorder.record({
        claim: { delivery: { project_id: "proj1", integration_id: "hook" } } as unknown as Claim,
        attempts: [],
        outcome: { state: "delivered", ready_at: null, counts: true, disables: false },
      }));
    const settled = await Promise.allSettled(results);
    await own.close();
    deepEqual(settled.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
    equal(tries, 1);
  });
}
