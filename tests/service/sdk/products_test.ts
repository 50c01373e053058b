import { deepEqual, equal } from "node:assert/strict";
import {
  checkSdkIntroEligibility,
  getSdkBranding,
  getSdkProductEntitlements,
  listSdkProducts,
  listSdkWorkflows,
  sendSdkDiagnostics,
  sendSdkEvents,
} from "../../../mod.ts";
import { createProduct } from "../../../lib/resources/products.ts";
import { openDesk } from "../../support/harness.ts";
import { appOf, buy, openTestStore, sim } from "../../support/sdk_fixture.ts";

Deno.test("an app reads the products that it can sell, in the requested order", async () => {
  await using desk = await openDesk();
  const { client } = await openTestStore(desk);
  const id = ["coins", "monthly", "nothing", "annual", "coins"];
  const { product_details } = await listSdkProducts(client, "ada", { id });
  deepEqual(product_details.map(({ identifier }) => identifier), ["coins", "monthly", "annual"]);
  const [coins, monthly, annual] = product_details;
  equal(coins?.product_type, "consumable");
  deepEqual(coins?.purchase_options["base_option"]?.base_price, {
    amount_micros: 4_990_000,
    currency: "USD",
  });
  deepEqual(monthly?.purchase_options["base_option"]?.base, {
    period_duration: "P1M",
    price: { amount_micros: 9_990_000, currency: "USD" },
    cycle_count: 1,
  });
  const trial = monthly?.purchase_options["base_option"]?.trial;
  deepEqual(trial, { period_duration: "P1W", price: null, cycle_count: 1 });
  equal(annual?.purchase_options["base_option"]?.trial, null);
  const euros = await listSdkProducts(client, "ada", { id: ["coins"], currency: "EUR" });
  equal(euros.product_details[0]?.purchase_options["base_option"]?.base_price?.currency, "EUR");
});

Deno.test("a price is in the product's own currency, unless the app asks for a known one", async () => {
  await using desk = await openDesk();
  const { client, products } = await openTestStore(desk);
  await sim(desk, "POST", `/products/${products["coins"]}/price`, { price: 4.5, currency: "EUR" });
  const priceIn = async (currency?: string) => {
    const query = { id: ["coins"], ...currency !== undefined && { currency } };
    const { product_details: [coins] } = await listSdkProducts(client, "ada", query);
    return coins?.purchase_options["base_option"]?.base_price;
  };
  deepEqual(await priceIn(), { amount_micros: 4_500_000, currency: "EUR" });
  deepEqual(await priceIn("XXX"), { amount_micros: 4_500_000, currency: "EUR" });
  equal((await priceIn("usd"))?.currency, "USD");
});

Deno.test("products of types that SDKs do not have are shown as non-consumable", async () => {
  await using desk = await openDesk();
  const { id: app_id, client } = await openTestStore(desk);
  const types = ["one_time", "non_subscription", "non_renewing_subscription"] as const;
  for (const type of types) {
    const { id } = await createProduct(desk.client, {
      app_id,
      store_identifier: type,
      type,
      title: "Notes",
    });
    await sim(desk, "POST", `/products/${id}/price`, { price: 5 });
  }
  const { product_details } = await listSdkProducts(client, "ada", { id: [...types, "coins"] });
  deepEqual(product_details.map(({ product_type }) => product_type), [
    ...types.map(() => "non_consumable"),
    "consumable",
  ]);
});

Deno.test("a customer who has had a trial is not eligible for another one", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const ask = (user = "ada") =>
    checkSdkIntroEligibility(app.client, user, {
      product_identifiers: ["monthly", "annual", "coins", "nothing"],
    });
  deepEqual(await ask(), { monthly: true, annual: false, coins: null, nothing: null });
  await buy(app, "ada", "monthly");
  deepEqual(await ask(), { monthly: false, annual: false, coins: null, nothing: null });
  deepEqual(await ask("newcomer"), { monthly: true, annual: false, coins: null, nothing: null });
});

Deno.test("an app reads the entitlements of its products", async () => {
  await using desk = await openDesk();
  const { client } = await openTestStore(desk);
  const own = (await getSdkProductEntitlements(client)).product_entitlement_mapping;
  deepEqual(own["annual"], { product_identifier: "annual", entitlements: ["pro"] });
  deepEqual(own["coins"]?.entitlements, []);
  deepEqual(Object.keys(own), ["monthly", "annual", "coins", "lifetime"], "of no other app");
  const play = await appOf(desk, "play_store");
  const { product_entitlement_mapping } = await getSdkProductEntitlements(play.client);
  deepEqual(product_entitlement_mapping["notes_pro:monthly"], {
    product_identifier: "notes_pro",
    base_plan_id: "monthly",
    entitlements: ["pro"],
  });
});

Deno.test("an app reads its branding and no workflows, and its reports are dropped", async () => {
  await using desk = await openDesk();
  const { id, client } = await openTestStore(desk);
  const branding = await getSdkBranding(client);
  deepEqual([branding.id, branding.app_name], [id, "Notes in the browser"]);
  deepEqual(await listSdkWorkflows(client, "ada", { type: "paywall" }), { workflows: [] });
  deepEqual(await sendSdkEvents(client, { events: [{ type: "any" }] }), {});
  deepEqual(await sendSdkDiagnostics(client, { entries: [] }), {});
});

Deno.test("card payments return 501 with the way out, whoever asks with a key", async () => {
  await using desk = await openDesk();
  const { key } = await openTestStore(desk);
  for (
    const [method, path] of [
      ["POST", "prepare"],
      ["POST", "start"],
      ["GET", "session1"],
      ["PATCH", "session1"],
      ["POST", "session1/complete"],
    ] as const
  ) {
    const place = `/rcbilling/v1/checkout/${path}`;
    const answer = await desk.send(method, place, method === "GET" ? undefined : {}, {
      Authorization: `Bearer ${key}`,
    });
    const { message } = await answer.json();
    deepEqual([answer.status, /key of a test store/.test(message)], [501, true], place);
    equal((await desk.send(method, place, undefined, { Authorization: "" })).status, 401);
  }
});
