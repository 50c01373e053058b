import { deepEqual, equal, match, ok } from "node:assert/strict";
import { DAY, simulate } from "../../support/simulation.ts";
import { openTriggering, trigger } from "../../support/triggering.ts";

Deno.test("events trigger accepts overrides of every step", async () => {
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

Deno.test("events trigger converts each override to its field's type", async () => {
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

Deno.test("events trigger accepts dates for times", async () => {
  await using desk = await openTriggering();
  const until = async (text: string) => {
    const words = ["--override", `pause.until=${text}`];
    const { delivery: { event } } = await trigger(desk, "SUBSCRIPTION_PAUSED", ...words);
    return event["auto_resume_at_ms"];
  };
  equal(await until("2099-01-01"), Date.UTC(2099, 0, 1));
  equal(await until("2099-01-01T12:00:00Z"), Date.UTC(2099, 0, 1, 12));
  equal(await until("2099-01-01T12:00:00+02:00"), Date.UTC(2099, 0, 1, 10));
  equal(await until(String(Date.UTC(2099, 0, 2))), Date.UTC(2099, 0, 2));
});

/** What is refused, with which exit code, and why. */
const WRONG: [string[], number, RegExp][] = [
  [["nope"], 2, /there is no type NOPE; it must be one of INITIAL_PURCHASE, RENEWAL/],
  [
    ["subscriber_alias"],
    2,
    /SUBSCRIBER_ALIAS cannot be triggered here \(no longer sent\); it must be one of INITIAL/,
  ],
  [["renewal", "--customer", "nobody"], 5, /no customer "nobody"/],
  [
    ["renewal", "--override", "price=1"],
    1,
    /Unknown override "price" of RENEWAL .*; .*purchase.price, /,
  ],
  [["renewal", "--override", "cancel.x=1"], 1, /Unknown override "cancel.x" of RENEWAL/],
  [["renewal", "--override", "purchase.price=free"], 1, /'purchase.price' must be a number/],
  [["renewal", "--override", "price"], 2, /it has no "="/],
  [
    ["renewal", "--override", "purchase.price=1", "--override", "purchase.price=2"],
    2,
    /--override: it names "purchase.price" twice/,
  ],
  [
    ["renewal", "--override", "purchase.price=4.99999"],
    7,
    /'purchase.price' must have at most 2 decimals/,
  ],
  [
    ["renewal", "--override", "purchase.trial=maybe"],
    1,
    /'purchase.trial' must be true, false or an ISO 8601 duration/,
  ],
  [["renewal", "--override", "purchase.trial=7"], 1, /'purchase.trial' must be true, false or/],
  ...["2030-02-31", "tomorrow", "-1", "2030-01-01T12:00:00"].map((text) =>
    [
      ["renewal", "--override", `purchase.starts_at=${text}`],
      1,
      /'purchase.starts_at' must be a date such as 2030-01-31, a time such as/,
    ] as [string[], number, RegExp]
  ),
  [["test", "--customer", "ada"], 1, /TEST has no customer/],
  [
    ["virtual_currency_transaction"],
    7,
    /no product to buy: it must be a product that grants a virtual/,
  ],
  [["transfer", "--override", "transfer.target_customer_id=a/b"], 1, /must not contain a slash/],
  [
    ["transfer", "--override", "transfer.target_customer_id="],
    1,
    /'transfer.target_customer_id' /,
  ],
  [["renewal", "--override", "id=x"], 1, /Unknown override "id" of RENEWAL \(an event's fields/],
  [["renewal", "--override", "type=TEST"], 1, /Unknown override "type" of RENEWAL/],
  [["renewal", "--override", "event.price=1"], 1, /Unknown override "event.price" of RENEWAL/],
  [["renewal", "--override", "purchase=1"], 1, /Unknown override "purchase" of RENEWAL/],
  [["renewal", "--override", "purchase.=1"], 1, /Unknown override "purchase." of RENEWAL/],
  [
    ["renewal", "--override", "purchase.prise=1"],
    1,
    /Unknown override "purchase.prise" of RENEWAL/,
  ],
  [["renewal", "--override", "purchase.price.x=1"], 1, /Unknown override "purchase.price.x"/],
  [
    ["renewal", "--override", "purchase.customer_id=1"],
    1,
    /Unknown override "purchase.customer_id"/,
  ],
  [["renewal", "--override", "__proto__=1"], 1, /a field named __proto__/],
  [["renewal", "--override", "päth=1"], 1, /Unknown override "päth" of RENEWAL/],
  [["renewal", "--override", "=1"], 2, /it has no key/],
  [["test", "--override", "x=1"], 1, /Unknown override "x" of TEST .*; there are none/],
  [["renewal", "--override", 'purchase.price={"a":1}'], 1, /'purchase.price' must be a number/],
  [["renewal", "--override", "purchase.quantity=1.5"], 1, /'purchase.quantity' must be/],
  [["renewal", "--override", "purchase.country=de"], 1, /'purchase.country' must be two upper/],
  [["renewal", "--override", "purchase.product_id=nope"], 5, /no product "nope"/],
  [["renewal", "--override", "purchase.offering_id=nope"], 5, /no offering "nope"/],
  [
    ["renewal", "--override", "purchase.product_id=notes.pro.lifetime"],
    7,
    /must be a subscription/,
  ],
  [["expiration", "--override", "expire.reason=BORED"], 1, /'expire.reason' must be one of/],
  [["renewal", "--override", "purchase.paid=false"], 7, /'purchase.paid' is not allowed here/],
];

Deno.test("events trigger refuses an invalid type, customer or override, and does nothing", async () => {
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
  match(refused.err, /overrides purchase.\* would have no effect, since the customer has sub/);
  deepEqual(await sim.rows("subscriptions"), held);
});

Deno.test("events trigger refuses overrides of a skipped step, and does nothing", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly", price: 10 });
  await sim.act(id, "raise_price", { price: 12 });
  const before = [await sim.rows("subscriptions"), await sim.rows("events")];
  const words = ["events", "trigger", "price_increase_consent_approved", "--customer", "ada"];
  const { code, err } = await desk.run(...words, "--override", "raise_price.price=15");
  equal(code, 7, err);
  match(
    err,
    /overrides raise_price\.\* would have no effect, since a higher price is already announced for/,
  );
  deepEqual([await sim.rows("subscriptions"), await sim.rows("events")], before);
  // What was announced stays as it was, and is agreed to.
  equal((await desk.run(...words)).code, 0);
  equal((await sim.rows("subscriptions"))[0]?.price_micros, 12e6);
});
