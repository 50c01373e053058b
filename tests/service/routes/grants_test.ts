import { deepEqual, equal, ok } from "node:assert/strict";
import {
  getCustomer,
  grantEntitlement,
  listActiveEntitlements,
  listCustomerSubscriptions,
} from "../../../lib/resources/customers.ts";
import { listEntitlements } from "../../../lib/resources/entitlements.ts";
import { frozen } from "../../support/activities.ts";
import { againstRule, apiOf, badField, noSuch, signIn } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { DAY, productNamed } from "../../support/simulation.ts";

const GRANT = "/customers/ada/actions/grant_entitlement";

/** Ada's active entitlements, by lookup key, with their ends. */
async function access(desk: Desk, id = "ada"): Promise<Record<string, number | null>> {
  const { items: all } = await listEntitlements(desk.client);
  const { items } = await listActiveEntitlements(desk.client, id);
  const nameOf = (id: string) => all.find((one) => one.id === id)?.lookup_key ?? id;
  return Object.fromEntries(items.map((one) => [nameOf(one.entitlement_id), one.expires_at]));
}

Deno.test("a grant gives an entitlement until its date, and the answer is the customer with it", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const expires_at = await sim.now() + 30 * DAY;
  const api = apiOf(desk);
  const { status, body } = await api.send("POST", GRANT, { entitlement_id: "pro", expires_at });
  equal(status, 201);
  deepEqual(body, await getCustomer(desk.client, "ada"));
  deepEqual(await access(desk), { pro: expires_at });
  const { items: [grant] } = await listCustomerSubscriptions(desk.client, "ada");
  deepEqual(
    [
      grant?.store,
      grant?.product_id,
      grant?.auto_renewal_status,
      grant?.status,
      grant?.environment,
    ],
    ["promotional", null, "will_not_renew", "active", "production"],
  );
  deepEqual(grant?.entitlements.items.map((one) => one.lookup_key), ["pro"]);
  equal(grant?.management_url, null);
  const { items: [entry] } = await api.get("/audit_logs?limit=1");
  deepEqual([entry?.["action_type"], entry?.["target_type"], entry?.["target_identifier"]], [
    "customer_entitlement_granted",
    "customer",
    "ada",
  ]);
  await sim.advance(30 * DAY - 1);
  deepEqual(await access(desk), { pro: expires_at });
  await sim.advance(1);
  deepEqual(await access(desk), {});
  equal((await listCustomerSubscriptions(desk.client, "ada")).items[0]?.status, "expired");
});

Deno.test("a new grant replaces the earlier date, in both directions", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const now = await sim.now();
  for (const days of [30, 300, 2, 2]) {
    const expires_at = now + days * DAY;
    await grantEntitlement(desk.client, "ada", { entitlement_id: "pro", expires_at });
    deepEqual(await access(desk), { pro: expires_at });
  }
  equal((await listCustomerSubscriptions(desk.client, "ada")).items.length, 1);
  await sim.advance("P1W");
  deepEqual(await access(desk), {});
  const expires_at = await sim.now() + DAY;
  await grantEntitlement(desk.client, "ada", { entitlement_id: "pro", expires_at });
  equal((await listCustomerSubscriptions(desk.client, "ada")).items.length, 2, "a new one");
});

Deno.test("the latest end of grant, subscription and purchase wins, and no end is latest", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const now = await sim.now();
  const { id, current_period_ends_at } = await sim.subscribe({ product_id: "notes.pro.annual" });
  deepEqual(await access(desk), { pro: current_period_ends_at, sync: current_period_ends_at });
  const further = now + 500 * DAY;
  await grantEntitlement(desk.client, "ada", { entitlement_id: "pro", expires_at: further });
  deepEqual(await access(desk), { pro: further, sync: current_period_ends_at });
  await grantEntitlement(desk.client, "ada", { entitlement_id: "pro", expires_at: now + 1 });
  await sim.advance(1);
  deepEqual(
    await access(desk),
    { pro: current_period_ends_at, sync: current_period_ends_at },
    "taking a grant back leaves what the store gives",
  );
  const bought = await sim.purchase({ product_id: "notes.pro.lifetime" });
  deepEqual(await access(desk), { pro: null, sync: current_period_ends_at });
  await sim.act(id, "expire");
  deepEqual(await access(desk), { pro: null });
  await sim.post(`/purchases/${bought.id}/refund`);
  deepEqual(await access(desk), {});
});

Deno.test("grace keeps access to its end, and attaching and detaching reach past buyers", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "fail", { grace: "P16D" });
  const graceEnds = await sim.now() + 16 * DAY;
  deepEqual(await access(desk), { pro: graceEnds });
  const product = await productNamed(desk, "notes.pro.monthly");
  const change = { product_ids: [product.id] };
  await api.post("/entitlements/sync/actions/attach_products", change);
  deepEqual(await access(desk), { pro: graceEnds, sync: graceEnds });
  await api.post("/entitlements/pro/actions/detach_products", change);
  deepEqual(await access(desk), { sync: graceEnds });
  await api.post("/entitlements/sync/actions/archive");
  await api.post(`/products/${product.id}/actions/archive`);
  deepEqual(await access(desk), { sync: graceEnds }, "archived ones still give");
  await sim.advanceTo(graceEnds);
  deepEqual(await access(desk), {});
});

