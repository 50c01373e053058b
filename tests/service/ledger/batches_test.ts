import { deepEqual, equal } from "node:assert/strict";
import { inProject, writeRows } from "../../../lib/service/store/mod.ts";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";
import { DAY } from "../../support/simulation.ts";

/** One more than the subscriptions that the first batch loads. */
const COUNT = 257;

Deno.test("steps of more subscriptions than a batch loads happen in the order of their times", async () => {
  await using desk = await openDesk();
  const { service: { store }, projectId } = desk;
  const sim = await frozen(desk);
  await sim.subscribe({ product_id: "notes.pro.monthly", duration: "P1W" });
  const [first] = await sim.rows("subscriptions");
  await store.write(async (whole) => {
    if (!first) throw new Error("There is no subscription");
    const rows = Array.from({ length: COUNT - 1 }, (_, i) => ({
      ...first,
      id: `sub1more${i}`,
      seq: first.seq + 1000 + i,
    }));
    await writeRows(inProject(whole, projectId), "subscriptions", rows);
  }, projectId);
  await sim.advance(14 * DAY);
  const renewals = (await sim.rows("transactions")).map(({ purchased_at }) => purchased_at);
  equal(renewals.length, 2 * COUNT + 1);
  deepEqual(renewals, renewals.toSorted((one, other) => one - other));
});
