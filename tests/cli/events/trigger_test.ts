import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createApp } from "../../../lib/resources/apps.ts";
import { createProduct } from "../../../lib/resources/products.ts";
import { createVirtualCurrency } from "../../../lib/resources/virtual_currencies.ts";
import { EVENT_TYPES } from "../../../lib/cli/events/types.ts";
import { RECIPES } from "../../../lib/service/sim/trigger/recipes.ts";
import { CHOOSABLE_EVENT_TYPES as CHOOSABLE, SENT_EVENT_TYPES } from "../../../lib/event_types.ts";
import { openDesk } from "../../support/harness.ts";
import { DAY, productNamed, simulate, type Simulation } from "../../support/simulation.ts";
import { openTriggering, trigger, type Triggered } from "../../support/triggering.ts";

Deno.test("every triggerable type works in a new project, repeatedly", async () => {
  await using desk = await openTriggering({ buyers: true });
  for (const { type, trigger: can } of EVENT_TYPES) {
    if (!can) continue;
    equal((await trigger(desk, type)).type, type);
    equal((await trigger(desk, type)).type, type);
    if (type === "TEST") continue;
    const customer = `somebody-${type}`;
    await simulate(desk).subscribe({ customer_id: customer, product_id: "notes.pro.monthly" });
    for (let turn = 0; turn < 2; turn++) {
      const event = await trigger(desk, type.toLowerCase(), "--customer", customer);
      equal(event.type, type);
      if (type !== "TRANSFER") equal(event.customer_id, customer);
      else deepEqual(event.delivery.event["transferred_from"], [customer]);
    }
  }
});

Deno.test("a renewal keeps the currency of the customer's subscription", async () => {
  await using desk = await openTriggering();
  const { id } = await productNamed(desk, "notes.pro.monthly");
  const product_grants = [{ product_ids: [id], amount: 5 }];
  const path = `/v2/projects/${desk.projectId}/virtual_currencies`;
  equal((await desk.send("POST", path, { code: "GEM", name: "Gems", product_grants })).status, 201);
  for (let turn = 0; turn < 3; turn++) {
    await trigger(desk, "VIRTUAL_CURRENCY_TRANSACTION", "--customer", "ada");
  }
  equal((await simulate(desk).rows("subscriptions")).length, 1);
  equal((await simulate(desk).rows("transactions")).length, 3);
});

Deno.test("a subscription in a store without currencies does not count as one that brings some", async () => {
  await using desk = await openTriggering({ buyers: false });
  const app = await createApp(desk.client, {
    name: "Amazon",
    type: "amazon",
    amazon: { package_name: "com.example.notes" },
  });
  const product = await createProduct(desk.client, {
    app_id: app.id,
    store_identifier: "monthly.amazon",
    type: "subscription",
  });
  const { id } = await productNamed(desk, "notes.pro.monthly");
  await createVirtualCurrency(desk.client, {
    code: "GEM",
    name: "Gems",
    product_grants: [{ product_ids: [product.id, id], amount: 5 }],
  });
  const sim = simulate(desk);
  await sim.subscribe({ product_id: "monthly.amazon", price: 3, duration: "P1M" });
  await trigger(desk, "VIRTUAL_CURRENCY_TRANSACTION", "--customer", "ada");
  const bought = (await sim.rows("subscriptions")).map((row) => row.product_id);
  deepEqual(bought, [product.id, id]);
});

/** All types of the documents. */
const DOCUMENTED = [
  ...["TEST", "INITIAL_PURCHASE", "RENEWAL", "CANCELLATION", "UNCANCELLATION", "EXPIRATION"],
  ...["NON_RENEWING_PURCHASE", "SUBSCRIPTION_PAUSED", "BILLING_ISSUE", "PRODUCT_CHANGE"],
  ...["TRANSFER", "SUBSCRIPTION_EXTENDED", "TEMPORARY_ENTITLEMENT_GRANT", "REFUND_REVERSED"],
  ...["INVOICE_ISSUANCE", "VIRTUAL_CURRENCY_TRANSACTION", "EXPERIMENT_ENROLLMENT"],
  ...["SUBSCRIBER_ALIAS", "PURCHASE_REDEEMED", "PRICE_INCREASE_CONSENT_REQUIRED"],
  ...["PRICE_INCREASE_CONSENT_APPROVED", "PAYWALL_IMPRESSION", "PAYWALL_CLOSE"],
  ...["PAYWALL_CANCEL", "PAYWALL_EXIT_OFFER", "PAYWALL_COMPONENT_INTERACTED"],
];

