import { deepEqual, equal, match, ok } from "node:assert/strict";
import { each } from "../../../lib/page.ts";
import { listCustomerSubscriptions } from "../../../lib/resources/customers.ts";
import {
  cancelSubscription,
  getManagementUrl,
  getSubscription,
  listSubscriptionEntitlements,
  listSubscriptionTransactions,
  refundSubscription,
  refundTransaction,
  searchSubscriptions,
} from "../../../lib/resources/subscriptions.ts";
import { frozen } from "../../support/activities.ts";
import { againstRule, apiOf, badField, noSuch, signIn } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";
import { DAY, productNamed } from "../../support/simulation.ts";

Deno.test("a subscription is shown with all its fields", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const now = await sim.now();
  const product = await productNamed(desk, "notes_web_annual");
  const { id } = await sim.subscribe({
    product_id: product.id,
    trial: "P3D",
    country: "DE",
    currency: "EUR",
    price: 70,
    offering_id: "default",
  });
  const trial = await getSubscription(desk.client, id);
  const [{ id: offering_id } = { id: "" }] = (await apiOf(desk).get("/offerings")).items;
  equal(trial.store_subscription_identifier.slice(0, 4), "txn_");
  const { entitlements, store_subscription_identifier: _, ...rest } = trial;
  deepEqual(rest, {
    object: "subscription",
    id,
    customer_id: "ada",
    original_customer_id: "ada",
    product_id: product.id,
    starts_at: now,
    current_period_starts_at: now,
    current_period_ends_at: now + 3 * DAY,
    ends_at: now + 3 * DAY,
    gives_access: true,
    pending_payment: false,
    auto_renewal_status: "will_renew",
    status: "trialing",
    total_revenue_in_usd: { currency: "USD", gross: 0, commission: 0, tax: 0, proceeds: 0 },
    presented_offering_id: offering_id,
    environment: "production",
    store: "svc_billing",
    ownership: "purchased",
    pending_changes: null,
    country: "DE",
    management_url: `https://billing.invalid/manage/${id}`,
  });
  equal(entitlements.url, `/v2/projects/${desk.projectId}/subscriptions/${id}/entitlements`);
  deepEqual(entitlements.items.map(({ lookup_key }) => lookup_key), ["pro", "sync"]);
  deepEqual(entitlements, await listSubscriptionEntitlements(desk.client, id, { limit: 100 }));
  await sim.advance("P3D");
  const { total_revenue_in_usd, status } = await getSubscription(desk.client, id);
  equal(status, "active");
  deepEqual(total_revenue_in_usd, {
    currency: "USD",
    gross: 75.6,
    commission: 2.268,
    tax: 12.07332,
    proceeds: 61.25868,
  });
});

Deno.test("each store has its management page, also in the public spelling", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const pages: Record<string, RegExp> = {
    "notes.pro.monthly": /apps\.apple\.com/,
    "notes_pro:monthly": /play\.google\.com/,
    "notes_web_monthly": /\.invalid\/manage\/sub/,
  };
  for (const [product_id, page] of Object.entries(pages)) {
    const { id, management_url } = await sim.subscribe({ product_id });
    match(management_url ?? "", page);
    const answer = { object: "management_url", management_url };
    deepEqual(await getManagementUrl(desk.client, id), answer);
    const path = `/subscriptions/${id}/authenticated_management_url`;
    deepEqual(await apiOf(desk).get(path), { ...answer, object: "authenticated_management_url" });
  }
  const body = { entitlement_id: "pro", expires_at: await sim.now() + DAY };
  const { active_entitlements: _, ...grace } = await apiOf(desk).post(
    "/customers/grace/actions/grant_entitlement",
    body,
  );
  const { items } = await apiOf(desk).get(`/customers/${grace.id}/subscriptions`);
  const [{ id } = { id: "" }] = items;
  deepEqual(await getManagementUrl(desk.client, id), {
    object: "management_url",
    management_url: null,
  });
  await apiOf(desk).refused(
    againstRule(/^Subscriptions of the store "promotional" have no management page$/),
    "GET",
    `/subscriptions/${id}/authenticated_management_url`,
  );
});

Deno.test("payments are listed by id or by time, in either direction, page by page", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "fail", { when: "renewal", grace: "P3D" });
  await sim.advance("P1M");
  await sim.act(id, "recover");
  await sim.advance("P6M");
  const whole = (await listSubscriptionTransactions(client, id, { limit: 100 })).items;
  equal(whole.length, 9);
  const byId = whole.map((row) => row.id);
  deepEqual(byId, [...byId].sort());
  for (const sort of ["id", "purchased_at"] as const) {
    for (const direction of ["asc", "desc"] as const) {
      const query = { sort, direction, limit: 2 };
      const pages = each(client, listSubscriptionTransactions(client, id, query));
      const found = [];
      for await (const row of pages) found.push(row);
      equal(new Set(found.map((row) => row.id)).size, 9, `${sort} ${direction}`);
      const keys = found.map((row) => `${row[sort]}/${row.id}`);
      const sorted = [...keys].sort();
      deepEqual(keys, direction === "asc" ? sorted : sorted.reverse());
    }
  }
  const failed = whole.filter(({ status }) => status === "failed");
  equal(failed.length, 1);
  const first = whole.find(({ purchased_at }) =>
    purchased_at === Math.min(...whole.map((t) => t.purchased_at))
  );
  equal(first?.effective_expiration_date, (first?.expiration_date ?? 0) + 3 * DAY);
  const api = apiOf(desk);
  const list = `/subscriptions/${id}/transactions`;
  await api.refused(badField("sort"), "GET", `${list}?sort=price`);
  await api.refused(badField("direction"), "GET", `${list}?direction=up`);
  await api.refused(badField("starting_after"), "GET", `${list}?starting_after=nope`);
});