Deno.test("active entitlements come in pages, which continue after an expired one", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const expires_at = await sim.now() + DAY;
  for (const lookup_key of ["a", "b", "c"]) {
    await api.post("/entitlements", { lookup_key, display_name: lookup_key });
    const days = lookup_key === "b" ? 0.5 : 9;
    const body = { entitlement_id: lookup_key, expires_at: await sim.now() + days * DAY };
    await api.post(GRANT, body);
  }
  await api.post(GRANT, { entitlement_id: "pro", expires_at });
  const list = "/customers/ada/active_entitlements";
  const { items, url } = await api.get(`${list}?limit=100`);
  equal(items.length, 4);
  equal(url, `/v2/projects/${desk.projectId}${list}`);
  const first = await api.get(`${list}?limit=3`);
  deepEqual(first.items, items.slice(0, 3));
  await sim.advance(0.6 * DAY);
  const after = await api.get(`${list}?starting_after=${items[2]?.["entitlement_id"]}`);
  deepEqual(after.items, items.slice(3));
  await api.refused(badField("starting_after"), "GET", `${list}?starting_after=nope`);
  const customer = await getCustomer(desk.client, "ada");
  equal(customer.active_entitlements?.items.length, 3);
});

Deno.test("a grant needs a customer, an active entitlement and a future date", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const now = await sim.now();
  const body = { entitlement_id: "pro", expires_at: now + DAY };
  const past = { status: 422, type: "parameter_error", param: "expires_at" };
  await api.refused(past, "POST", GRANT, { ...body, expires_at: now });
  await api.refused(past, "POST", GRANT, { ...body, expires_at: 0 });
  for (const expires_at of ["soon", 1.5, -1, Number.MAX_SAFE_INTEGER, null]) {
    await api.refused(badField("expires_at"), "POST", GRANT, { ...body, expires_at });
  }
  await api.refused(badField("expires_at"), "POST", GRANT, { entitlement_id: "pro" });
  await api.refused(badField("entitlement_id"), "POST", GRANT, { expires_at: now + DAY });
  await api.refused(badField("extra"), "POST", GRANT, { ...body, extra: 1 });
  await api.refused(noSuch("entitlement_id"), "POST", GRANT, { ...body, entitlement_id: "nope" });
  await api.refused(noSuch(), "POST", GRANT.replace("ada", "nobody"), body);
  await api.post(GRANT, body);
  await api.post("/entitlements/pro/actions/archive");
  await api.refused(againstRule(/archived/), "POST", GRANT, body);
  deepEqual(await access(desk), { pro: now + DAY }, "who has it keeps it");
  const scope = "customer_information:customers:read";
  const reader = apiOf(desk, await signIn(desk, { scope }));
  await reader.refused({ status: 403, type: "authorization_error" }, "POST", GRANT, body);
});

Deno.test("a grant ends with its entitlement, and accepts an id or a lookup key", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const { id } = await api.get("/entitlements/sync");
  await api.post(GRANT, { entitlement_id: id, expires_at: await sim.now() + DAY });
  ok("sync" in await access(desk));
  await api.remove("/entitlements/sync");
  deepEqual((await listCustomerSubscriptions(desk.client, "ada")).items, []);
  deepEqual(await access(desk), {});
});

Deno.test("an invalid end is refused with the allowed range", async () => {
  await using desk = await openDesk();
  const range = badField(
    "expires_at",
    /^'expires_at' must be a whole number from 0 to 253402300799999$/,
  );
  for (const expires_at of ["1e18", "-1e18", "1e999", "253402300800000", "1.5", '"2027"', "null"]) {
    const body = `{"entitlement_id":"pro","expires_at":${expires_at}}`;
    await apiOf(desk).refused(range, "POST", GRANT, body);
  }
});

Deno.test("a grant is revoked at once, with two events", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const now = await sim.now();
  const api = apiOf(desk);
  const path = "/customers/ada/actions/revoke_granted_entitlement";
  await api.post(GRANT, { entitlement_id: "pro", expires_at: now + 30 * DAY });
  await sim.newEvents();
  const answer = await api.post(path, { entitlement_id: "pro" });
  deepEqual(answer, await getCustomer(desk.client, "ada"));
  deepEqual(await access(desk), {});
  const { items: [grant] } = await listCustomerSubscriptions(desk.client, "ada");
  deepEqual([grant?.status, grant?.gives_access, grant?.ends_at], ["expired", false, now]);
  const told = (await sim.newEvents()).map((event) => [
    event["type"],
    event["cancel_reason"] ?? event["expiration_reason"],
    event["store"],
  ]);
  deepEqual(told, [
    ["CANCELLATION", "DEVELOPER_INITIATED", "PROMOTIONAL"],
    ["EXPIRATION", "DEVELOPER_INITIATED", "PROMOTIONAL"],
  ]);
  const { items: [entry] } = await api.get("/audit_logs?limit=1");
  deepEqual([entry?.["action_type"], entry?.["target_identifier"]], [
    "customer_entitlement_revoked",
    "ada",
  ]);
  await api.post(path, { entitlement_id: "pro" });
  deepEqual(await sim.newEvents(), [], "a second time nothing happens");
  await api.refused({ ...noSuch(), param: "entitlement_id" }, "POST", path, {
    entitlement_id: "nope",
  });
  await api.refused(badField("entitlement_id"), "POST", path, {});
});

Deno.test("revoking a grant keeps purchases", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { current_period_ends_at } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const expires_at = await sim.now() + 300 * DAY;
  await apiOf(desk).post(GRANT, { entitlement_id: "pro", expires_at });
  deepEqual(await access(desk), { pro: expires_at });
  const path = "/customers/ada/actions/revoke_granted_entitlement";
  await apiOf(desk).post(path, { entitlement_id: "pro" });
  deepEqual(await access(desk), { pro: current_period_ends_at });
});
