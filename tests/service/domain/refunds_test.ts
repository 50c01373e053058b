import { deepEqual } from "node:assert/strict";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("a reversed refund returns access until the end of the paid period, and not from there", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id, current_period_ends_at: end } = await sim.subscribe({
    product_id: "notes.pro.monthly",
  });
  const late = await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "bob" });
  for (const one of [id, late.id]) await sim.act(one, "refund");
  await sim.advanceTo(Number(end) - 1);
  const before = await sim.act(id, "reverse_refund");
  await sim.advanceTo(Number(end));
  const at = await sim.act(late.id, "reverse_refund");
  deepEqual([before.status, at.status], ["active", "expired"]);
});
