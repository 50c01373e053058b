import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { sql } from "kysely";
import type { Claim } from "../../../lib/service/events/claims.ts";
import { createRecorder, type Recorder } from "../../../lib/service/events/recorder.ts";
import type { Ended } from "../../../lib/service/events/ended.ts";
import {
  acrossProjects,
  type Locks,
  openDatabase,
  StoreError,
} from "../../../lib/service/store/mod.ts";
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

Deno.test("a delivery that is over makes room for one more, and not for many", async () => {
  const open: (() => void)[] = [];
  let [now, most] = [0, 0];
  using receiver = openReceiver(async (one, conn) => {
    most = Math.max(most, ++now);
    await new Promise<void>((resolve) => open.push(resolve));
    now--;
    await answers(200)(one, conn);
  });
  await using office = await openPostOffice();
  await office.subscribe(receiver);
  for (let i = 0; i < 70; i++) await office.buy(`c${i}`);
  for (let arrived = 32; arrived < 70; arrived++) {
    await receiver.has(arrived);
    open.shift()?.();
  }
  await receiver.has(70);
  open.forEach((resolve) => resolve());
  await office.idle();
  equal(most, 32);
});

/** The result of an attempt of a delivery that is gone. */
function result(disables: boolean): Ended {
  const place = { project_id: "proj1", integration_id: "hook" };
  const delivery = { ...place, id: "none", attempts: 0, tries: 0 };
  return {
    claim: { delivery, lease: "none" } as unknown as Claim,
    attempts: [],
    outcome: { state: disables ? "dead" : "delivered", ready_at: null, counts: true, disables },
  };
}

/** A recorder on a database that does something else in place of each write, or before it. */
async function openRecorder(
  write: (locks: Locks, run: () => Promise<void>) => Promise<unknown>,
): Promise<Recorder & AsyncDisposable> {
  const own = await openDatabase({ file: ":memory:" });
  const recorder = createRecorder({
    store: {
      ...own,
      async write(work, projectId, locks = "project") {
        await write(locks, async () => void await own.write(work, projectId));
        return await own.write(work, projectId);
      },
    },
    clock: Date.now,
    claimMore: async () => [],
    begin: () => {},
    forget: () => {},
    wrote: () => {},
  });
  return { ...recorder, [Symbol.asyncDispose]: own.close };
}

for (const failure of ["unreachable", "busy"] as const) {
  Deno.test(`results that a database cannot take now (${failure}) are not tried one by one`, async () => {
    let tries = 0;
    await using recorder = await openRecorder(() => {
      tries++;
      return Promise.reject(new StoreError("Cannot use the database", { failure }));
    });
    const results = Array.from({ length: 3 }, () => recorder.record(result(false)));
    const settled = await Promise.allSettled(results);
    deepEqual(settled.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
    equal(tries, 1);
  });
}

Deno.test("a result that waits for its turn in the project holds up no other", async () => {
  const turn = Promise.withResolvers<never>();
  await using recorder = await openRecorder((locks) =>
    locks === "project"
      ? turn.promise
      : Promise.reject(new StoreError("It was tried", { failure: "unreachable" }))
  );
  const waiting = recorder.record(result(true));
  await rejects(recorder.record(result(false)), /It was tried/);
  await rejects(recorder.claim("proj1", "hook"), /It was tried/);
  turn.reject(new StoreError("Its turn has come", { failure: "unreachable" }));
  await rejects(waiting, /Its turn has come/);
});

for (const disables of [false, true]) {
  const turn = disables ? "in its turn" : "with others";
  Deno.test(`a result stored ${turn} is settled also when its transaction runs again`, async () => {
    await using recorder = await openRecorder((_locks, run) => run());
    await Promise.all(Array.from({ length: 3 }, () => recorder.record(result(disables))));
  });

  Deno.test(`a result stored ${turn} fails when its commit does, and the next one is tried`, async () => {
    const error = new StoreError("The commit failed", { failure: "unreachable" });
    let commits = 0;
    await using recorder = await openRecorder(async (_locks, run) => {
      await run();
      if (++commits === 1) throw error;
    });
    const first = recorder.record(result(disables));
    // It comes while the first is being stored.
    await Promise.resolve();
    const second = recorder.record(result(disables));
    const settled = await Promise.allSettled([first, second]);
    deepEqual(settled.map(({ status }) => status)[0], "rejected");
  });
}