Deno.test("the triggerable types match the service's recipes, and all types are listed", () => {
  const can = EVENT_TYPES.filter(({ trigger }) => trigger).map(({ type }) => type);
  deepEqual(can.toSorted(), Object.keys(RECIPES).toSorted());
  deepEqual(can.toSorted(), SENT_EVENT_TYPES.toSorted());
  const known = EVENT_TYPES.map(({ type }) => type.toLowerCase());
  deepEqual(CHOOSABLE.filter((type) => !known.includes(type)), []);
  deepEqual(CHOOSABLE.filter((type) => !can.includes(type.toUpperCase())), []);
  deepEqual(EVENT_TYPES.map(({ type }) => type).toSorted(), DOCUMENTED.toSorted());
});

Deno.test("events trigger uses the customer's purchases", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await trigger(desk, "CANCELLATION", "--customer", "ada");
  const rows = await sim.rows("subscriptions");
  deepEqual(rows.map((row) => [row.id, row.auto_renewal_status]), [[id, "will_not_renew"]]);
  const { code, out, err } = await desk.run(
    "events",
    "trigger",
    "uncancellation",
    "--customer",
    "ada",
  );
  equal(code, 0, err);
  match(out, /^type +UNCANCELLATION$/m);
  match(err, /^Triggered UNCANCELLATION of ada\n/);
  deepEqual((await sim.rows("subscriptions")).length, 1);
});

/** Events without the period of a product, and one with a week more. */
const OTHER_PERIODS = [
  ...["NON_RENEWING_PURCHASE", "INVOICE_ISSUANCE", "TRANSFER", "VIRTUAL_CURRENCY_TRANSACTION"],
  ...["TEMPORARY_ENTITLEMENT_GRANT", "TEST", "SUBSCRIPTION_EXTENDED"],
];

Deno.test("a triggered event has one period of its product", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  await sim.post("/clock/freeze");
  const now = await sim.now();
  const period = ({ delivery: { event } }: Triggered) => {
    const [from, to] = [Number(event["purchased_at_ms"]), Number(event["expiration_at_ms"])];
    return { from, days: (to - from) / DAY };
  };
  const check = (days: number, said: string) => ok(days >= 28 && days <= 31, `${said}: ${days}`);
  const monthly = ["--override", "purchase.product_id=notes_pro:monthly"];
  const other = ["--override", "purchase.product_id=notes.pro.monthly"];
  for (const type of Object.keys(RECIPES)) {
    if (OTHER_PERIODS.includes(type)) continue;
    const words = type === "REFUND_REVERSED" ? other : monthly;
    check(period(await trigger(desk, type, ...words)).days, type);
  }
  // No purchase is before 1970.
  const long = await trigger(desk, "EXPIRATION", "--override", "purchase.duration=P90Y");
  equal(period(long).from, now);
  // The period that is over ends now, and the next one begins.
  const renewed = await trigger(desk, "RENEWAL", ...monthly);
  equal(Math.round((now - period(renewed).from) / (4 * DAY)), 0);
  const told = await trigger(desk, "CANCELLATION", "--customer", renewed.customer_id);
  deepEqual(period(told), period(renewed));
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  for (let turn = 0; turn < 3; turn++) {
    check(period(await trigger(desk, "RENEWAL", "--customer", "ada")).days, `early, ${turn}`);
  }
});

/** Events that can be repeated with one subscription, with their source. */
const REPEATED = {
  RENEWAL: "notes.pro.monthly",
  CANCELLATION: "notes.pro.monthly",
  UNCANCELLATION: "notes.pro.monthly",
  BILLING_ISSUE: "notes.pro.monthly",
  SUBSCRIPTION_EXTENDED: "notes.pro.monthly",
  SUBSCRIPTION_PAUSED: "notes_pro:monthly",
  REFUND_REVERSED: "notes.pro.monthly",
  PRICE_INCREASE_CONSENT_REQUIRED: "notes.pro.monthly",
  PRICE_INCREASE_CONSENT_APPROVED: "notes.pro.monthly",
};

