import { deepEqual, equal, notEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { getCustomer } from "../../../lib/resources/customers.ts";
import { createWebhook } from "../../../lib/resources/webhooks.ts";
import { MINUTE, openPostOffice, type ShownDelivery } from "../../support/delivery_fixture.ts";
import { openDesk } from "../../support/harness.ts";
import { answers, openReceiver } from "../../support/receiver.ts";
import { simulate } from "../../support/simulation.ts";

/** The number of calls back of a receiver. */
const CALLBACKS = Number(Deno.env.get("WEBHOOK_CALLBACKS") ?? 200);

Deno.test("a look at the queue during a delivery leaves no timer behind", async () => {
  const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  using receiver = openReceiver(async (one, conn) => {
    arrived.resolve();
    await answer.promise;
    await answers(200)(one, conn);
  });
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  const timer = office.time.next();
  const ping = office.sim.post<ShownDelivery>(`/webhooks/${webhook.id}/ping`);
  await arrived.promise;
  office.desk.service.deliverer.wake();
  await new Promise((resolve) => setTimeout(resolve, 50));
  answer.resolve();
  await ping;
  await office.idle();
  equal(office.time.next(), timer);
});

Deno.test("a ping sends a TEST event to one webhook and returns the result", async () => {
  using receiver = openReceiver();
  using other = openReceiver();
  await using office = await openPostOffice();
  const { sim } = office;
  const webhook = await office.subscribe(receiver, { event_types: ["renewal"] });
  await office.subscribe(other);
  const ping = () => sim.post<ShownDelivery>(`/webhooks/${webhook.id}/ping`);
  const timer = office.time.next();
  const first = await ping();
  await office.idle();
  equal(office.time.next(), timer, "the ping leaves no timer");
  deepEqual([first.state, first.attempts, first.last_status], ["delivered", 1, 200]);
  const { event } = receiver.arrived[0] ?? {};
  deepEqual(Object.keys(event ?? {}).sort(), [
    ...["aliases", "app_id", "app_user_id", "commission_percentage", "country_code", "currency"],
    ...["entitlement_id", "entitlement_ids", "environment", "event_timestamp_ms", "experiments"],
    ...["expiration_at_ms", "id", "is_family_share", "metadata", "offer_code"],
    ...["original_app_user_id", "original_transaction_id", "period_type", "presented_offering_id"],
    ...["price", "price_in_purchased_currency", "product_id", "purchased_at_ms"],
    ...["renewal_number", "store"],
    ...["subscriber_attributes", "takehome_percentage", "tax_percentage", "transaction_id", "type"],
  ]);
  equal(event?.type, "TEST");
  receiver.behave = answers(503);
  const second = await ping();
  deepEqual([second.state, second.last_error], ["dead", "The receiver answered 503"]);
  // No caller waits for it any more, so it is not retried.
  receiver.behave = answers(200);
  office.time.pass(1000 * MINUTE);
  await office.idle();
  equal(receiver.arrived.length, 2);
  equal(other.arrived.length, 0);
  equal((await sim.send("POST", "/webhooks/nope/ping", {})).status, 404);
  receiver.behave = answers(410);
  equal((await ping()).state, "dead");
  equal((await sim.send("POST", `/webhooks/${webhook.id}/ping`, {})).status, 422);
});

Deno.test("after a rotation both secrets sign for a day, then the new one alone", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const { sim, time } = office;
  const webhook = await office.subscribe(receiver);
  const rotate = async () =>
    (await sim.post<{ signing_secret: string }>(`/webhooks/${webhook.id}/rotate_secret`))
      .signing_secret;
  const signers = async () => {
    await office.buy();
    await office.idle();
    const arrived = receiver.arrived.at(-1);
    const headers: Record<string, string> = arrived?.headers ?? {};
    const [time = "", ...signatures] = headers["X-Webhook-Signature"]?.split(",") ?? [];
    equal(headers["webhook-signature"]?.split(" ").length, signatures.length);
    return (secrets: string[]) =>
      deepEqual(
        signatures,
        secrets.map((secret) =>
          `v1=${
            createHmac("sha256", secret).update(`${time.slice(2)}.${arrived?.body}`).digest("hex")
          }`
        ),
      );
  };
  const first = webhook.signing_secret ?? "";
  (await signers())([first]);
  const second = await rotate();
  notEqual(second, first);
  (await signers())([second, first]);
  const third = await rotate();
  (await signers())([third, second]);
  time.pass(24 * 60 * MINUTE - 1);
  (await signers())([third, second]);
  time.pass(1);
  (await signers())([third]);
});

