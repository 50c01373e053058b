import { equal, match } from "node:assert/strict";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("there is one free trial, before any payment", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const trial = async (product_id: string, more: object = {}) => {
    const response = await sim.send("POST", "/purchases", {
      customer_id: "ada",
      product_id,
      trial: true,
      ...more,
    });
    const { param, message = "" } = await response.json();
    return response.status === 201 ? "given" : `${param}: ${message.replace(/sub\w+/, "sub")}`;
  };
  const had = "trial: 'trial' is not allowed here: the customer already had the product, with sub";
  for (const product_id of ["notes.pro.monthly", "notes_pro:monthly", "notes_web_monthly"]) {
    equal(await trial(product_id), "given", product_id);
    await sim.advance("P1W");
    const [row] = (await sim.rows("subscriptions")).slice(-1);
    await sim.act(row?.id ?? "", "expire");
    equal(await trial(product_id), had, "a second one, after it was paid");
    equal(await trial(product_id, { environment: "sandbox" }), "given", "play money");
    equal(await trial(product_id, { customer_id: `not ada ${product_id}` }), "given");
  }
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  match(await trial("notes.pro.annual"), /pays for sub, in the same subscription group/);
  await sim.subscribe({ product_id: "notes_pro:monthly" });
  equal(await trial("notes_pro:annual"), "given", "other stores have no such groups");
});