Deno.test("cancel and refund are for web billing only, and only once", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const apple = await sim.subscribe({ product_id: "notes.pro.monthly" });
  for (const action of ["cancel", "refund"]) {
    const path = `/subscriptions/${apple.id}/actions/${action}`;
    await api.refused(againstRule(/^Only web-billing /), "POST", path);
  }
  const { id } = await sim.subscribe({ product_id: "notes_web_monthly" });
  const cancelled = await cancelSubscription(desk.client, id);
  deepEqual([cancelled.status, cancelled.auto_renewal_status, cancelled.gives_access], [
    "active",
    "will_not_renew",
    true,
  ]);
  const again = `/subscriptions/${id}/actions/cancel`;
  await api.refused(againstRule(/already cancelled/), "POST", again);
  const refunded = await refundSubscription(desk.client, id);
  deepEqual([refunded.status, refunded.gives_access, refunded.total_revenue_in_usd.gross], [
    "expired",
    false,
    0,
  ]);
  equal(refunded.current_period_ends_at, await sim.now());
  await api.refused(againstRule(/already refunded/), "POST", `/subscriptions/${id}/actions/refund`);
  await api.refused(againstRule(/has expired/), "POST", again);
  const [payment] = (await listSubscriptionTransactions(desk.client, id)).items;
  deepEqual([payment?.status, payment?.refunded_at], ["refunded", await sim.now()]);
  await sim.subscribe({ customer_id: "grace", product_id: "notes_web_annual", trial: true });
  const { items: [trial] } = await listCustomerSubscriptions(desk.client, "grace");
  await api.refused(
    againstRule(/was free/),
    "POST",
    `/subscriptions/${trial?.id}/actions/refund`,
  );
});

Deno.test("one payment is refunded if its store and age allow it, and access continues", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const refuse = async (product_id: string, reason: RegExp) => {
    const bought = await sim.subscribe({ customer_id: `c${product_id}`, product_id });
    const transaction = bought.store_subscription_identifier;
    const path = `/subscriptions/${bought.id}/transactions/${transaction}/actions/refund`;
    await api.refused(againstRule(reason), "POST", path);
  };
  await refuse("notes.pro.monthly", /only be refunded by the store/);
  const play = await sim.subscribe({ product_id: "notes_pro:monthly" });
  const first = play.store_subscription_identifier;
  await sim.advance("P3M");
  const refunded = await refundTransaction(desk.client, play.id, first);
  deepEqual([refunded.id, refunded.status, refunded.refunded_at], [
    first,
    "refunded",
    await sim.now(),
  ]);
  const after = await getSubscription(desk.client, play.id);
  deepEqual([after.status, after.gives_access, after.auto_renewal_status], [
    "active",
    true,
    "will_renew",
  ]);
  equal(after.total_revenue_in_usd.gross, 29.97);
  const again = `/subscriptions/${play.id}/transactions/${first}/actions/refund`;
  await api.refused(againstRule(/already refunded/), "POST", again);
  await refundTransaction(desk.client, play.id, after.store_subscription_identifier);
  equal((await getSubscription(desk.client, play.id)).status, "active");

  const old = await sim.subscribe({ customer_id: "grace", product_id: "notes_web_annual" });
  await sim.advance(180 * DAY);
  const path =
    `/subscriptions/${old.id}/transactions/${old.store_subscription_identifier}/actions/refund`;
  await sim.advance(1);
  await api.refused(againstRule(/more than 180 days old/), "POST", path);
  await api.refused(
    againstRule(/more than 180 days old/),
    "POST",
    `/subscriptions/${old.id}/actions/refund`,
  );
  await sim.post("/settings", { refund_window_days: 181 });
  equal((await api.send("POST", path)).status, 200);
});

