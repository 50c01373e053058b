import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  aliasSdkSubscriber,
  getSdkSubscriber,
  getSdkVirtualCurrencies,
  identifySdkSubscriber,
  type SdkSubscriberAnswer,
  setSdkAttributes,
} from "../../../mod.ts";
import { sdkRoutes } from "../../../lib/service/sdk/routes.ts";
import { grantEntitlement, listCustomerAttributes } from "../../../lib/resources/customers.ts";
import { openDesk } from "../../support/harness.ts";
import { appOf, buy, openTestStore, sim } from "../../support/sdk_fixture.ts";
import { simulate } from "../../support/simulation.ts";

const ANONYMOUS = "$RCAnonymousID:0123456789abcdef0123456789abcdef";
const OTHER_ANONYMOUS = "$RCAnonymousID:fedcba9876543210fedcba9876543210";

/** The lookup keys of the entitlements that an SDK treats as active. */
function activeIn({ subscriber, request_date_ms }: SdkSubscriberAnswer): string[] {
  return Object.entries(subscriber.entitlements)
    .filter(([, { expires_date }]) => !expires_date || Date.parse(expires_date) > request_date_ms)
    .map(([key]) => key);
}

Deno.test("an unknown user is created with 201, and found with 200", async () => {
  await using desk = await openDesk();
  const { key, client } = await openTestStore(desk);
  const headers = { Authorization: `Bearer ${key}`, "X-Platform": "iOS" };
  const first = await desk.send("GET", "/v1/subscribers/newcomer", undefined, headers);
  equal(first.status, 201);
  const { subscriber, request_date } = await first.json();
  match(request_date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  equal(subscriber.original_app_user_id, "newcomer");
  deepEqual([subscriber.entitlements, subscriber.subscriptions, subscriber.non_subscriptions], [
    {},
    {},
    {},
  ]);
  const again = await desk.send("GET", "/v1/subscribers/newcomer", undefined, headers);
  equal(again.status, 200);
  const customer =
    await (await desk.send("GET", `/v2/projects/${desk.projectId}/customers/newcomer`))
      .json();
  equal(customer.last_seen_platform, "iOS");
  equal((await getSdkSubscriber(client, "newcomer")).subscriber.original_app_user_id, "newcomer");
});

Deno.test("an invalid user id is refused with its code", async () => {
  await using desk = await openDesk();
  const { key } = await openTestStore(desk);
  const headers = { Authorization: `Bearer ${key}` };
  for (
    const [id, code] of [["", 7220], ["null", 7256], ["a%2Fb", 7256], [
      encodeURIComponent("é".repeat(1501)),
      7256,
    ]] as const
  ) {
    const response = await desk.send("GET", `/v1/subscribers/${id}`, undefined, headers);
    deepEqual([response.status, (await response.json()).code], [400, code], id);
  }
});

Deno.test("a read with the tag of the last answer returns 304, until something changes", async () => {
  const clock = { now: 1_800_000_000_000 };
  await using desk = await openDesk({ clock: () => clock.now });
  const app = await openTestStore(desk);
  const read = (tag?: string) =>
    desk.send("GET", "/v1/subscribers/ada", undefined, {
      Authorization: `Bearer ${app.key}`,
      ...tag !== undefined && { "X-RevenueCat-ETag": tag },
    });
  await read();
  const tag = (await read()).headers.get("X-RevenueCat-ETag") ?? "";
  clock.now += 60_000;
  const same = await read(tag);
  match(same.headers.get("X-Request-Id") ?? "", /^req/);
  deepEqual([same.status, same.headers.get("X-RevenueCat-ETag"), await same.text()], [
    304,
    tag,
    "",
  ]);
  await buy(app, "ada", "coins");
  const changed = await read(tag);
  equal(changed.status, 200);
  ok(changed.headers.get("X-RevenueCat-ETag") !== tag);
});

Deno.test("an anonymous user who signs in with a new id keeps the purchases", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  await buy(app, ANONYMOUS, "annual");
  const identity = { app_user_id: ANONYMOUS, new_app_user_id: "newcomer" };
  const headers = { Authorization: `Bearer ${app.key}` };
  const created = await desk.send("POST", "/v1/subscribers/identify", identity, headers);
  equal(created.status, 201);
  const answer: SdkSubscriberAnswer = await created.json();
  deepEqual(activeIn(answer), ["pro"]);
  deepEqual(activeIn(await getSdkSubscriber(app.client, "newcomer")), ["pro"]);
  const again = await desk.send("POST", "/v1/subscribers/identify", identity, headers);
  equal(again.status, 200);
});

Deno.test("a signed-in user switches to another id without the purchases", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  await buy(app, "ada", "annual");
  const identity = { app_user_id: "ada", new_app_user_id: "grace" };
  const { subscriber } = await identifySdkSubscriber(app.client, identity);
  deepEqual([subscriber.original_app_user_id, subscriber.subscriptions], ["grace", {}]);
});

