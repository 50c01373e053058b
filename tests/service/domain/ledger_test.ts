import { deepEqual } from "node:assert/strict";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("a one-time purchase counts as a payment, and its refund as a refund", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.purchase({ product_id: "notes.pro.lifetime", price: 99 });
  await sim.post(`/purchases/${id}/refund`);
  await sim.post(`/purchases/${id}/reverse_refund`);
  const rows = await sim.rows("movements");
  deepEqual(
    rows.map(({ kind, purchase_id, payments_delta, refunds_delta, gross_usd_micros }) => [
      kind,
      purchase_id,
      payments_delta,
      refunds_delta,
      gross_usd_micros,
    ]),
    [
      ["purchase", id, 1, 0, 99e6],
      ["refund", id, 0, 1, -99e6],
      ["refund_reversal", id, 0, -1, 99e6],
    ],
  );
});

Deno.test("a free one-time purchase counts as nothing", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await sim.purchase({ product_id: "notes.pro.lifetime", price: 0 });
  deepEqual(await sim.rows("movements"), []);
});

Deno.test("a refund of a subscription's payment counts as a refund, and its reversal takes it back", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "refund");
  await sim.act(id, "reverse_refund");
  const rows = await sim.rows("movements");
  deepEqual(
    rows.map(({ kind, payments_delta, refunds_delta }) => [kind, payments_delta, refunds_delta]),
    [
      ["start", 1, 0],
      ["refund", 0, 1],
      ["refund_reversal", 0, -1],
    ],
  );
});

Deno.test("a period that costs nothing is no payment, and the first charge is one", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await sim.subscribe({ product_id: "notes.pro.monthly", trial: "P1W" });
  await sim.advance("P1W");
  await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "bob", price: 0 });
  const rows = await sim.rows("movements");
  deepEqual(rows.map(({ kind, payments_delta }) => [kind, payments_delta]), [
    ["trial_start", 0],
    ["trial_conversion", 1],
    ["start", 0],
  ]);
});
