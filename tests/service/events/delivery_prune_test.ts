import { deepEqual, equal, ok } from "node:assert/strict";
import { createPruner } from "../../../lib/service/events/prune.ts";
import { acrossProjects, inProject, writeRows } from "../../../lib/service/store/mod.ts";
import { MINUTE, openPostOffice, type PostOffice } from "../../support/delivery_fixture.ts";
import { answers, openReceiver } from "../../support/receiver.ts";
import { type Lasting, withLasting } from "../../support/lasting.ts";

const DAY = 24 * 60 * MINUTE;

/** Opens the service on a database again, so many days after it was last open. */
async function reopen(database: string, days: number): Promise<PostOffice> {
  const office = await openPostOffice({
    database,
    // The pending delivery fails once more each time, and stays pending.
    webhookTargets: "public",
    clock: () => Date.UTC(2026, 5, 1) + days * DAY,
  });
  // It has started by itself.
  await office.desk.service.prune();
  await office.idle();
  return office;
}

/** The remaining rows. */
async function rowsIn({ query }: Lasting) {
  const count = async (rest: string) => (await query(`SELECT count(*) AS n ${rest}`))[0]?.n;
  return {
    bodies: await count("FROM attempts WHERE response_body IS NOT NULL"),
    attempts: await count("FROM attempts"),
    deliveries: await count("FROM deliveries"),
    events: await count("FROM events"),
  };
}

Deno.test("bodies are pruned after 7 days, attempts and successes after 30, pending deliveries never", async () => {
  await withLasting(async (lasting) => {
    const { database } = lasting;
    using receiver = openReceiver();
    const office = await openPostOffice({ database });
    const webhook = await office.subscribe(receiver);
    // More than one transaction handles.
    for (let i = 0; i < 520; i += 65) {
      await Promise.all(Array.from({ length: 65 }, (_, j) => office.buy(`c${i + j}`)));
    }
    await office.idle();
    await office.sim.post(`/webhooks/${webhook.id}/faults`, { fault: "drop" });
    const lost = await office.buy("lost");
    await office.idle();
    receiver.behave = answers(500);
    const waiting = await office.buy("waits");
    await office.idle();
    await office[Symbol.asyncDispose]();
    const all = { bodies: 521, attempts: 521, deliveries: 522, events: 522 };
    deepEqual(await rowsIn(lasting), all);

    await (await reopen(database, 7))[Symbol.asyncDispose]();
    equal((await rowsIn(lasting)).bodies, 521);
    const week = await reopen(database, 7.01);
    const [last] = (await week.deliveries(webhook)).slice(-1);
    equal(last?.event_id, waiting);
    await week[Symbol.asyncDispose]();
    // Those of the pending delivery, whose second attempt has no response.
    equal((await rowsIn(lasting)).bodies, 1);

    await (await reopen(database, 30))[Symbol.asyncDispose]();
    equal((await rowsIn(lasting)).deliveries, 522);
    const month = await reopen(database, 30.1);
    deepEqual((await month.deliveries(webhook)).map(({ event_id, state }) => [event_id, state]), [
      ...[[lost, "dropped"], [waiting, "pending"]],
    ]);
    const [, pending] = await month.deliveries(webhook);
    equal((await month.attempts(pending))[0]?.response?.body, "thanks");
    // A successful delivery does not count as undelivered.
    const recovery = await month.sim.post("/events/recover", { since: 0 });
    deepEqual(recovery, { object: "recovery", deliveries: 1 });
    await month[Symbol.asyncDispose]();
    equal((await rowsIn(lasting)).events, 522);
  });
});

Deno.test("one call removes all that is old, in as many transactions as it takes", async () => {
  using receiver = openReceiver(answers(410));
  await using office = await openPostOffice();
  await office.subscribe(receiver);
  await office.buy();
  await office.idle();
  const { store } = office.desk.service;
  const attempts = () =>
    store.read((tx) => acrossProjects(tx).selectFrom("attempts").selectAll().execute());
  const [one] = await attempts();
  ok(one);
  const { project_id, ...first } = one;
  // More than two transactions handle.
  const more = Array.from({ length: 1200 }, (_, i) => ({
    ...first,
    number: i + 2,
    started_at: first.started_at + i,
  }));
  await store.write((tx) => writeRows(inProject(tx, project_id), "attempts", more));
  const bodies = async () =>
    (await attempts()).filter(({ response_body }) => response_body !== null).length;
  equal(await bodies(), 1201);
  await createPruner(store, () => first.started_at + 8 * DAY).prune();
  deepEqual([await bodies(), (await attempts()).length], [0, 1201]);
  await createPruner(store, () => first.started_at + 31 * DAY).prune();
  equal((await attempts()).length, 0);
});
