import { equal } from "node:assert/strict";
import { countDue } from "../../../lib/service/ledger/due.ts";
import { inProject } from "../../../lib/service/store/mod.ts";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("due steps are estimated by each kind of subscription", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const monthly = await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "ada" });
  await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "bob" });
  await sim.subscribe({ product_id: "notes.pro.annual", customer_id: "eve" });
  await sim.act(monthly.id, "cancel");
  const until = await sim.now() + 380 * 86_400_000;
  const count = await desk.service.store.read((tx) =>
    countDue(inProject(tx, desk.projectId), until)
  );
  // One end, twelve monthly renewals and an annual one.
  equal(count, 14);
});