Deno.test("nobody signs in with an invalid id", async () => {
  await using desk = await openDesk();
  const { client } = await openTestStore(desk);
  for (
    const [new_app_user_id, type] of [["", "v1_7220"], ["null", "v1_7256"], ["a/b", "v1_7256"]]
  ) {
    const identity = { app_user_id: ANONYMOUS, new_app_user_id: new_app_user_id ?? "" };
    await rejects(identifySdkSubscriber(client, identity), { type });
  }
});

Deno.test("the project's setting decides when a second anonymous user signs in with an id", async () => {
  for (const behavior of ["transfer", "share", "keep"]) {
    await using desk = await openDesk();
    const app = await openTestStore(desk);
    await sim(desk, "POST", "/settings", { restore_behavior: behavior });
    await identifySdkSubscriber(app.client, { app_user_id: ANONYMOUS, new_app_user_id: "ada" });
    await buy(app, OTHER_ANONYMOUS, "annual");
    const identity = { app_user_id: OTHER_ANONYMOUS, new_app_user_id: "ada" };
    const answer = await identifySdkSubscriber(app.client, identity);
    deepEqual(activeIn(answer), behavior === "keep" ? [] : ["pro"], behavior);
    const left = activeIn(await getSdkSubscriber(app.client, OTHER_ANONYMOUS));
    deepEqual(left, behavior === "transfer" ? [] : ["pro"], behavior);
    const { items } = await sim<{ items: { type: string }[] }>(desk, "GET", "/events?limit=100");
    const transfers = items.filter(({ type }) => type === "TRANSFER").length;
    equal(transfers, behavior === "transfer" ? 1 : 0, behavior);
  }
});

Deno.test("an alias merges an anonymous customer, and never two who have signed in", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  await buy(app, ANONYMOUS, "annual");
  const joined = await aliasSdkSubscriber(app.client, ANONYMOUS, { new_app_user_id: "ada" });
  deepEqual(activeIn(joined), ["pro"]);
  await getSdkSubscriber(app.client, "grace");
  await rejects(
    aliasSdkSubscriber(app.client, "ada", { new_app_user_id: "grace" }),
    { type: "v1_7255", message: /both have signed in/ },
  );
});

Deno.test("the later of two values of an attribute counts, in any order of arrival", async () => {
  await using desk = await openDesk();
  const { client } = await openTestStore(desk);
  const set = (value: string | null, updated_at_ms: number) =>
    setSdkAttributes(client, "ada", { attributes: { color: { value, updated_at_ms } } });
  const color = async () =>
    (await listCustomerAttributes(desk.client, "ada")).items.find(({ name }) => name === "color")
      ?.value;
  await set("red", 2000);
  await set("blue", 1000);
  equal(await color(), "red");
  await set(null, 4000);
  await set("green", 3000);
  equal(await color(), undefined);
  for (const value of ["orange", "yellow"]) await set(value, 5000);
  equal(await color(), "yellow", "of the same time, the one that arrives later");
  await desk.send("POST", `/v2/projects/${desk.projectId}/customers/ada/attributes`, [
    { name: "color", value: "black" },
  ]);
  await set("white", 6000);
  equal(await color(), "black");
});

Deno.test("attributes that cannot be stored are listed, and the others are stored", async () => {
  await using desk = await openDesk();
  const { key } = await openTestStore(desk);
  const at = { updated_at_ms: 1000 };
  const attributes = {
    $email: { value: "ada@example.com", ...at },
    $nonsense: { value: "x", ...at },
    long: { value: "x".repeat(501), ...at },
  };
  const headers = { Authorization: `Bearer ${key}` };
  const response = await desk.send(
    "POST",
    "/v1/subscribers/newcomer/attributes",
    { attributes },
    headers,
  );
  const { code, attribute_errors } = await response.json();
  deepEqual([response.status, code], [400, 7263]);
  const route = sdkRoutes.find(({ name }) => name === "setSdkAttributes");
  match(
    route?.description ?? "",
    /the error of code 7263 lists .* under attribute_errors, by key_/,
  );
  const [name, value, ...others] = attribute_errors;
  deepEqual([name.key_name, value.key_name, others], ["$nonsense", "long", []]);
  match(name.message, /^The name must start with a letter /);
  equal(value.message, "The value must have 0 to 500 characters");
  const { items } = await listCustomerAttributes(desk.client, "newcomer");
  deepEqual(items.map(({ name }) => name), ["$email"]);
  for (const body of [{}, { attributes: { a: "b" } }, { attributes: { a: { value: 1 } } }]) {
    const refused = await desk.send("POST", "/v1/subscribers/newcomer/attributes", body, headers);
    deepEqual([refused.status, (await refused.json()).code], [400, 7264]);
  }
});

