import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { getSdkSubscriber, postSdkReceipt, type SdkSubscriberAnswer } from "../../../mod.ts";
import { getCustomer, listCustomerSubscriptions } from "../../../lib/resources/customers.ts";
import { createOffering } from "../../../lib/resources/offerings.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import {
  appOf,
  buy,
  newToken,
  openTestStore,
  type SdkApp,
  sim,
} from "../../support/sdk_fixture.ts";

/** The types of the project's events about test purchases, oldest first. */
async function eventTypes(desk: Desk): Promise<string[]> {
  const { items } = await sim<{ items: { type: string }[] }>(desk, "GET", "/events?limit=100");
  return items.map(({ type }) => type);
}

/** Prints the receipt of a purchase in a simulated store. */
async function printReceipt(desk: Desk, app: SdkApp, customer_id: string, more: object = {}) {
  const { items } =
    await (await desk.send("GET", `/v2/projects/${desk.projectId}/products?limit=100`))
      .json();
  const product = items.find((one: { app_id: string; type: string }) =>
    one.app_id === app.id && one.type === "subscription"
  );
  const { fetch_token } = await sim<{ fetch_token: string }>(desk, "POST", "/receipts", {
    customer_id,
    product_id: product.id,
    price: 9.99,
    duration: "P1M",
    ...more,
  });
  return fetch_token;
}

Deno.test("a purchase in the test store has the effects of a simulated purchase", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const fetch_token = newToken();
  const { subscriber } = await buy(app, "ada", "annual", {
    fetch_token,
    presented_offering_identifier: "default",
    currency: "USD",
  });
  const { annual } = subscriber.subscriptions;
  equal(annual?.store, "test_store");
  equal(annual?.store_transaction_id, fetch_token);
  deepEqual(annual?.price, { amount: 59.99, currency: "USD" });
  equal(annual?.is_sandbox, true);
  equal(subscriber.entitlements["pro"]?.product_identifier, "annual");
  const { items: [held] } = await listCustomerSubscriptions(desk.client, "ada");
  equal(held?.presented_offering_id?.startsWith("ofrng"), true);
  equal(held?.total_revenue_in_usd.gross, 59.99);
  deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE"]);
  const chart = await (await desk.send(
    "GET",
    `/v2/projects/${desk.projectId}/metrics/overview?environment=sandbox`,
  )).json();
  ok(Array.isArray(chart.metrics));
});

Deno.test("a purchase keeps the offering that the app showed, if the project has it", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const sale = { lookup_key: "summer", display_name: "Summer" };
  const { id } = await createOffering(desk.client, sale);
  for (const [user, shown, kept] of [["ada", "summer", id], ["grace", "gone", null]] as const) {
    await buy(app, user, "annual", { presented_offering_identifier: shown });
    const { items: [held] } = await listCustomerSubscriptions(desk.client, user);
    equal(held?.presented_offering_id, kept);
  }
});

Deno.test("a product with a trial is bought with the trial once, and then without", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const { subscriber } = await buy(app, "ada", "monthly");
  equal(subscriber.subscriptions["monthly"]?.period_type, "trial");
  await sim(desk, "POST", "/clock/advance", { by: "P1D" });
  const again = await buy(app, "ada", "monthly");
  equal(again.subscriber.subscriptions["monthly"]?.period_type, "normal");
});

Deno.test("32 receipts with one token at once are one purchase", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const receipt = { app_user_id: "ada", product_id: "annual", fetch_token: newToken() };
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => postSdkReceipt(app.client, receipt)),
  );
  const shown = new Set(
    answers.map(({ subscriber: { last_seen: _, ...rest } }) => JSON.stringify(rest)),
  );
  equal(shown.size, 1);
  equal((await listCustomerSubscriptions(desk.client, "ada")).items.length, 1);
  deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE"]);
  for (const product_id of ["coins", "lifetime"]) {
    const once = { app_user_id: "ada", product_id, fetch_token: newToken() };
    await Promise.all(Array.from({ length: 32 }, () => postSdkReceipt(app.client, once)));
  }
  const bought = (await eventTypes(desk)).filter((type) => type === "NON_RENEWING_PURCHASE");
  equal(bought.length, 2);
});

Deno.test("the token of a renewed subscription stays valid", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const fetch_token = newToken();
  await buy(app, "ada", "annual", { fetch_token });
  await sim(desk, "POST", "/clock/advance", { by: 3_700_000 });
  await buy(app, "ada", "annual", { fetch_token });
  equal((await listCustomerSubscriptions(desk.client, "ada")).items.length, 1);
  deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE", "RENEWAL"]);
});