/** Things that leave a subscription as it can be found. */
const STATES: Record<string, (sim: Simulation, id: string) => Promise<unknown>> = {
  "is renewed already": (sim, id) => sim.act(id, "renew"),
  "is cancelled": (sim, id) => sim.act(id, "cancel"),
  "is in grace": (sim, id) => sim.act(id, "fail"),
  "is in grace and cancelled": async (sim, id) => {
    await sim.act(id, "fail");
    await sim.act(id, "cancel");
  },
  "is not paid for": (sim, id) => sim.act(id, "fail", { grace: null }),
  "will fail": (sim, id) => sim.act(id, "fail", { when: "renewal" }),
  "waits for consent": (sim, id) => sim.act(id, "raise_price", { price: 90 }),
  "will change": (sim, id) =>
    sim.act(id, "change_product", { product_id: "notes_pro:annual", when: "period_end" }),
  "will pause": (sim, id) => sim.act(id, "pause"),
  "is paused": async (sim, id) => {
    await sim.act(id, "pause");
    await sim.advance("P2M");
  },
  "is refunded": (sim, id) => sim.act(id, "refund", { keep_access: true }),
  "was extended": (sim, id) => sim.act(id, "extend", { by: "P1W" }),
};

for (const [type, product_id] of Object.entries(REPEATED)) {
  Deno.test(`events trigger ${type} ten times uses the same subscription`, async () => {
    await using desk = await openTriggering();
    const sim = simulate(desk);
    const { id } = await sim.subscribe({ product_id });
    await sim.newEvents();
    for (let turn = 0; turn < 10; turn++) {
      await trigger(desk, type, "--customer", "ada");
      const told = (await sim.newEvents()).filter((event) => event["type"] === type);
      equal(told.length, 1, `turn ${turn}`);
    }
    deepEqual((await sim.rows("subscriptions")).map((row) => row.id), [id]);
  });
}

Deno.test("events trigger works with a subscription in any state", async () => {
  for (const [state, reach] of Object.entries(STATES)) {
    await using desk = await openTriggering();
    const sim = simulate(desk);
    for (const type of [...Object.keys(REPEATED), "PRODUCT_CHANGE", "EXPIRATION", "TRANSFER"]) {
      if (type === "REFUND_REVERSED") continue;
      const customer_id = `has ${type}`;
      const { id } = await sim.subscribe({ customer_id, product_id: "notes_pro:monthly" });
      await reach(sim, id);
      await trigger(desk, type, "--customer", customer_id);
      const said = `${type} when it ${state}`;
      const all = await sim.rows("subscriptions");
      // Those before it are of other customers.
      const rows = all.slice(all.findIndex((row) => row.id === id));
      // A change of a product that is paid for makes another subscription of it.
      deepEqual(rows[0]?.id, id, said);
      equal(rows.length, type === "PRODUCT_CHANGE" ? 2 : 1, said);
    }
  }
});

/** Events that need a paid period. */
const PAID_FIRST = [
  ...["RENEWAL", "SUBSCRIPTION_PAUSED", "REFUND_REVERSED"],
  ...["PRICE_INCREASE_CONSENT_REQUIRED", "PRICE_INCREASE_CONSENT_APPROVED"],
];

Deno.test("events trigger starts a trial, or converts it if needed", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  for (const type of [...Object.keys(REPEATED), "PRODUCT_CHANGE", "EXPIRATION", "TRANSFER"]) {
    const customer_id = `tries ${type}`;
    const before = (await sim.rows("subscriptions")).length;
    const store = type === "REFUND_REVERSED" ? "notes.pro.annual" : "notes_pro:annual";
    await sim.subscribe({ customer_id, product_id: store, trial: true });
    await sim.newEvents();
    await trigger(desk, type, "--customer", customer_id);
    equal((await sim.rows("subscriptions")).length, before + 1, type);
    const renewed = (await sim.newEvents()).some((event) => event["type"] === "RENEWAL");
    equal(renewed, PAID_FIRST.includes(type), type);
  }
});

