import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { MINUTE, openPostOffice, type PostOffice } from "../../support/delivery_fixture.ts";
import { answers, openReceiver } from "../../support/receiver.ts";
import { connect } from "../../../lib/service/store/sqlite/connection.ts";
import { inFolder } from "../../support/store_fixture.ts";

const DAY = 24 * 60 * MINUTE;

/** Opens the service on a file again, so many days after it was last open. */
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
function rowsIn(database: string) {
  const connection = connect(database);
  const count = (query: string) => connection.rows(`SELECT count(*) AS n ${query}`)[0]?.n;
  const found = {
    bodies: count("FROM attempts WHERE response_body IS NOT NULL"),
    attempts: count("FROM attempts"),
    deliveries: count("FROM deliveries"),
    events: count("FROM events"),
  };
  connection.close();
  return found;
}

Deno.test("bodies are pruned after 7 days, attempts and successes after 30, pending deliveries never", async () => {
  await inFolder(async (folder) => {
    const database = join(folder, "data.db");
    using receiver = openReceiver();
    const office = await openPostOffice({ database });
    const webhook = await office.subscribe(receiver);
    // More than one transaction handles.
    for (let i = 0; i < 520; i++) await office.buy(`c${i}`);
    await office.idle();
    await office.sim.post(`/webhooks/${webhook.id}/faults`, { fault: "drop" });
    const lost = await office.buy("lost");
    await office.idle();
    receiver.behave = answers(500);
    const waiting = await office.buy("waits");
    await office.idle();
    await office[Symbol.asyncDispose]();
    const all = { bodies: 521, attempts: 521, deliveries: 522, events: 522 };
    deepEqual(rowsIn(database), all);

    await (await reopen(database, 7))[Symbol.asyncDispose]();
    equal(rowsIn(database).bodies, 521);
    const week = await reopen(database, 7.01);
    const [last] = (await week.deliveries(webhook)).slice(-1);
    equal(last?.event_id, waiting);
    await week[Symbol.asyncDispose]();
    // Those of the pending delivery, whose second attempt has no response.
    equal(rowsIn(database).bodies, 1);

    await (await reopen(database, 30))[Symbol.asyncDispose]();
    equal(rowsIn(database).deliveries, 522);
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
    equal(rowsIn(database).events, 522);
  });
});
