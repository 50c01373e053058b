import { deepEqual, equal, match } from "node:assert/strict";
import { frozen } from "../../support/activities.ts";
import { apiOf } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";
import { productNamed } from "../../support/simulation.ts";

Deno.test("a change to a product without a price needs one in the request", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { app_id } = await productNamed(desk, "notes.pro.monthly");
  const wanted = { app_id, store_identifier: "notes.new", type: "subscription" };
  const product = await apiOf(desk).post("/products", { ...wanted, display_name: "New" });
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const change = { product_id: "notes.new", duration: "P1M" };
  const refused = await sim.send("POST", `/subscriptions/${id}/change_product`, change);
  const { type, param, message } = await refused.json();
  deepEqual([refused.status, type, param], [422, "parameter_error", "price"]);
  match(message, /has no price/);
  const changed = await sim.act(id, "change_product", { ...change, price: 4.99 });
  equal(changed.product_id, product.id);
});
