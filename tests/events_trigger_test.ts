import { deepEqual, equal, match, ok } from "node:assert/strict";
import { EVENT_TYPES } from "../lib/cli/event_types.ts";
import { RECIPES } from "../lib/service/sim/trigger_recipes.ts";
import { EVENT_TYPES as CHOOSABLE } from "../lib/service/events/types.ts";
import { type Desk, type DeskOptions, openDesk } from "./harness.ts";
import { DAY, productNamed, simulate, type Simulation } from "./simulation.ts";

/** A desk whose command line may use the simulator. */
async function openTriggering(options: DeskOptions = {}): Promise<Desk> {
  const desk = await openDesk(options);
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  return desk;
}

/** Triggers an event that must come about. */
async function trigger(desk: Desk, ...words: string[]) {
  const { code, err, json } = await desk.run("events", "trigger", ...words, "--output", "json");
  equal(code, 0, `${words}: ${err}`);
  return json() as {
    type: string;
    customer_id: string;
    delivery: { event: Record<string, unknown> };
  };
}

Deno.test("every type that can be triggered comes about in a new project, again and again", async () => {
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

Deno.test("a renewal brings the currency of a subscription that is held", async () => {
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

Deno.test("what can be triggered is what the service has a way to, and types are complete", () => {
  const can = EVENT_TYPES.filter(({ trigger }) => trigger).map(({ type }) => type);
  deepEqual(can.toSorted(), Object.keys(RECIPES).toSorted());
  const known = EVENT_TYPES.map(({ type }) => type.toLowerCase());
  deepEqual(CHOOSABLE.filter((type) => !known.includes(type)), []);
  deepEqual(CHOOSABLE.filter((type) => !can.includes(type.toUpperCase())), []);
  deepEqual(EVENT_TYPES.map(({ type }) => type).toSorted(), DOCUMENTED.toSorted());
});

Deno.test("events trigger goes on with what the customer has, and makes it true", async () => {
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
  match(err, /^UNCANCELLATION of ada came about\n/);
  deepEqual((await sim.rows("subscriptions")).length, 1);
});

/** What comes about again and again with one subscription, and of what that is. */
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
  Deno.test(`events trigger ${type} ten times goes on with one subscription`, async () => {
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

Deno.test("events trigger goes on with a subscription whatever has become of it", async () => {
  for (const [state, reach] of Object.entries(STATES)) {
    for (const type of [...Object.keys(REPEATED), "PRODUCT_CHANGE", "EXPIRATION", "TRANSFER"]) {
      if (type === "REFUND_REVERSED") continue;
      await using desk = await openTriggering();
      const sim = simulate(desk);
      const { id } = await sim.subscribe({ product_id: "notes_pro:monthly" });
      await reach(sim, id);
      await sim.newEvents();
      await trigger(desk, type, "--customer", "ada");
      const said = `${type} when it ${state}`;
      const rows = await sim.rows("subscriptions");
      // A change of a product that is paid for makes another subscription of it.
      deepEqual(rows[0]?.id, id, said);
      equal(rows.length, type === "PRODUCT_CHANGE" ? 2 : 1, said);
    }
  }
});

/** What takes a paid period. */
const PAID_FIRST = [
  ...["RENEWAL", "SUBSCRIPTION_PAUSED", "REFUND_REVERSED"],
  ...["PRICE_INCREASE_CONSENT_REQUIRED", "PRICE_INCREASE_CONSENT_APPROVED"],
];

Deno.test("events trigger begins with a trial, or makes it paid where it must", async () => {
  for (const type of [...Object.keys(REPEATED), "PRODUCT_CHANGE", "EXPIRATION", "TRANSFER"]) {
    await using desk = await openTriggering();
    const sim = simulate(desk);
    const store = type === "REFUND_REVERSED" ? "notes.pro.annual" : "notes_pro:annual";
    await sim.subscribe({ product_id: store, trial: true });
    await sim.newEvents();
    await trigger(desk, type, "--customer", "ada");
    equal((await sim.rows("subscriptions")).length, 1, type);
    const renewed = (await sim.newEvents()).some((event) => event["type"] === "RENEWAL");
    equal(renewed, PAID_FIRST.includes(type), type);
  }
});

Deno.test("events trigger renews ten times as often as it says, at the price of ten periods", async () => {
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

Deno.test("events trigger undoes a refund that was made, and moves what is held", async () => {
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
  match(err, /^TRANSFER from grace to ada came about\n/);
  equal((await sim.rows("subscriptions")).length, 1);
  deepEqual((await sim.rows("purchases")).map((row) => row.customer_id), ["ada"]);
});

Deno.test("events trigger buys anew until there is nothing left, and says what to end", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  for (let turn = 0; turn < 6; turn++) await trigger(desk, "INITIAL_PURCHASE", "--customer", "ada");
  const { code, err } = await desk.run(
    "events",
    "trigger",
    "initial_purchase",
    "--customer",
    "ada",
  );
  equal(code, 7);
  match(err, /no product to buy that is a subscription .* and that the customer has not got: end /);
  const ids = (await sim.rows("subscriptions")).map((row) => row.id);
  equal(ids.length, 6);
  ok(err.includes(`In the way: ${ids.toReversed().join(" ")}; end one with: cli simulate expire`));
  await trigger(desk, "EXPIRATION", "--customer", "ada");
  await trigger(desk, "INITIAL_PURCHASE", "--customer", "ada");
  // These always find a way.
  const turns = ["NON_RENEWING_PURCHASE", "INVOICE_ISSUANCE", "TRANSFER", "EXPIRATION"];
  for (const type of [...turns, "PRODUCT_CHANGE", "TEMPORARY_ENTITLEMENT_GRANT"]) {
    await using other = await openTriggering();
    for (let turn = 0; turn < 10; turn++) await trigger(other, type, "--customer", "ada");
  }
});

Deno.test("events trigger takes overrides of all that is sent on the way", async () => {
  await using desk = await openTriggering();
  const { delivery: { event } } = await trigger(
    desk,
    "RENEWAL",
    "--override",
    "purchase.product_id=notes_web_annual",
    "--override",
    "purchase.price=12.5",
    "--override",
    "purchase.country=DE",
  );
  deepEqual([event.product_id, event.price, event.store, event.country_code], [
    "notes_web_annual",
    12.5,
    "SVC_BILLING",
    "DE",
  ]);
  const ended = await trigger(desk, "expiration", "--override", "expire.reason=PRICE_INCREASE");
  equal(ended.delivery.event.expiration_reason, "PRICE_INCREASE");
});

Deno.test("events trigger reads each override as what its field takes", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  const override = (...pairs: string[]) => pairs.flatMap((pair) => ["--override", pair]);
  // Digits that no number can hold, an equals sign, quotes of JSON, and all of Unicode.
  const texts = ["370001234567890123456", "a=b=c", '"quoted"', "Zoë 🌷", "true", "null", "1e3"];
  for (const text of texts) {
    await trigger(desk, "INITIAL_PURCHASE", ...override(`purchase.store_transaction_id=${text}`));
  }
  deepEqual(
    (await sim.rows("subscriptions")).map((row) => row.transaction_id),
    texts.map((text) => text === '"quoted"' ? "quoted" : text),
  );
  const paused = await trigger(desk, "SUBSCRIPTION_PAUSED");
  const { auto_resume_at_ms, expiration_at_ms } = paused.delivery.event;
  ok(Number(auto_resume_at_ms) >= Number(expiration_at_ms) + 28 * DAY, "it goes on some day");
  const until = Number(auto_resume_at_ms) + DAY;
  const later = await trigger(desk, "SUBSCRIPTION_PAUSED", ...override(`pause.until=${until}`));
  equal(later.delivery.event["auto_resume_at_ms"], until);
  const trial = await trigger(desk, "INITIAL_PURCHASE", ...override("purchase.trial=true"));
  equal(trial.delivery.event["period_type"], "TRIAL");
  const graceless = await trigger(desk, "BILLING_ISSUE", ...override("fail.grace=null"));
  equal(graceless.delivery.event["grace_period_expiration_at_ms"], null);
  const moved = await trigger(desk, "TRANSFER", ...override("transfer.target_customer_id=42"));
  deepEqual(moved.delivery.event["transferred_to"], ["42"]);
  // A number in quotes is a text, as in JSON, and a price is none.
  const quoted = await desk.run(
    ...["events", "trigger", "renewal", ...override('purchase.price="free"')],
  );
  match(quoted.err, /'purchase.price' must be a number/);
});

/** What is refused, with which exit code, and why. */
const WRONG: [string[], number, RegExp][] = [
  [["nope"], 2, /there is no type NOPE; there are INITIAL_PURCHASE, RENEWAL/],
  [
    ["subscriber_alias"],
    2,
    /SUBSCRIBER_ALIAS cannot be made to happen here \(not sent any more\); there are INITIAL/,
  ],
  [["renewal", "--customer", "nobody"], 5, /no customer "nobody"/],
  [
    ["renewal", "--override", "price=1"],
    1,
    /no override "price" of RENEWAL .*; .*purchase.price, /,
  ],
  [["renewal", "--override", "cancel.x=1"], 1, /no override "cancel.x" of RENEWAL/],
  [["renewal", "--override", "purchase.price=free"], 1, /'purchase.price' must be a number/],
  [["renewal", "--override", "price"], 2, /it has no "="/],
  [["test", "--customer", "ada"], 1, /TEST is about no customer/],
  [["virtual_currency_transaction"], 7, /no product to buy that is set to bring a virtual/],
  [["transfer", "--override", "transfer.target_customer_id=a/b"], 1, /must not have a slash/],
  [
    ["transfer", "--override", "transfer.target_customer_id="],
    1,
    /'transfer.target_customer_id' /,
  ],
  [["renewal", "--override", "id=x"], 1, /no override "id" of RENEWAL \(what an event says/],
  [["renewal", "--override", "type=TEST"], 1, /no override "type" of RENEWAL/],
  [["renewal", "--override", "event.price=1"], 1, /no override "event.price" of RENEWAL/],
  [["renewal", "--override", "purchase=1"], 1, /no override "purchase" of RENEWAL/],
  [["renewal", "--override", "purchase.=1"], 1, /no override "purchase." of RENEWAL/],
  [["renewal", "--override", "purchase.prise=1"], 1, /no override "purchase.prise" of RENEWAL/],
  [["renewal", "--override", "purchase.price.x=1"], 1, /no override "purchase.price.x"/],
  [["renewal", "--override", "purchase.customer_id=1"], 1, /no override "purchase.customer_id"/],
  [["renewal", "--override", "__proto__=1"], 1, /a field that is named __proto__/],
  [["renewal", "--override", "päth=1"], 1, /no override "päth" of RENEWAL/],
  [["renewal", "--override", "=1"], 2, /it has no key/],
  [["test", "--override", "x=1"], 1, /no override "x" of TEST .*; there is none/],
  [["renewal", "--override", 'purchase.price={"a":1}'], 1, /'purchase.price' must be a number/],
  [["renewal", "--override", "purchase.quantity=1.5"], 1, /'purchase.quantity' must be/],
  [["renewal", "--override", "purchase.country=de"], 1, /'purchase.country' must be two upper/],
  [["renewal", "--override", "purchase.product_id=nope"], 5, /no product "nope"/],
  [["renewal", "--override", "purchase.offering_id=nope"], 5, /no offering "nope"/],
  [
    ["renewal", "--override", "purchase.product_id=notes.pro.lifetime"],
    7,
    /takes a subscription/,
  ],
  [["expiration", "--override", "expire.reason=BORED"], 1, /'expire.reason' must be one of/],
  [["renewal", "--override", "purchase.paid=false"], 7, /'purchase.paid' is not possible here/],
];

Deno.test("events trigger refuses a type, customer or override that is none, and does nothing", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  const people = await desk.send("GET", `/v2/projects/${desk.projectId}/customers?limit=100`);
  const before = await people.text();
  for (const [words, code, message] of WRONG) {
    const done = await desk.run("events", "trigger", ...words);
    equal(done.code, code, `${words}: ${done.err}`);
    match(done.err, message);
  }
  deepEqual(await sim.rows("events"), []);
  deepEqual(await sim.rows("subscriptions"), []);
  const after = await desk.send("GET", `/v2/projects/${desk.projectId}/customers?limit=100`);
  equal(await after.text(), before);
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  const held = await sim.rows("subscriptions");
  const unused = ["--customer", "ada", "--override", "purchase.price=1"];
  const refused = await desk.run("events", "trigger", "renewal", ...unused);
  equal(refused.code, 7);
  match(refused.err, /overrides purchase.\* would change nothing, since the customer has sub/);
  deepEqual(await sim.rows("subscriptions"), held);
});

Deno.test("events types lists every type with what it means", async () => {
  await using desk = await openDesk();
  const { code, out } = await desk.run("events", "types");
  equal(code, 0);
  equal(out.trimEnd().split("\n").length, EVENT_TYPES.length + 1);
  match(out, /^PAYWALL_CLOSE +no +A paywall was closed \(apps do not report here\)$/m);
  match(out, /^RENEWAL +yes +A subscription renewed/m);
  const { json } = await desk.run("events", "types", "--output", "json");
  deepEqual(json(), { object: "list", items: EVENT_TYPES });
});
