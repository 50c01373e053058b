import { deepEqual, equal } from "node:assert/strict";
import { acrossProjects } from "../../../lib/service/store/mod.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { checkSums } from "../../support/ledger_sums.ts";
import { DAY, productNamed, simulate } from "../../support/simulation.ts";

const NOW = Date.UTC(2026, 4, 13, 15, 30);
const TODAY = Date.UTC(2026, 4, 13);
/** Mondays of the weeks of payments. */
const MAY_11 = Date.UTC(2026, 4, 11);
const JUNE_8 = Date.UTC(2026, 5, 8);
const JUNE_15 = Date.UTC(2026, 5, 15);

Deno.test("the sums of cohorts follow refunds, merges and deletions", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const sim = simulate(desk);
  const anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef";
  const product_id = (await productNamed(desk, "notes.pro.monthly")).id;
  const buy = { product_id, price: 10, currency: "USD" };
  await sim.subscribe({ ...buy, customer_id: "named" });
  await sim.advance("P2D");
  const second = await sim.subscribe({ ...buy, customer_id: anonymous });
  await sim.advance("P31D");
  deepEqual(await cohortsOf(desk), [
    [TODAY, MAY_11, 1, 10_000_000],
    [TODAY, JUNE_8, 1, 10_000_000],
    [TODAY + 2 * DAY, MAY_11, 1, 10_000_000],
    [TODAY + 2 * DAY, JUNE_15, 1, 10_000_000],
  ]);
  await sim.act(second.id, "refund");
  await sim.post(`/customers/${encodeURIComponent(anonymous)}/aliases`, { alias: "named" });
  deepEqual(await cohortsOf(desk), [
    [TODAY, MAY_11, 2, 20_000_000],
    [TODAY, JUNE_8, 1, 10_000_000],
    [TODAY, JUNE_15, 2, 0],
  ]);
  await checkSums(desk.service.store, NOW);
  await desk.send("DELETE", `/v2/projects/${desk.projectId}/customers/named`);
  deepEqual(await cohortsOf(desk), []);
  await checkSums(desk.service.store, NOW);
});

Deno.test("a customer has paid where its payments were", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const sim = simulate(desk);
  const product_id = (await productNamed(desk, "notes.pro.monthly")).id;
  const buy = { product_id, price: 10, currency: "USD", customer_id: "buyer" };
  await sim.subscribe({ ...buy, trial: true, environment: "sandbox" });
  equal(await paidIn(desk, "buyer"), 0);
  await sim.advance("P40D");
  equal(await paidIn(desk, "buyer"), 2);
  const paid = await sim.subscribe({ ...buy, product_id: (await annual(desk)).id });
  equal(await paidIn(desk, "buyer"), 3);
  await sim.act(paid.id, "refund");
  equal(await paidIn(desk, "buyer"), 3, "refunded");
  await checkSums(desk.service.store, NOW);
});

Deno.test("a customer who is given a subscription has paid from its next renewal on", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const sim = simulate(desk);
  const product_id = (await productNamed(desk, "notes.pro.monthly")).id;
  await sim.subscribe({ product_id, price: 10, currency: "USD", customer_id: "giver" });
  await desk.send("POST", `/v2/projects/${desk.projectId}/customers`, { id: "taker" });
  const path = `/v2/projects/${desk.projectId}/customers/giver/actions/transfer`;
  equal((await desk.send("POST", path, { target_customer_id: "taker" })).status, 200);
  deepEqual([await paidIn(desk, "giver"), await paidIn(desk, "taker")], [1, 0]);
  await sim.advance("P32D");
  deepEqual([await paidIn(desk, "giver"), await paidIn(desk, "taker")], [1, 1]);
  await checkSums(desk.service.store, NOW);
});

function annual(desk: Desk) {
  return productNamed(desk, "notes.pro.annual");
}

/** Where a customer has paid. */
async function paidIn(desk: Desk, id: string): Promise<number> {
  const row = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("customers").select("paid_in").where("id", "=", id)
      .executeTakeFirstOrThrow()
  );
  return row.paid_in;
}

/** The sums of all cohorts: their days, the weeks of payments, their number and what was paid. */
async function cohortsOf(desk: Desk): Promise<number[][]> {
  const rows = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("cohort_payments").selectAll().orderBy("day").orderBy("week")
      .execute()
  );
  return rows.map((row) => [row.day, row.week, row.movements, row.gross_usd_micros]);
}
