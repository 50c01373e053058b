import { deepEqual, equal, match, ok } from "node:assert/strict";
import { listSubscriptionTransactions } from "../../../lib/resources/subscriptions.ts";
import { CURRENCIES, decimalsOf, USD_PER_UNIT } from "../../../lib/service/domain/currencies.ts";
import { frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";
import { productNamed } from "../../support/simulation.ts";

/** The codes of ISO 4217 in use whose minor unit is not a hundredth, from its table. */
const MINOR_UNITS: Record<string, string> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
};

Deno.test("every currency of the platform has a rate, and the decimals of ISO 4217", () => {
  deepEqual([...CURRENCIES].sort(), Intl.supportedValuesOf("currency"));
  for (const code of CURRENCIES) {
    const [digits] = Object.entries(MINOR_UNITS).find(([, codes]) => codes.includes(code)) ?? ["2"];
    equal(decimalsOf(code), Number(digits), code);
    ok((USD_PER_UNIT.get(code) ?? 0) > 0, code);
  }
});

Deno.test("a price in any store currency is accepted with its smallest unit", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const product_id = "notes.pro.monthly";
  for (const code of "AED CLP COP EGP HUF IQD KWD KZT NGN PEN RON SAR TND".split(" ")) {
    const unit = 10 ** -decimalsOf(code);
    const price = Number((10 + unit).toFixed(3));
    const { id } = await sim.subscribe({ product_id, customer_id: code, price, currency: code });
    const { items: [payment] } = await listSubscriptionTransactions(desk.client, id);
    const { gross, currency } = payment?.revenue_in_local_currency ?? {};
    deepEqual([gross, currency], [price, code]);
    const body = { product_id, customer_id: code, price: price + unit / 10, currency: code };
    equal((await sim.send("POST", "/purchases", body)).status, 422, code);
  }
});

Deno.test("a price has the decimals of its currency, also after conversion", async () => {
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
