import { deepEqual, equal, match } from "node:assert/strict";
import { listSubscriptionTransactions } from "../../../lib/resources/subscriptions.ts";
import { CURRENCIES, decimalsOf } from "../../../lib/service/domain/money.ts";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";
import { productNamed } from "../../support/simulation.ts";

Deno.test("a price has the decimals that its currency has, also where it is converted", async () => {
  for (const code of CURRENCIES) {
    const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
    equal(decimalsOf(code), format.resolvedOptions().maximumFractionDigits, code);
  }
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const product_id = "notes.pro.monthly";
  const { id } = await productNamed(desk, product_id);
  const yen = await sim.subscribe({ product_id, price: 980, currency: "JPY" });
  const purchase = { path: "/purchases", body: { product_id, customer_id: "x" } };
  const tag = { path: `/products/${id}/price`, body: {} };
  for (const [price, currency] of [[980.5, "JPY"], [1.5, "KRW"], [0.001, "VND"], [9.999, "USD"]]) {
    for (const { path, body } of [purchase, tag]) {
      const response = await sim.send("POST", path, { ...body, price, currency });
      const { message, param } = await response.json();
      deepEqual([response.status, param], [422, "price"]);
      match(message, new RegExp(`^'price' must have .* decimals, .* ${currency}$`));
    }
  }
  const raise = { price: 1200.5 };
  equal((await sim.send("POST", `/subscriptions/${yen.id}/raise_price`, raise)).status, 422);
  const converted = await sim.subscribe({ product_id, customer_id: "y", currency: "JPY" });
  const { items } = await listSubscriptionTransactions(desk.client, converted.id);
  equal(items[0]?.revenue_in_local_currency.gross, 1491, "9.99 USD are 1491.04 JPY");
});