Deno.test("events trigger renews ten times at the price of ten periods", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  await sim.post("/clock/freeze");
  const bought = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const ends: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const { delivery: { event } } = await trigger(desk, "RENEWAL", "--customer", "ada");
    equal(event["renewal_number"], turn + 2);
    ends.push(Number(event["expiration_at_ms"]));
  }
  const days = ends.map((end, i) => (end - (ends[i - 1] ?? bought.ends_at ?? 0)) / DAY);
  ok(days.every((length) => length >= 28 && length <= 31), `${days}`);
  const payments = await sim.rows("transactions");
  deepEqual(payments.map((row) => row.gross_micros), Array(11).fill(9_990_000));
  const [row] = await sim.rows("subscriptions");
  equal(row?.gross_usd_micros, 11 * 9_990_000);
});

Deno.test("events trigger reverses a refund, and transfers purchases", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "refund");
  await sim.newEvents();
  await trigger(desk, "REFUND_REVERSED", "--customer", "ada");
  deepEqual((await sim.newEvents()).map((event) => event["type"]), ["REFUND_REVERSED"]);
  equal((await sim.rows("subscriptions"))[0]?.status, "active");

  await sim.purchase({ product_id: "notes.pro.lifetime", customer_id: "grace" });
  const words = ["--customer", "grace", "--override", "transfer.target_customer_id=ada"];
  const { code, err } = await desk.run("events", "trigger", "transfer", ...words);
  equal(code, 0, err);
  match(err, /^Triggered TRANSFER from grace to ada\n/);
  equal((await sim.rows("subscriptions")).length, 1);
  deepEqual((await sim.rows("purchases")).map((row) => row.customer_id), ["ada"]);
});

Deno.test("events trigger buys again, ends obstacles, and names those that it cannot end", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  for (let turn = 0; turn < 6; turn++) {
    const trial = ["--override", "purchase.trial=true"];
    await trigger(desk, "INITIAL_PURCHASE", "--customer", "ada", ...trial);
  }
  // A purchase after a trial alone makes a RENEWAL.
  const { code, err } = await desk.run(
    "events",
    "trigger",
    "initial_purchase",
    "--customer",
    "ada",
  );
  equal(code, 7);
  match(err, /no product to buy: it must be a subscription .* without a current purchase .*: end /);
  const [last] = (await sim.rows("subscriptions")).toReversed();
  const hint = `${last?.id} prevents it; end it with: cli simulate expire ${last?.id}`;
  ok(err.includes(hint), err);
  // These always find a way.
  const turns = ["NON_RENEWING_PURCHASE", "INVOICE_ISSUANCE", "TRANSFER", "EXPIRATION"];
  const more = ["INITIAL_PURCHASE", "PRODUCT_CHANGE", "TEMPORARY_ENTITLEMENT_GRANT"];
  for (const type of [...turns, ...more]) {
    await using other = await openTriggering();
    for (let turn = 0; turn < 10; turn++) await trigger(other, type, "--customer", "ada");
  }
});

Deno.test("a subscription expired by hand has its cancellation's reason", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const reasonOf = async (...words: string[]) =>
    (await trigger(desk, "EXPIRATION", ...words)).delivery.event["expiration_reason"];
  await trigger(desk, "CANCELLATION", "--customer", "ada");
  equal(await reasonOf("--customer", "ada"), "UNSUBSCRIBE");
  equal((await sim.rows("subscriptions")).find((row) => row.id === id)?.status, "expired");
  // Switched on again, it has no reason any more; and one that is named goes before.
  equal(await reasonOf(), "UNKNOWN");
  const failing = await sim.subscribe({ customer_id: "bob", product_id: "notes.pro.monthly" });
  await sim.act(failing.id, "fail");
  equal(await reasonOf("--customer", "bob"), "BILLING_ERROR");
  const cancelled = await sim.subscribe({ customer_id: "eve", product_id: "notes.pro.monthly" });
  await sim.act(cancelled.id, "cancel");
  const named = ["--override", "expire.reason=PRICE_INCREASE"];
  equal(await reasonOf("--customer", "eve", ...named), "PRICE_INCREASE");
});

Deno.test("events types lists every type with its meaning", async () => {
  await using desk = await openDesk();
  const { code, out } = await desk.run("events", "types");
  equal(code, 0);
  equal(out.trimEnd().split("\n").length, EVENT_TYPES.length + 1);
  match(out, /^PAYWALL_CLOSE +no +A paywall was closed \(no app sends it here\)$/m);
  match(out, /^RENEWAL +yes +A subscription renewed/m);
  const { json } = await desk.run("events", "types", "--output", "json");
  deepEqual(json(), { object: "list", items: EVENT_TYPES });
});
