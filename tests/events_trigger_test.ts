import { deepEqual, equal, match } from "node:assert/strict";
import { EVENT_TYPES } from "../lib/cli/event_types.ts";
import { RECIPES } from "../lib/service/sim/trigger_recipes.ts";
import { EVENT_TYPES as CHOOSABLE } from "../lib/service/events/types.ts";
import { type Desk, openDesk } from "./harness.ts";
import { productNamed, simulate } from "./simulation.ts";

/** A desk whose command line may use the simulator. */
async function openTriggering(): Promise<Desk> {
  const desk = await openDesk();
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

Deno.test("each type that can be triggered comes about, for somebody new and for somebody known", async () => {
  await using desk = await openTriggering();
  const { id } = await productNamed(desk, "notes.pro.lifetime");
  const coins = {
    code: "COIN",
    name: "Coins",
    product_grants: [{ product_ids: [id], amount: 100 }],
  };
  const created = await desk.send(
    "POST",
    `/v2/projects/${desk.projectId}/virtual_currencies`,
    coins,
  );
  equal(created.status, 201, await created.text());
  for (const { type, trigger: can } of EVENT_TYPES) {
    if (!can) continue;
    equal((await trigger(desk, type)).type, type);
    if (type === "TEST") continue;
    const customer = `somebody-${type}`;
    await simulate(desk).subscribe({ customer_id: customer, product_id: "notes.pro.monthly" });
    const event = await trigger(desk, type.toLowerCase(), "--customer", customer);
    equal(event.type, type);
    if (type !== "TRANSFER") equal(event.customer_id, customer);
    else deepEqual(event.delivery.event.transferred_from, [customer]);
  }
});

Deno.test("what can be triggered is what the service has a way to, and types are complete", () => {
  const can = EVENT_TYPES.filter(({ trigger }) => trigger).map(({ type }) => type);
  deepEqual(can.toSorted(), Object.keys(RECIPES).toSorted());
  const known = EVENT_TYPES.map(({ type }) => type.toLowerCase());
  deepEqual(CHOOSABLE.filter((type) => !known.includes(type)), []);
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

Deno.test("events trigger refuses a type, customer or override that is none, and does nothing", async () => {
  await using desk = await openTriggering();
  const sim = simulate(desk);
  const wrong: [string[], number, RegExp][] = [
    [["nope"], 2, /there is no type NOPE; there are INITIAL_PURCHASE, RENEWAL/],
    [["subscriber_alias"], 2, /SUBSCRIBER_ALIAS cannot be made to happen.*there are INITIAL/],
    [["renewal", "--customer", "nobody"], 5, /no customer "nobody"/],
    [["renewal", "--override", "price=1"], 1, /no override "price" of RENEWAL; .*purchase.price, /],
    [["renewal", "--override", "cancel.x=1"], 1, /no override "cancel.x" of RENEWAL/],
    [["renewal", "--override", "purchase.price=free"], 1, /'price' must be a number/],
    [["renewal", "--override", "price"], 2, /it has no "="/],
    [["test", "--customer", "ada"], 1, /TEST is about no customer/],
    [["virtual_currency_transaction"], 7, /no product to buy that is set to bring a virtual/],
    [["transfer", "--override", "transfer.target_customer_id=a/b"], 1, /must not have a slash/],
  ];
  for (const [words, code, message] of wrong) {
    const done = await desk.run("events", "trigger", ...words);
    equal(done.code, code, `${words}: ${done.err}`);
    match(done.err, message);
  }
  deepEqual(await sim.rows("events"), []);
  deepEqual(await sim.rows("subscriptions"), []);
});

Deno.test("events types lists every type with what it means", async () => {
  await using desk = await openDesk();
  const { code, out } = await desk.run("events", "types");
  equal(code, 0);
  equal(out.trimEnd().split("\n").length, EVENT_TYPES.length + 1);
  match(out, /^RENEWAL +yes +A subscription renewed/m);
  const { json } = await desk.run("events", "types", "--output", "json");
  deepEqual(json(), { object: "list", items: EVENT_TYPES });
});
