import { deepEqual, equal } from "node:assert/strict";
import { deleteCustomer, transferCustomer } from "../../../lib/resources/customers.ts";
import { openDesk } from "../../support/harness.ts";
import { simulate } from "../../support/simulation.ts";

Deno.test("a subscription is shared once with each other customer", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "ada" });
  const share = async (customer_id: string) => {
    const response = await sim.send("POST", `/subscriptions/${id}/family_share`, { customer_id });
    return [response.status, (await response.json()).message];
  };
  const statuses = [];
  for (const member of ["ben", "cleo", "ben"]) statuses.push(await share(member));
  deepEqual(statuses.map(([status]) => status), [200, 200, 422]);
  equal(statuses[2]?.[1], "The subscription is already shared with this customer");
  deepEqual((await share("ada"))[0], 400);
});

Deno.test("a share that its source's customer holds is deleted with both, without an event", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "ada" });
  for (const customer_id of ["ben", "cleo"]) {
    await sim.post(`/subscriptions/${id}/family_share`, { customer_id });
  }
  await transferCustomer(desk.client, "ada", { target_customer_id: "ben" });
  await sim.newEvents();
  await deleteCustomer(desk.client, "ben");
  const told = (await sim.newEvents()).map(({ type, app_user_id }) => [type, app_user_id]);
  deepEqual(told, [["EXPIRATION", "cleo"]], "only who stays is told");
  deepEqual((await sim.rows("subscriptions")).map((row) => row.customer_id), ["cleo"]);
});
