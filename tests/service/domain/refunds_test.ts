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

Deno.test("a refund and its reversal take back and return the whole payment", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly", price: 10 });
  const seen = async () => {
    const [row] = await sim.rows("subscriptions");
    const movement = (await sim.rows("movements")).at(-1);
    const event = (await sim.newEvents()).find(({ type }) => /CANCELLATION|REFUND/.test(`${type}`));
    return [row?.gross_usd_micros, movement?.gross_usd_micros, event?.["price"]];
  };
  await sim.newEvents();
  await sim.act(id, "refund");
  deepEqual(await seen(), [0, -10e6, -10]);
  await sim.act(id, "reverse_refund");
  deepEqual(await seen(), [10e6, 10e6, 10]);
});
