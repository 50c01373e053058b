import { deepEqual, equal } from "node:assert/strict";
import {
  getCustomer,
  grantEntitlement,
  listActiveEntitlements,
  listCustomerPurchases,
  listCustomerSubscriptions,
  transferCustomer,
} from "../../../lib/resources/customers.ts";
import { frozen } from "../../support/activities.ts";
import { apiOf, badField, noSuch, signIn } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { DAY, productNamed } from "../../support/simulation.ts";

const TRANSFER = "/customers/ada/actions/transfer";

/** The ids of a customer's purchases. */
async function holdings(desk: Desk, id: string): Promise<string[]> {
  const subscriptions = await listCustomerSubscriptions(desk.client, id);
  const purchases = await listCustomerPurchases(desk.client, id);
  return [...subscriptions.items, ...purchases.items].map((item) => item.id);
}

Deno.test("a transfer moves everything with its access; ids and first owners stay", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.annual" });
  await sim.purchase({ product_id: "notes_lifetime" });
  const grant = { entitlement_id: "sync", expires_at: await sim.now() + 900 * DAY };
  await grantEntitlement(desk.client, "ada", grant);
  const had = await holdings(desk, "ada");
  const access = (await listActiveEntitlements(desk.client, "ada")).items;
  await sim.newEvents();
  const answer = await transferCustomer(desk.client, "ada", { target_customer_id: "grace" });
  deepEqual(answer, {
    source_customer: await getCustomer(desk.client, "ada"),
    target_customer: await getCustomer(desk.client, "grace"),
  });
  deepEqual(await holdings(desk, "ada"), []);
  deepEqual(await holdings(desk, "grace"), had);
  deepEqual((await listActiveEntitlements(desk.client, "grace")).items, access);
  deepEqual(answer.source_customer.active_entitlements?.items, []);
  const { items } = await listCustomerSubscriptions(desk.client, "grace");
  deepEqual(
    items.map((item) => [item.customer_id, item.original_customer_id]),
    [["grace", "ada"], ["grace", "ada"]],
  );
  const [event = {}, ...more] = await sim.newEvents();
  deepEqual(more, []);
  deepEqual(
    [event["type"], event["store"], event["transferred_from"], event["transferred_to"]],
    ["TRANSFER", "APP_STORE", ["ada"], ["grace"]],
  );
  deepEqual((await sim.rows("events")).at(-1)?.customer_id, "grace");
  const { items: [entry] } = await apiOf(desk).get("/audit_logs?limit=1");
  deepEqual(
    [entry?.["action_type"], entry?.["target_identifier"]],
    ["customer_transferred", "ada"],
  );
  await sim.advance("P1Y");
  const [renewal = {}] = await sim.newEvents();
  deepEqual([renewal["type"], renewal["app_user_id"]], ["RENEWAL", "grace"]);
  await transferCustomer(desk.client, "grace", { target_customer_id: "ada" });
  equal((await listCustomerSubscriptions(desk.client, "ada")).items[0]?.id, id);
});

Deno.test("the event of a transfer has the store of the oldest subscription", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await sim.subscribe({ product_id: "notes_pro:monthly" });
  await sim.subscribe({ product_id: "notes.pro.annual" });
  await sim.newEvents();
  await transferCustomer(desk.client, "ada", { target_customer_id: "grace" });
  deepEqual((await sim.newEvents()).map(({ type, store }) => [type, store]), [
    ["TRANSFER", "PLAY_STORE"],
  ]);
});

Deno.test("a transfer by app leaves other purchases and promotional grants", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const apple = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const web = await sim.subscribe({ product_id: "notes_web_monthly" });
  const play = await sim.purchase({ product_id: "notes_lifetime" });
  const grant = { entitlement_id: "sync", expires_at: await sim.now() + DAY };
  await grantEntitlement(desk.client, "ada", grant);
  const [, , promo] = (await listCustomerSubscriptions(desk.client, "ada")).items;
  const app_ids = [
    (await productNamed(desk, "notes_web_monthly")).app_id,
    (await productNamed(desk, "notes_lifetime")).app_id,
  ];
  await transferCustomer(desk.client, "ada", { target_customer_id: "grace", app_ids });
  deepEqual(await holdings(desk, "grace"), [web.id, play.id]);
  deepEqual(await holdings(desk, "ada"), [apple.id, promo?.id]);
  await transferCustomer(desk.client, "ada", { target_customer_id: "grace", app_ids: null });
  deepEqual((await holdings(desk, "ada")).length, 0);
});

