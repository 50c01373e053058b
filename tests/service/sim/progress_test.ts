import { deepEqual } from "node:assert/strict";
import { leftUntil } from "../../../lib/service/sim/progress.ts";
import { inProject } from "../../../lib/service/store/mod.ts";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";
import { DAY } from "../../support/simulation.ts";

Deno.test("the rest of an advance takes as long for each step as the steps so far", async () => {
  await using desk = await openDesk();
  const { service: { store }, projectId: project_id } = desk;
  const sim = await frozen(desk);
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  const now = await sim.now();
  const to = now + 100 * DAY;
  const progress = { project_id, now, to, done: 10, took_ms: 500 };
  await store.read(async (whole) => {
    const tx = inProject(whole, project_id);
    deepEqual(await leftUntil(tx, to, progress), { left: 3, left_ms: 150 });
    deepEqual(await leftUntil(tx, to, { ...progress, done: 0 }), { left: 3, left_ms: null });
    deepEqual(await leftUntil(tx, to, undefined), { left: 3, left_ms: null });
  });
});
