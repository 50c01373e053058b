import { deepEqual, equal, match } from "node:assert/strict";
import { getChart } from "../../../lib/resources/charts.ts";
import {
  getCustomer,
  listCustomerAliases,
  listCustomerSubscriptions,
} from "../../../lib/resources/customers.ts";
import { createProduct } from "../../../lib/resources/products.ts";
import { getSubscription } from "../../../lib/resources/subscriptions.ts";
import { addDuration } from "../../../lib/service/domain/calendar.ts";
import { adminRoutes, simRoutes } from "../../../lib/service/sim/routes.ts";
import { frozen } from "../../support/activities.ts";
import { apiOf } from "../../support/api.ts";
import { BASE_URL, openDesk } from "../../support/harness.ts";
import { DAY, productNamed, simulate, type Simulation } from "../../support/simulation.ts";

/** Sends a request that must be refused. Returns the error. */
async function refused(
  sim: Simulation,
  status: number,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const response = await sim.send("POST", path, body);
  const answer = await response.json();
  equal(response.status, status, `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
  equal(answer.object, "error");
  return answer;
}

Deno.test("the simulator needs its secret, on every route", async () => {
  await using desk = await openDesk();
  for (const { method, path } of [...simRoutes, ...adminRoutes]) {
    const place = path.replace("{project_id}", desk.projectId).replace(/\{\w+\}/g, "x");
    const address = `${BASE_URL}${place}`;
    for (const headers of [{}, { Authorization: "Bearer adm_wrong" }]) {
      const body = method === "POST" ? "{}" : null;
      const response = await desk.service.fetch(new Request(address, { method, headers, body }));
      equal(response.status, 401, path);
    }
  }
});

Deno.test("an unknown project, path or method has its own error", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  equal((await sim.send("GET", "/nothing")).status, 404);
  const wrong = await sim.send("POST", "/clock");
  deepEqual([wrong.status, wrong.headers.get("Allow")], [405, "GET"]);
  const headers = { Authorization: `Bearer ${desk.service.adminSecret}` };
  const address = `${BASE_URL}/_sim/projects/projnope/clock`;
  equal((await desk.service.fetch(new Request(address, { headers }))).status, 404);
});

Deno.test("an invalid purchase is refused with the reason, and changes nothing", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const buyer = { customer_id: "somebody", product_id: "notes.pro.monthly" };
  const web = { ...buyer, product_id: "notes_web_monthly" };
  const once = { ...buyer, product_id: "notes.pro.lifetime" };
  const wrong: [number, string, object][] = [
    [400, "product_id", { customer_id: "somebody" }],
    [400, "customer_id", { product_id: "notes.pro.monthly" }],
    [400, "customer_id", { ...buyer, customer_id: "" }],
    [400, "customer_id", { ...buyer, customer_id: "a/b" }],
    [400, "nonsense", { ...buyer, nonsense: 1 }],
    [400, "price", { ...buyer, price: -1 }],
    [400, "currency", { ...buyer, currency: "XXX" }],
    [400, "country", { ...buyer, country: "usa" }],
    [400, "trial", { ...buyer, trial: "P0D" }],
    [400, "duration", { ...buyer, duration: "monthly" }],
    [400, "duration", { ...buyer, duration: "PT1S" }],
    [400, "customer_id", { ...buyer, customer_id: "." }],
    [400, "customer_id", { ...buyer, customer_id: ".." }],
    [400, "store_transaction_id", { ...buyer, store_transaction_id: "GPA.1..0" }],
    [400, "quantity", { ...once, quantity: 0 }],
    [404, "product_id", { ...buyer, product_id: "nope" }],
    [404, "offering_id", { ...buyer, offering_id: "nope" }],
    [422, "price", { ...buyer, price: 2_000_000 }],
    [422, "quantity", { ...buyer, quantity: 2 }],
    [422, "starts_at", { ...buyer, starts_at: 1 }],
    [422, "paid", { ...buyer, paid: false }],
    [422, "paid", { ...web, paid: false, trial: true }],
    [422, "paid", { ...once, paid: false }],
    [422, "trial", { ...once, trial: true }],
    [422, "verified", { ...buyer, verified: false, starts_at: Date.UTC(2100, 0, 1) }],
    [422, "verified", { ...buyer, verified: false, trial: "P7D" }],
    [422, "verified", { ...buyer, verified: false, paid: false }],
    [422, "verified", { ...once, verified: false }],
  ];
  for (const [status, param, body] of wrong) {
    equal((await refused(sim, status, "/purchases", body))["param"], param, JSON.stringify(body));
  }
  equal((await apiOf(desk).send("GET", "/customers/somebody")).status, 404);
  deepEqual([await sim.newEvents(), await sim.rows("movements")], [[], []]);
});

Deno.test("a purchase counts as a visit, with country and platform", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const seen = async (id: string) => {
    const { last_seen_country, last_seen_platform } = await getCustomer(desk.client, id);
    return [last_seen_country, last_seen_platform];
  };
  // Created before an app has seen it.
  await apiOf(desk).post("/customers", { id: "early" });
  deepEqual(await seen("early"), [null, null]);
  await sim.subscribe({ customer_id: "early", product_id: "notes_web_monthly" });
  deepEqual(await seen("early"), ["US", "web"]);
  await sim.subscribe({ customer_id: "early", product_id: "notes_pro:monthly", country: "FR" });
  await sim.subscribe({ customer_id: "early", product_id: "notes.pro.annual" });
  deepEqual(await seen("early"), ["FR", "iOS"]);
  const chart = await getChart(desk.client, "customers_new", { platform: "iOS", country: "FR" });
  equal(chart.summary?.["total"]?.["New Customers"], 1);
});

Deno.test("a buyer is created and seen; a second subscription to a product is refused", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const wanted = { customer_id: "$new:id", product_id: "notes_pro:monthly", country: "FR" };
  const { id } = await sim.subscribe(wanted);
  const customer = await getCustomer(desk.client, "$new:id");
  deepEqual([customer.last_seen_country, customer.last_seen_platform], ["FR", "android"]);
  const answer = await refused(sim, 422, "/purchases", wanted);
  deepEqual(answer["referenced_object_ids"], [id]);
  await sim.act(id, "expire");
  const back = await sim.subscribe(wanted);
  equal(back.id === id, false, "who comes back has a new one");
  const kinds = (await sim.rows("movements")).map((row) => row.kind);
  deepEqual(kinds, ["start", "expiration", "resubscription"]);
  const taken = { ...wanted, customer_id: "x", store_transaction_id: "one" };
  await sim.subscribe(taken);
  const again = { ...taken, customer_id: "y" };
  equal((await refused(sim, 409, "/purchases", again))["param"], "store_transaction_id");
});

Deno.test("each store supports its own actions only", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const bodies: Record<string, unknown> = {
    uncancel: {},
    pause: {},
    change_product: { product_id: "notes.pro.annual" },
    extend: { by: "P1W" },
    reverse_refund: {},
    family_share: { customer_id: "sister" },
  };
  const able: Record<string, string[]> = {
    "notes.pro.monthly": ["uncancel", "change_product", "extend", "reverse_refund", "family_share"],
    "notes_pro:monthly": ["uncancel", "pause", "change_product", "extend"],
    "notes_web_monthly": ["uncancel"],
  };
  for (const [product_id, abilities] of Object.entries(able)) {
    const { id, store } = await sim.subscribe({ product_id });
    for (const [action, body] of Object.entries(bodies)) {
      const response = await sim.send("POST", `/subscriptions/${id}/${action}`, body);
      const { message = "" } = await response.json();
      const unable = /does not support this action/.test(message);
      equal(unable, !abilities.includes(action), `${store} ${action}: ${message}`);
    }
  }
});

Deno.test("a product change is planned, made or cancelled", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const annual = await productNamed(desk, "notes.pro.annual");
  const { id, product_id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const change = { product_id: annual.id, when: "period_end" };
  const announced = await sim.act(id, "change_product", change);
  equal(announced.auto_renewal_status, "will_change_product");
  deepEqual(announced.pending_changes, { product: annual });
  const kept = await sim.act(id, "change_product", { product_id });
  deepEqual([kept.auto_renewal_status, kept.pending_changes], ["will_renew", null]);
  await sim.act(id, "change_product", { ...change, price: 50 });
  await sim.advance("P1M");
  const { items } = await listCustomerSubscriptions(desk.client, "ada");
  deepEqual(
    items.map((item) => [item.status, item.product_id, item.total_revenue_in_usd.gross]),
    [["expired", product_id, 9.99], ["active", annual.id, 50]],
  );
  equal(items[1]?.ends_at, addDuration(await sim.now(), "P1Y"));
  const path = `/subscriptions/${items[1]?.id}/change_product`;
  await refused(sim, 422, path, { product_id: annual.id });
  for (const other of ["notes_web_monthly", "notes.pro.lifetime"]) {
    equal((await refused(sim, 400, path, { product_id: other }))["param"], "product_id");
  }
  const trial = await sim.subscribe({
    customer_id: "grace",
    product_id: "notes.pro.monthly",
    trial: true,
  });
  const same = await sim.act(trial.id, "change_product", { product_id: annual.id });
  deepEqual([same.id, same.status, same.product_id], [trial.id, "trialing", annual.id]);
});

Deno.test("a subscription paid early continues to the end of both periods", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const start = Date.UTC(2027, 0, 31);
  await sim.advanceTo(start);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const ahead = await sim.act(id, "renew");
  deepEqual(
    [ahead.auto_renewal_status, ahead.current_period_ends_at, ahead.ends_at],
    ["has_already_renewed", Date.UTC(2027, 1, 28), Date.UTC(2027, 2, 31)],
  );
  await refused(sim, 422, `/subscriptions/${id}/renew`, {});
  await sim.advanceTo(Date.UTC(2027, 1, 28));
  const next = await getSubscription(desk.client, id);
  deepEqual(
    [next.auto_renewal_status, next.current_period_starts_at, next.ends_at],
    ["will_renew", Date.UTC(2027, 1, 28), Date.UTC(2027, 2, 31)],
  );
  equal(next.total_revenue_in_usd.gross, 19.98);
  await sim.act(id, "renew");
  const cancelled = await sim.act(id, "cancel");
  equal(cancelled.current_period_ends_at, Date.UTC(2027, 3, 30));
  await sim.advance("P3M");
  equal((await getSubscription(desk.client, id)).ends_at, Date.UTC(2027, 3, 30));
});

Deno.test("a higher price needs consent; without it the subscription ends with its period", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const one = await sim.subscribe({ product_id: "notes_web_monthly" });
  const other = await sim.subscribe({ customer_id: "grace", product_id: "notes_web_monthly" });
  for (const { id } of [one, other]) {
    const asked = await sim.act(id, "raise_price", { price: 12 });
    equal(asked.auto_renewal_status, "requires_price_increase_consent");
  }
  await sim.act(one.id, "agree_to_price");
  await sim.newEvents();
  await sim.advance("P1M");
  const agreed = await getSubscription(desk.client, one.id);
  deepEqual([agreed.status, agreed.total_revenue_in_usd.gross], ["active", 21.99]);
  equal((await getSubscription(desk.client, other.id)).status, "expired");
  const told = (await sim.newEvents()).map((event) => event["expiration_reason"] ?? event["type"]);
  deepEqual(told, ["RENEWAL", "PRICE_INCREASE"]);
});

Deno.test("a customer who has cancelled is not charged, not even in grace", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "fail", { grace: "P3D" });
  await sim.act(id, "cancel");
  const { message } = await refused(sim, 422, `/subscriptions/${id}/recover`, {});
  match(String(message), /uncancel it first/);
  const cancelled = await getSubscription(desk.client, id);
  deepEqual(
    [cancelled.status, cancelled.auto_renewal_status, cancelled.total_revenue_in_usd.gross],
    ["in_grace_period", "will_not_renew", 9.99],
  );
  await sim.act(id, "uncancel");
  await sim.act(id, "recover");
  equal((await getSubscription(desk.client, id)).total_revenue_in_usd.gross, 19.98);
  await sim.act(id, "fail", { grace: "P3D" });
  await sim.act(id, "cancel");
  await sim.advance("P3D");
  equal((await getSubscription(desk.client, id)).status, "expired");
});

Deno.test("buying, signing in and sharing refuse placeholder ids", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  for (const nobody of ["null", "0", "-1", "[object Object]", "guest", "NaN", "a/b", "", " "]) {
    const refuse = async (field: string, path: string, body: object) =>
      equal((await refused(sim, 400, path, { ...body, [field]: nobody }))["param"], field);
    await refuse("customer_id", "/purchases", { product_id: "notes.pro.lifetime" });
    await refuse("alias", "/customers/ada/aliases", {});
    await refuse("customer_id", `/subscriptions/${id}/family_share`, {});
    await refuse("customer_id", "/trigger", { type: "INITIAL_PURCHASE" });
  }
  // Ids are case-sensitive.
  await sim.purchase({ customer_id: "Null", product_id: "notes.pro.lifetime" });
});

Deno.test("signing in merges customers by the rules of their ids", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const anonymous = (n: number) => `$RCAnonymousID:${String(n).padStart(32, "0")}`;
  const logIn = (id: string, alias: string) =>
    sim.post<{ outcome: string; customer: { id: string } }>(
      `/customers/${encodeURIComponent(id)}/aliases`,
      { alias },
    );
  const idsOf = async (id: string) =>
    (await listCustomerAliases(desk.client, id)).items.map((item) => item.id);
  await sim.purchase({ customer_id: anonymous(1), product_id: "notes.pro.lifetime" });
  const named = await logIn(anonymous(1), "linus");
  deepEqual([named.outcome, named.customer.id], ["merged", anonymous(1)]);
  deepEqual(await idsOf("linus"), [anonymous(1), "linus"]);

  await sim.subscribe({ customer_id: anonymous(2), product_id: "notes.pro.monthly" });
  const joined = await logIn(anonymous(2), "ada");
  deepEqual([joined.outcome, joined.customer.id], ["merged", "ada"]);
  equal((await getCustomer(desk.client, anonymous(2))).id, "ada");
  equal((await listCustomerSubscriptions(desk.client, "ada")).items.length, 1);

  await sim.purchase({ customer_id: anonymous(3), product_id: "notes.pro.lifetime" });
  equal((await logIn(anonymous(3), "ada")).outcome, "switched");
  equal((await getCustomer(desk.client, anonymous(3))).id, anonymous(3));
  const switched = await logIn("grace", "newcomer");
  deepEqual([switched.outcome, switched.customer.id], ["switched", "newcomer"]);
  deepEqual(await idsOf("newcomer"), ["newcomer"]);
  equal((await logIn("linus", anonymous(1))).outcome, "same");
});

Deno.test("the test store sells in a sandbox, once it has a price", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const app = await sim.post<{ id: string; type: string }>("/apps", { name: "Test" });
  equal(app.type, "test_store");
  const product = await apiOf(desk).post("/products", {
    store_identifier: "test_monthly",
    app_id: app.id,
    type: "subscription",
    title: "Monthly",
    subscription: { duration: "P1M" },
  });
  const wanted = { customer_id: "ada", product_id: product.id };
  equal((await refused(sim, 422, "/purchases", wanted))["param"], "price");
  await refused(sim, 404, "/products/nope/price", { price: 1 });
  await sim.post(`/products/${product.id}/price`, { price: 4.99, trial_duration: "P1W" });
  const trial = await sim.subscribe({ ...wanted, trial: true });
  deepEqual([trial.environment, trial.status], ["sandbox", "trialing"]);
  match(trial.store_subscription_identifier, /^test_/);
  await sim.advance("PT29M");
  equal((await getSubscription(desk.client, trial.id)).status, "active");
  await sim.advance("PT1M");
  equal((await getSubscription(desk.client, trial.id)).status, "expired");
});

Deno.test("a subscription can be sold for later", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const starts_at = await sim.now() + 3 * DAY;
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly", starts_at });
  const waiting = await getSubscription(desk.client, id);
  deepEqual([waiting.status, waiting.gives_access, waiting.pending_payment], [
    "incomplete",
    false,
    false,
  ]);
  deepEqual(await sim.newEvents(), []);
  await sim.advance("P3D");
  const begun = await getSubscription(desk.client, id);
  deepEqual([begun.status, begun.starts_at, begun.total_revenue_in_usd.gross], [
    "active",
    starts_at,
    9.99,
  ]);
  deepEqual((await sim.newEvents()).map((event) => event["type"]), ["INITIAL_PURCHASE"]);
});

Deno.test("events are listed in order and by type, and read one by one", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "cancel");
  const read = async (path: string) => await (await sim.send("GET", path)).json();
  const { items, object } = await read("/events");
  equal(object, "list");
  deepEqual(items.map((item: { type: string }) => item.type), ["INITIAL_PURCHASE", "CANCELLATION"]);
  deepEqual((await read("/events?type=cancellation")).items, items.slice(1));
  deepEqual((await read("/events?customer_id=ada")).items, items);
  for (const id of ["grace", "x"]) deepEqual((await read(`/events?customer_id=${id}`)).items, []);
  deepEqual(await read(`/events/${items[0].id}`), items[0]);
  equal((await sim.send("GET", "/events/nope")).status, 404);
  const first = await read("/events?limit=1");
  match(first.next_page, /starting_after=/);
});

Deno.test("a missing period is requested, not guessed", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  const { app_id } = await productNamed(desk, "notes.pro.monthly");
  const plain = { app_id, store_identifier: "notes.plain", type: "subscription" } as const;
  const { id: product_id } = await createProduct(desk.client, plain);
  const noTerm = async (path: string, body: object) =>
    equal((await refused(sim, 400, path, body)).param, "duration");
  const sale = { customer_id: "ada", product_id, price: 5 };
  await noTerm("/purchases", sale);
  deepEqual(await sim.rows("subscriptions"), []);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly", price: 5 });
  const change = `/subscriptions/${id}/change_product`;
  await noTerm(change, { product_id, price: 5 });
  await noTerm(change, { product_id, price: 5, when: "period_end" });
  await noTerm(change, { product_id, price: 5, when: "period_end", duration: "P1W" });
  await sim.act(id, "change_product", { product_id, price: 5, duration: "P1W" });
  await sim.subscribe({ ...sale, customer_id: "bob", duration: "P2W" });
  await sim.post(`/products/${product_id}/price`, { price: 5, duration: "P1Y" });
  await sim.subscribe({ customer_id: "eve", product_id });
  const terms = (await sim.rows("subscriptions")).map(({ duration }) => duration);
  deepEqual(terms, ["P1M", "P1W", "P2W", "P1Y"]);
});