Deno.test("subscriptions are found by any of their payments, past or present", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const given = await sim.subscribe({
    product_id: "notes.pro.monthly",
    store_transaction_id: "store/id 1",
  });
  await sim.advance("P2M");
  const { store_subscription_identifier: latest } = await getSubscription(desk.client, given.id);
  for (const id of ["store/id 1", latest]) {
    const { items, next_page } = await searchSubscriptions(desk.client, id);
    deepEqual([items.map((item) => item.id), next_page], [[given.id], null]);
    const query = encodeURIComponent(id);
    const spellings = [
      `/subscriptions?store_subscription_identifier=${query}`,
      `/subscriptions/search?query=${query}`,
    ];
    for (const path of spellings) deepEqual((await api.get(path)).items, items, path);
  }
  deepEqual((await searchSubscriptions(desk.client, "nope")).items, []);
  const missing = badField("store_subscription_identifier", /required/);
  await api.refused(missing, "GET", "/subscriptions/search");
  await api.refused(missing, "GET", "/subscriptions");
  await api.refused(
    badField("store_subscription_identifier"),
    "GET",
    `/subscriptions/search?store_subscription_identifier=${"x".repeat(256)}`,
  );
  const grant = { entitlement_id: "pro", expires_at: await sim.now() + DAY };
  await api.post("/customers/grace/actions/grant_entitlement", grant);
  const { items: [promo] } = await listCustomerSubscriptions(desk.client, "grace");
  const found = await searchSubscriptions(desk.client, promo?.store_subscription_identifier ?? "");
  deepEqual(found.items.map((item) => item.id), [promo?.id]);
});

Deno.test("a customer's subscriptions come oldest first, and by environment", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const ids: string[] = [];
  for (const product_id of ["notes.pro.monthly", "notes_web_monthly", "notes_pro:annual"]) {
    const environment = product_id === "notes_web_monthly" ? "sandbox" : "production";
    ids.push((await sim.subscribe({ product_id, environment })).id);
  }
  const { client } = desk;
  const idsOf = async (query: object) =>
    (await listCustomerSubscriptions(client, "ada", query)).items.map(({ id }) => id);
  deepEqual(await idsOf({}), ids);
  deepEqual(await idsOf({ environment: "sandbox" }), [ids[1]]);
  deepEqual(await idsOf({ environment: "production", limit: 1 }), [ids[0]]);
  deepEqual(await idsOf({ starting_after: ids[0] }), ids.slice(1));
  const api = apiOf(desk);
  await api.refused(badField("environment"), "GET", "/customers/ada/subscriptions?environment=x");
  await api.refused(noSuch(), "GET", "/customers/nobody/subscriptions");
});

Deno.test("an unknown subscription is 404, and a missing permission 403", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id, store_subscription_identifier } = await sim.subscribe({
    product_id: "notes_web_monthly",
  });
  const other = await sim.subscribe({ customer_id: "grace", product_id: "notes_web_monthly" });
  const api = apiOf(desk);
  for (const path of ["", "/transactions", "/entitlements", "/management_url"]) {
    await api.refused(noSuch(), "GET", `/subscriptions/subnope${path}`);
  }
  for (const path of ["/actions/cancel", "/actions/refund"]) {
    await api.refused(noSuch(), "POST", `/subscriptions/subnope${path}`);
  }
  const foreign = `/subscriptions/${other.id}/transactions/${store_subscription_identifier}`;
  await api.refused(noSuch("transaction_id"), "POST", `${foreign}/actions/refund`);
  const unknown = `/subscriptions/${id}/transactions/nope`;
  await api.refused(noSuch("transaction_id"), "POST", `${unknown}/actions/refund`);
  const scope = "customer_information:subscriptions:read";
  const reader = apiOf(desk, await signIn(desk, { scope }));
  equal((await reader.get(`/subscriptions/${id}`)).id, id);
  const denied = { status: 403, type: "authorization_error" };
  await reader.refused(denied, "POST", `/subscriptions/${id}/actions/cancel`);
  await reader.refused(denied, "GET", "/customers/ada/purchases");
});

Deno.test("each change is in the audit log", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes_web_monthly" });
  await sim.advance("P1M");
  await cancelSubscription(desk.client, id);
  const [first] = (await listSubscriptionTransactions(desk.client, id, { sort: "purchased_at" }))
    .items;
  await refundTransaction(desk.client, id, first?.id ?? "");
  await refundSubscription(desk.client, id);
  const { items } = await apiOf(desk).get("/audit_logs?limit=3");
  deepEqual(
    items.map((item) => [item["action_type"], item["target_type"], item["target_identifier"]]),
    [
      ["subscription_refunded", "subscription", id],
      ["transaction_refunded", "subscription_transaction", first?.id],
      ["subscription_cancelled", "subscription", id],
    ],
  );
});

Deno.test("a product with purchases cannot be deleted, and neither can its app", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const monthly = await productNamed(desk, "notes.pro.monthly");
  const annual = await productNamed(desk, "notes.pro.annual");
  const { id } = await sim.subscribe({ product_id: monthly.id });
  await sim.act(id, "change_product", { product_id: annual.id, when: "period_end" });
  for (const product of [monthly, annual]) {
    await api.refused(againstRule(/has been bought/), "DELETE", `/products/${product.id}`);
  }
  equal((await api.get(`/subscriptions/${id}`)).id, id);
  const refused = { status: 409, type: "unprocessable_entity_error" };
  const answer = await api.refused(refused, "DELETE", `/apps/${monthly.app_id}`);
  ok(JSON.stringify(answer["referenced_object_ids"]).includes(id));
});
