import { deepEqual } from "node:assert/strict";
import { getCustomerHistory } from "../../../../lib/simulator/history.ts";
import { frozen } from "../../../support/activities.ts";
import { openDesk } from "../../../support/harness.ts";
import { simulatorOf } from "../../../support/population_fixture.ts";

Deno.test("a history has nothing of customers who share nothing with the customer", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  for (const customer_id of ["grace", "ada", "zoe"]) {
    await sim.subscribe({ customer_id, product_id: "notes.pro.monthly" });
    await sim.purchase({ customer_id, product_id: "notes.pro.lifetime" });
  }
  const history = await getCustomerHistory(simulatorOf(desk.service), "ada");
  deepEqual(history.customers.map(({ id }) => id), ["ada"]);
  const holdings = [...history.subscriptions, ...history.purchases];
  deepEqual(holdings.map((one) => one.customer_id), ["ada", "ada"]);
  const own = (await sim.rows("events")).filter((row) => row.customer_id === "ada");
  deepEqual(history.events.map(({ id }) => id), own.map(({ id }) => id));
});
