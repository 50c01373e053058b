import { deepEqual, equal, match } from "node:assert/strict";
import { listActiveEntitlements, listCustomerPurchases } from "../../../lib/resources/customers.ts";
import {
  getPurchase,
  listPurchaseEntitlements,
  refundPurchase,
  searchPurchases,
} from "../../../lib/resources/purchases.ts";
import { frozen } from "../../support/activities.ts";
import { againstRule, apiOf, badField, noSuch, signIn } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { DAY, productNamed, type Simulation } from "../../support/simulation.ts";

/** Adds a one-time product of web billing, which the demonstration project lacks. */
async function addWebProduct(desk: Desk, sim: Simulation): Promise<string> {
  const { app_id } = await productNamed(desk, "notes_web_monthly");
  const api = apiOf(desk);
  const product = { store_identifier: "web_lifetime", app_id, type: "one_time" };
  const { id } = await api.post("/products", product);
  await api.post("/entitlements/pro/actions/attach_products", { product_ids: [id] });
  await sim.post(`/products/${id}/price`, { price: 150 });
  return id;
}

Deno.test("a purchase is shown with all its fields, and its entitlements have no end", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const now = await sim.now();
  const product = await productNamed(desk, "notes.pro.lifetime");
  const { id } = await sim.purchase({
    product_id: product.id,
    quantity: 3,
    price: 10,
    country: "US",
    environment: "sandbox",
    store_transaction_id: "0001",
  });
  const purchase = await getPurchase(desk.client, id);
  const { entitlements, ...rest } = purchase;
  match(id, /^purc[0-9a-f]{10}$/);
  deepEqual(rest, {
    object: "purchase",
    id,
    customer_id: "ada",
    original_customer_id: "ada",
    product_id: product.id,
    purchased_at: now,
    revenue_in_usd: { currency: "USD", gross: 30, commission: 9, tax: 0, proceeds: 21 },
    quantity: 3,
    status: "owned",
    presented_offering_id: null,
    environment: "sandbox",
    store: "app_store",
    store_purchase_identifier: "0001",
    ownership: "purchased",
    country: "US",
  });
  deepEqual(entitlements.items.map(({ lookup_key }) => lookup_key), ["pro"]);
  deepEqual(entitlements, await listPurchaseEntitlements(desk.client, id, { limit: 100 }));
  await sim.advance("P50Y");
  const { items } = await listActiveEntitlements(desk.client, "ada");
  deepEqual(items.map(({ expires_at }) => expires_at), [null]);
});

Deno.test("a web-billing purchase is refunded once, which ends its access", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const api = apiOf(desk);
  const product_id = await addWebProduct(desk, sim);
  const { id } = await sim.purchase({ product_id, customer_id: "grace" });
  equal((await listActiveEntitlements(desk.client, "grace")).items.length, 1);
  await sim.advance(179 * DAY);
  const refunded = await refundPurchase(desk.client, id);
  deepEqual([refunded.status, refunded.revenue_in_usd.gross], ["refunded", 0]);
  deepEqual((await listActiveEntitlements(desk.client, "grace")).items, []);
  const path = `/purchases/${id}/actions/refund`;
  await api.refused(againstRule(/already refunded/), "POST", path);
  const { items: [entry] } = await api.get("/audit_logs?limit=1");
  deepEqual([entry?.["action_type"], entry?.["target_identifier"]], ["purchase_refunded", id]);

  const old = await sim.purchase({ product_id });
  await sim.advance(181 * DAY);
  await api.refused(againstRule(/180 days/), "POST", `/purchases/${old.id}/actions/refund`);
  const apple = await sim.purchase({ product_id: "notes.pro.lifetime" });
  await api.refused(
    againstRule(/^Only web-billing /),
    "POST",
    `/purchases/${apple.id}/actions/refund`,
  );
});

Deno.test("the store's own refund and its reversal work in every store that has them", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const apple = await sim.purchase({ product_id: "notes.pro.lifetime" });
  await sim.post(`/purchases/${apple.id}/refund`);
  equal((await getPurchase(desk.client, apple.id)).status, "refunded");
  await sim.post(`/purchases/${apple.id}/reverse_refund`);
  equal((await getPurchase(desk.client, apple.id)).status, "owned");
  equal((await listActiveEntitlements(desk.client, "ada")).items.length, 1);
  const play = await sim.purchase({ product_id: "notes_lifetime" });
  await sim.post(`/purchases/${play.id}/refund`);
  equal((await sim.send("POST", `/purchases/${play.id}/refund`, {})).status, 422);
  equal((await sim.send("POST", `/purchases/${play.id}/reverse_refund`, {})).status, 422);
});

Deno.test("purchases are found by the store's id, and listed by environment", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const api = apiOf(desk);
  const first = await sim.purchase({ product_id: "notes.pro.lifetime", environment: "sandbox" });
  const second = await sim.purchase({ product_id: "notes_lifetime" });
  const id = second.store_purchase_identifier;
  const { items, next_page } = await searchPurchases(desk.client, id);
  deepEqual([items.map((item) => item.id), next_page], [[second.id], null]);
  for (
    const path of [`/purchases?store_purchase_identifier=${id}`, `/purchases/search?query=${id}`]
  ) {
    deepEqual((await api.get(path)).items, items, path);
  }
  await api.refused(badField("store_purchase_identifier", /required/), "GET", "/purchases/search");
  await api.refused(badField("store_purchase_identifier", /required/), "GET", "/purchases");
  const sandbox = await listCustomerPurchases(desk.client, "ada", { environment: "sandbox" });
  deepEqual(sandbox.items.map((item) => item.id), [first.id]);
  const page = await listCustomerPurchases(desk.client, "ada", { limit: 1 });
  match(page.next_page ?? "", /starting_after=purc/);
});

Deno.test("an unknown purchase is 404, and a missing permission 403", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.refused(noSuch(), "GET", "/purchases/purcnope");
  await api.refused(noSuch(), "GET", "/purchases/purcnope/entitlements");
  await api.refused(noSuch(), "POST", "/purchases/purcnope/actions/refund");
  const scope = "customer_information:purchases:read";
  const reader = apiOf(desk, await signIn(desk, { scope }));
  const denied = { status: 403, type: "authorization_error" };
  await reader.refused(denied, "POST", "/purchases/purcnope/actions/refund");
  equal((await reader.get("/customers/ada/purchases")).object, "list");
});

Deno.test("deleting a customer deletes its purchases and subscriptions, and frees their products", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const api = apiOf(desk);
  const product = await productNamed(desk, "notes_lifetime");
  const { id } = await sim.purchase({ product_id: product.id });
  const { id: subscription } = await sim.subscribe({ product_id: "notes_web_monthly" });
  await api.refused(againstRule(/has been bought/), "DELETE", `/products/${product.id}`);
  await api.remove("/customers/ada");
  await api.refused(noSuch(), "GET", `/purchases/${id}`);
  await api.refused(noSuch(), "GET", `/subscriptions/${subscription}`);
  await api.remove(`/products/${product.id}`);
  const rows = (await sim.rows("movements")).slice(-1);
  deepEqual(
    rows.map(({ kind, actives_delta, customer_id }) => [kind, actives_delta, customer_id]),
    [
      ["deletion", -1, null],
    ],
  );
  const all = await sim.rows("movements");
  equal(all.reduce((sum, row) => sum + row.mrr_delta_micros, 0), 0);
  deepEqual(all.filter((row) => row.customer_id !== null), []);
  await api.post("/customers", { id: "ada" });
  deepEqual((await listCustomerPurchases(desk.client, "ada")).items, []);
});
