import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { wasAttempted } from "../../../lib/service/events/claims.ts";
import { openDatabase } from "../../../lib/service/store/mod.ts";
import { openPostOffice } from "../../support/delivery_fixture.ts";
import { answers, openReceiver } from "../../support/receiver.ts";
import { inFolder } from "../../support/store_fixture.ts";

Deno.test("a delivery was attempted when it is over or waits, each on its own", async () => {
  await inFolder(async (folder) => {
    const database = join(folder, "data.db");
    using receiver = openReceiver();
    const office = await openPostOffice({ database });
    const webhook = await office.subscribe(receiver);
    await office.buy("ada");
    await office.idle();
    receiver.behave = answers(500);
    await office.buy("bob");
    await office.idle();
    const deliveries = await office.deliveries(webhook);
    const { projectId } = office.desk;
    await office[Symbol.asyncDispose]();
    const store = await openDatabase({ file: database, clock: Date.now });
    try {
      const due = deliveries[1]?.next_attempt_at ?? 0;
      const attempted = (id: string, now: number) =>
        store.read((tx) => wasAttempted(tx, { projectId, id, now }));
      const found = await Promise.all(
        deliveries.flatMap(({ id }) => [due - 1, due].map((now) => attempted(id, now))),
      );
      deepEqual(found, [true, true, true, false]);
      deepEqual(await attempted("none", due), true);
    } finally {
      await store.close();
    }
  });
});