Deno.test("of two grants of one entitlement the target keeps the later end", async () => {
  for (const [own, moved] of [[5, 50], [50, 5]] as const) {
    await using desk = await openDesk();
    const sim = await frozen(desk);
    const now = await sim.now();
    const entitlement_id = "pro";
    await grantEntitlement(desk.client, "ada", { entitlement_id, expires_at: now + moved * DAY });
    await grantEntitlement(desk.client, "grace", { entitlement_id, expires_at: now + own * DAY });
    await sim.newEvents();
    await transferCustomer(desk.client, "ada", { target_customer_id: "grace" });
    deepEqual(await sim.newEvents(), [], "promotional grants move untold");
    const { items } = await listActiveEntitlements(desk.client, "grace");
    deepEqual(items.map(({ expires_at }) => expires_at), [now + 50 * DAY]);
    const { items: both } = await listCustomerSubscriptions(desk.client, "grace");
    deepEqual(both.map(({ status }) => status).sort(), ["active", "expired"]);
    await sim.advance(51 * DAY);
    equal((await sim.newEvents()).length, 1, "one end is told");
  }
});

Deno.test("a transfer that moves nothing has no event", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await transferCustomer(desk.client, "ada", { target_customer_id: "grace" });
  deepEqual(await sim.newEvents(), []);
});

Deno.test("a transfer needs another existing customer, and existing apps", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.refused(noSuch("target_customer_id"), "POST", TRANSFER, { target_customer_id: "no" });
  await api.refused(noSuch(), "POST", "/customers/no/actions/transfer", {
    target_customer_id: "ada",
  });
  await api.refused(badField("target_customer_id"), "POST", TRANSFER, {});
  await api.refused(badField("target_customer_id"), "POST", TRANSFER, {
    target_customer_id: "ada",
  });
  await api.refused(badField("destination_customer_id"), "POST", TRANSFER, {
    target_customer_id: "grace",
    destination_customer_id: "grace",
  });
  const body = { target_customer_id: "grace", app_ids: ["appnope"] };
  await api.refused(noSuch("app_ids"), "POST", TRANSFER, body);
  await api.refused(badField("app_ids"), "POST", TRANSFER, { ...body, app_ids: [] });
});

Deno.test("a transfer needs all three permissions, and the refusal names the missing ones", async () => {
  await using desk = await openDesk();
  const all = ["customers", "subscriptions", "purchases"]
    .map((resource) => `customer_information:${resource}:read_write`);
  const body = { target_customer_id: "grace" };
  for (const missing of [...all.map((scope) => [scope]), all.slice(1)]) {
    const scope = all.filter((one) => !missing.includes(one)).join(" ");
    const short = apiOf(desk, await signIn(desk, { scope }));
    const names = missing.map((one) => `"${one}"`).join(", ");
    const message = new RegExp(`permissions? ${names}$`);
    await short.refused(
      { status: 403, type: "authorization_error", message },
      "POST",
      TRANSFER,
      body,
    );
  }
  const enough = apiOf(desk, await signIn(desk, { scope: all.join(" ") }));
  equal((await enough.send("POST", TRANSFER, body)).status, 200);
  const { paths } = JSON.parse(await (await desk.send("GET", "/openapi.json")).text());
  const { security } = paths["/v2/projects/{project_id}/customers/{id}/actions/transfer"].post;
  deepEqual(security, [{ oauth: all }]);
});

Deno.test("a target with too long an id is refused by the field's name", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const target_customer_id = "a".repeat(1501);
  await api.refused(badField("target_customer_id"), "POST", TRANSFER, { target_customer_id });
});