Deno.test("a product that the test store cannot sell is refused with its code", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  await buy(app, "ada", "annual");
  await rejects(buy(app, "ada", "annual"), { type: "v1_7772", message: /already subscribed/ });
  await rejects(buy(app, "ada", "nothing"), { type: "v1_7226", message: /sells no product/ });
  const bad = { fetch_token: "GPA.1234" };
  await rejects(buy(app, "ada", "coins", bad), { type: "v1_7103", message: /must be test_/ });
  for (
    const [length, message] of [[1e6, /must be test_/], [1e6 + 1, /1 to 1000000 char/]] as const
  ) {
    const long = { fetch_token: "x".repeat(length) };
    await rejects(buy(app, "ada", "coins", long), { message });
  }
  await rejects(buy(app, "null", "coins"), { type: "v1_7256" });
  await rejects(buy(app, "", "coins"), { type: "v1_7220" });
  deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE"]);
});

Deno.test("the project's setting decides when a second customer restores a purchase", async () => {
  for (const behavior of ["transfer", "share", "keep"]) {
    await using desk = await openDesk();
    const app = await openTestStore(desk);
    await sim(desk, "POST", "/settings", { restore_behavior: behavior });
    const fetch_token = newToken();
    await buy(app, "ada", "annual", { fetch_token });
    const restored = buy(app, "grace", "annual", { fetch_token, initiation_source: "restore" });
    if (behavior === "keep") {
      await rejects(restored, { type: "v1_7102", message: /belongs to another customer/ });
      const { active_entitlements } = await getCustomer(desk.client, "ada");
      equal(active_entitlements?.items.length, 1);
      deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE"]);
      continue;
    }
    deepEqual(Object.keys((await restored).subscriber.entitlements), ["pro"], behavior);
    const ada = await getSdkSubscriber(app.client, "ada");
    deepEqual(Object.keys(ada.subscriber.entitlements), behavior === "share" ? ["pro"] : []);
    const transfers = behavior === "transfer" ? ["TRANSFER"] : [];
    deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE", ...transfers], behavior);
  }
});

Deno.test("a purchase of an anonymous customer always moves to the customer who restores it", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  await sim(desk, "POST", "/settings", { restore_behavior: "keep" });
  const fetch_token = newToken();
  await buy(app, "$RCAnonymousID:0123456789abcdef0123456789abcdef", "annual", { fetch_token });
  const { subscriber } = await buy(app, "grace", "annual", { fetch_token });
  deepEqual(Object.keys(subscriber.entitlements), ["pro"]);
});

Deno.test("a printed receipt is accepted once, and then known", async () => {
  for (const type of ["app_store", "play_store"]) {
    await using desk = await openDesk();
    const app = await appOf(desk, type);
    const fetch_token = await printReceipt(desk, app, "ada");
    deepEqual(await eventTypes(desk), [], "the service learns of it from the app");
    const send = (app_user_id: string): Promise<SdkSubscriberAnswer> =>
      postSdkReceipt(app.client, { app_user_id, fetch_token, is_restore: false });
    const first = await send("ada");
    const [subscription] = Object.values(first.subscriber.subscriptions);
    equal(subscription?.store, type);
    equal(subscription?.product_plan_identifier !== undefined, type === "play_store");
    const again = await send("ada");
    deepEqual(again.subscriber.subscriptions, first.subscriber.subscriptions);
    deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE"]);
    await send("grace");
    deepEqual(await eventTypes(desk), ["INITIAL_PURCHASE", "TRANSFER"]);
    await rejects(postSdkReceipt(app.client, { app_user_id: "ada", fetch_token: "MIIT0wYJ" }), {
      type: "v1_7103",
      message: /cli simulate purchase --receipt/,
    });
    const other = await appOf(desk, type === "app_store" ? "play_store" : "app_store");
    await rejects(postSdkReceipt(other.client, { app_user_id: "ada", fetch_token }), {
      type: "v1_7103",
    });
  }
});

Deno.test("a token of one test store buys nothing in another, and nobody has an empty name", async () => {
  await using desk = await openDesk();
  const [app, other] = [await openTestStore(desk), await openTestStore(desk)];
  const fetch_token = newToken();
  await buy(app, "ada", "monthly", { fetch_token });
  await rejects(buy(other, "grace", "monthly", { fetch_token }), { status: 409 });
  const { subscriber } = await getSdkSubscriber(app.client, "ada");
  deepEqual(Object.keys(subscriber.subscriptions), ["monthly"]);
  await rejects(buy(app, "", "monthly"), {
    type: "v1_7220",
    message: /An app user id must have at least 1 character/,
  });
});

Deno.test("a receipt can include attributes", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const attributes = { $email: { value: "ada@example.com", updated_at_ms: 1000 } };
  await buy(app, "ada", "coins", { attributes });
  const customer = await getCustomer(desk.client, "ada", { expand: ["attributes"] });
  equal(customer.attributes?.items[0]?.value, "ada@example.com");
});