Deno.test("injected faults duplicate, lose and reorder deliveries", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const { sim } = office;
  const webhook = await office.subscribe(receiver);
  const order = (fault: string, count = 1) =>
    sim.post(`/webhooks/${webhook.id}/faults`, { fault, count });
  deepEqual(await order("duplicate"), { object: "delivery_faults", faults: ["duplicate"] });
  const twice = await office.buy();
  await office.idle();
  deepEqual(receiver.arrived.map(({ event }) => event.id), [twice, twice]);
  equal(receiver.arrived[0]?.body, receiver.arrived[1]?.body);
  deepEqual(receiver.arrived.map(({ headers }) => headers["webhook-id"]), [twice, twice]);

  await order("drop", 2);
  await office.buy();
  await office.buy();
  const arrives = await office.buy();
  await office.idle();
  deepEqual(receiver.arrived.slice(2).map(({ event }) => event.id), [arrives]);
  deepEqual((await office.deliveries(webhook)).map(({ state, attempts }) => [state, attempts]), [
    ...[["delivered", 2], ["dropped", 0], ["dropped", 0], ["delivered", 1]],
  ]);
  // A lost delivery can be recovered.
  deepEqual(await sim.post("/events/recover", { since: 0, webhook_id: webhook.id }), {
    object: "recovery",
    deliveries: 2,
  });
  await office.idle();
  equal(receiver.arrived.length, 5);

  await order("reorder");
  const early = await office.buy();
  await office.idle();
  // It waits for the delivery that overtakes it; another customer's does not count.
  const other = await office.buy("bob");
  await office.idle();
  office.time.pass(1000);
  await office.idle();
  deepEqual(receiver.arrived.slice(5).map(({ event }) => event.id), [other]);
  const late = await office.buy();
  await office.idle();
  office.time.pass(1000);
  await office.idle();
  deepEqual(receiver.arrived.slice(6).map(({ event }) => event.id), [late, early]);

  await order("drop", 3);
  deepEqual(await sim.post(`/webhooks/${webhook.id}/faults/clear`), {
    object: "delivery_faults",
    faults: [],
  });
  await office.buy();
  await office.idle();
  equal(receiver.arrived.length, 9);
});

Deno.test("a delivered event cannot overtake another one", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const { sim } = office;
  const webhook = await office.subscribe(receiver);
  const order = (fault: string) => sim.post(`/webhooks/${webhook.id}/faults`, { fault });
  await order("drop");
  const lost = await office.buy();
  const next = await office.buy();
  await office.idle();
  deepEqual(receiver.arrived.map(({ event }) => event.id), [next]);
  await order("reorder");
  await sim.post("/events/recover", { since: 0, webhook_id: webhook.id });
  await office.idle();
  office.time.pass(1000);
  await office.idle();
  deepEqual(receiver.arrived.map(({ event }) => event.id), [next]);
  const late = await office.buy();
  await office.idle();
  office.time.pass(1000);
  await office.idle();
  deepEqual(receiver.arrived.map(({ event }) => event.id), [next, late, lost]);
});

Deno.test("a delivery that overtakes another one is retried before it", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice();
  const { sim } = office;
  const webhook = await office.subscribe(receiver);
  await sim.post(`/webhooks/${webhook.id}/faults`, { fault: "reorder" });
  const early = await office.buy();
  await office.idle();
  receiver.behave = answers(500);
  const late = await office.buy();
  await office.idle();
  office.time.pass(1000);
  await office.idle();
  const told = () => receiver.arrived.map(({ event }) => event.id);
  deepEqual(told(), [late]);
  receiver.behave = answers(200);
  office.time.pass(6 * MINUTE);
  await office.idle();
  deepEqual(told(), [late, late, early]);
});

Deno.test("a receiver that calls back always sees the state of its event", async () => {
  await using desk = await openDesk({ webhookTargets: "loopback", buyers: false });
  let seen = 0;
  using receiver = openReceiver();
  receiver.behave = async (arrived, conn) => {
    const { app_user_id, product_id, type } = arrived.event;
    const customer = await getCustomer(desk.client, String(app_user_id));
    const access = customer.active_entitlements?.items.length ?? 0;
    // An ended customer has no access, and a continuing one has.
    const stays = Number(String(app_user_id).slice(1)) % 2 === 0;
    if (stays || type === "EXPIRATION") equal(access, stays ? 1 : 0, `${type} ${app_user_id}`);
    equal(product_id, "notes.pro.monthly");
    seen++;
    await answers(200)(arrived, conn);
  };
  await createWebhook(desk.client, {
    name: "Callback",
    url: receiver.url,
    event_types: ["initial_purchase", "expiration"],
  });
  const sim = simulate(desk);
  let told = 0;
  for (let i = 0; told < CALLBACKS; i++) {
    const customer_id = `c${i}`;
    const { id } = await sim.subscribe({ product_id: "notes.pro.monthly", price: 9, customer_id });
    told++;
    if (i % 2 === 0) continue;
    await sim.act(id, "expire");
    told++;
  }
  await desk.service.deliverer.idle();
  equal(seen, told);
});