Deno.test("the SDK reads the balances that purchases grant and the app's server spends", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const currency = {
    code: "GEM",
    name: "Gems",
    product_grants: [{ product_ids: [app.products["coins"]], amount: 100 }],
  };
  await desk.send("POST", `/v2/projects/${desk.projectId}/virtual_currencies`, currency);
  const gems = async () =>
    (await getSdkVirtualCurrencies(app.client, "ada")).virtual_currencies["GEM"];
  deepEqual(await gems(), { balance: 0, code: "GEM", name: "Gems", description: null });
  await buy(app, "ada", "coins");
  equal((await gems())?.balance, 100);
  await sim(desk, "POST", "/customers/ada/currencies", { adjustments: { GEM: -30 } });
  equal((await gems())?.balance, 70);
  const path = `/v2/projects/${desk.projectId}/virtual_currencies`;
  for (const code of ["ZED", "ABC"]) await desk.send("POST", path, { code, name: code });
  // A database may find a changed row behind the others.
  await desk.send("POST", `${path}/GEM`, { name: "Gem" });
  const { virtual_currencies } = await getSdkVirtualCurrencies(app.client, "ada");
  deepEqual(Object.keys(virtual_currencies).slice(-3), ["GEM", "ZED", "ABC"], "oldest first");
});

Deno.test("the SDK reads granted entitlements by their lookup keys", async () => {
  await using desk = await openDesk();
  const app = await openTestStore(desk);
  const path = `/v2/projects/${desk.projectId}/entitlements`;
  await desk.send("POST", path, { lookup_key: "vip", display_name: "Vip" });
  const now = Date.now();
  for (const [entitlement_id, days] of [["pro", 30], ["vip", 400]] as const) {
    await grantEntitlement(desk.client, "ada", {
      entitlement_id,
      expires_at: now + days * 86_400_000,
    });
  }
  const answer = await getSdkSubscriber(app.client, "ada");
  deepEqual(activeIn(answer).sort(), ["pro", "vip"]);
  deepEqual(Object.keys(answer.subscriber.subscriptions).map((key) => key.split("_")[2]).sort(), [
    "pro",
    "vip",
  ]);
});

Deno.test("a subscription shows when renewal was last switched off, and when a charge failed", async () => {
  await using desk = await openDesk();
  const { client } = await appOf(desk, "app_store");
  const shop = simulate(desk);
  const bought = { product_id: "notes.pro.monthly", customer_id: "newcomer" };
  const { id } = await shop.subscribe(bought);
  // How long ago, in hours. The SDK gets times on its device's clock, in whole seconds.
  const shown = async () => {
    const { subscriber, request_date } = await getSdkSubscriber(client, "newcomer");
    const [one] = Object.values(subscriber.subscriptions);
    return [one?.unsubscribe_detected_at, one?.billing_issues_detected_at].map((text) =>
      text && Math.round((Date.parse(request_date) - Date.parse(text)) / 3_600_000)
    );
  };
  deepEqual(await shown(), [null, null]);
  for (let time = 0; time < 2; time++) {
    await shop.advance("P1D");
    await shop.act(id, "cancel");
    await shop.advance("PT5H");
    deepEqual(await shown(), [5, null]);
    await shop.act(id, "uncancel");
    deepEqual(await shown(), [null, null]);
  }
  for (let time = 0; time < 2; time++) {
    await shop.act(id, "fail");
    await shop.advance("PT7H");
    deepEqual(await shown(), [null, 7]);
    await shop.act(id, "recover");
    deepEqual(await shown(), [null, null]);
  }
  // An earlier failure that began grace is not the one that is open.
  await shop.advance("P1D");
  await shop.act(id, "fail", { grace: null });
  await shop.advance("PT2H");
  deepEqual(await shown(), [null, 2]);
});

Deno.test("renewal of a trial, in grace and of a family share is off since the cancellation", async () => {
  await using desk = await openDesk();
  const { client } = await appOf(desk, "app_store");
  const shop = simulate(desk);
  const hoursAgo = async (customer: string) => {
    const { subscriber, request_date } = await getSdkSubscriber(client, customer);
    return Object.values(subscriber.subscriptions).map(({ unsubscribe_detected_at: text }) =>
      text && Math.round((Date.parse(request_date) - Date.parse(text)) / 3_600_000)
    );
  };
  const product_id = "notes.pro.monthly";
  const trial = await shop.subscribe({ product_id, customer_id: "tester", trial: "P2W" });
  const failing = await shop.subscribe({ product_id, customer_id: "payer" });
  const family = await shop.subscribe({ product_id, customer_id: "parent" });
  await shop.act(family.id, "family_share", { customer_id: "child" });
  await shop.act(failing.id, "fail", { grace: "P6D" });
  await shop.advance("P2D");
  for (const { id } of [trial, failing, family]) await shop.act(id, "cancel");
  await shop.act(family.id, "family_share", { customer_id: "later" });
  await shop.advance("PT3H");
  await shop.act(family.id, "family_share", { customer_id: "latest" });
  for (const customer of ["tester", "payer", "parent", "child", "later", "latest"]) {
    deepEqual(await hoursAgo(customer), [3], customer);
  }
  await shop.act(trial.id, "uncancel");
  deepEqual(await hoursAgo("tester"), [null]);
  // One that ends by itself stays as it was.
  await shop.advance("P2M");
  const ended = await hoursAgo("parent");
  ok(Number(ended[0]) > 24 * 30, String(ended));
  deepEqual(ended, await hoursAgo("child"));
});
