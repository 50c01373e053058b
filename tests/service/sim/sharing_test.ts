import { deepEqual, equal } from "node:assert/strict";
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
