import { deepEqual, equal, match } from "node:assert/strict";
import { each } from "../../../lib/page.ts";
import {
  type AttributeChange,
  createCustomer,
  getCustomer,
  listCustomerAttributes,
  setCustomerAttributes,
} from "../../../lib/resources/customers.ts";
import { againstRule, apiOf, badField } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

/** Every reserved name of the document. */
const RESERVED = [
  ...["$ad", "$adGroup", "$adjustId", "$airbridgeDeviceId", "$airshipChannelId", "$amazonAdId"],
  ...["$amplitudeDeviceId", "$amplitudeUserId", "$appleAdsAdGroupId", "$appleAdsCampaignId"],
  ...["$appleAdsKeywordId", "$appleRefundHandlingPreference", "$apnsTokens", "$appsflyerId"],
  ...["$appsflyerSharingFilter", "$attConsentStatus", "$branchId", "$brazeAliasLabel"],
  ...["$brazeAliasName", "$campaign", "$clevertapId", "$creative", "$customerioId"],
  ...["$deviceVersion", "$displayName", "$email", "$fbAnonId", "$fcmTokens"],
  ...["$firebaseAppInstanceId", "$gpsAdId", "$idfa", "$idfv", "$ip", "$iterableCampaignId"],
  ...["$iterableTemplateId", "$iterableUserId", "$keyword", "$kochavaDeviceId", "$mediaSource"],
  ...["$mixpanelDistinctId", "$mparticleId", "$onesignalId", "$onesignalUserId", "$phoneNumber"],
  ...["$posthogUserId", "$segmentId", "$solarEngineAccountId", "$solarEngineDistinctId"],
  ...["$solarEngineVisitorId", "$telemetryDeckAppId", "$telemetryDeckUserId", "$tenjinId"],
  ...["telemetry_deck_app_id", "telemetry_deck_user_id"],
];

Deno.test("a customer can have all reserved attributes and 50 custom ones, on two pages", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const reserved = RESERVED.map((name) => ({ name, value: "x" }));
  await setCustomerAttributes(client, "ada", [{ name: "plan", value: "" }]);
  await setCustomerAttributes(client, "ada", reserved.slice(0, 30));
  await setCustomerAttributes(client, "ada", reserved.slice(30));
  const answer = await setCustomerAttributes(client, "ada", numbered(50));
  equal(answer.items.length, 100);
  const all = (await Array.fromAsync(each(client, answer))).map(({ name }) => name);
  deepEqual(all, [...RESERVED, ...numbered(50).map(({ name }) => name)].sort());
});

Deno.test("attributes are set, replaced and removed; the others stay", async () => {
  let now = 1_700_000_000_000;
  await using desk = await openDesk({ clock: () => now });
  const { client } = desk;
  now += 5;
  const list = await setCustomerAttributes(client, "ada", [
    { name: "plan", value: "solo" },
    { name: "Note-1_b", value: "ünï 😀 = \n" },
  ]);
  deepEqual(list.items, [
    attribute("$email", "ada@example.com", now - 5),
    attribute("Note-1_b", "ünï 😀 = \n", now),
    attribute("plan", "solo", now),
  ]);
  equal(list.url, `/v2/projects/${desk.projectId}/customers/ada/attributes`);
  await setCustomerAttributes(client, "ada", [
    { name: "plan", value: null },
    { name: "$email", value: "" },
    { name: "never_there", value: null },
  ]);
  deepEqual(await valuesOf(desk), { "Note-1_b": "ünï 😀 = \n" });
});

Deno.test("an attribute can be set and removed again and again", async () => {
  await using desk = await openDesk();
  const set = (value: string | null) =>
    setCustomerAttributes(desk.client, "ada", [{ name: "plan", value }]);
  for (const value of ["a", null, "b", null, "c"]) {
    await set(value);
    equal((await valuesOf(desk))["plan"], value ?? undefined);
  }
});

Deno.test("the last of two values for one name counts", async () => {
  await using desk = await openDesk();
  const set = (...changes: AttributeChange[]) => setCustomerAttributes(desk.client, "ada", changes);
  await set({ name: "plan", value: "a" }, { name: "plan", value: "b" });
  equal((await valuesOf(desk))["plan"], "b");
  await set({ name: "plan", value: "c" }, { name: "plan", value: null });
  equal((await valuesOf(desk))["plan"], undefined);
});

Deno.test("names are reserved, or custom in a fixed form", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const set = "/customers/grace/attributes";
  const bad = ["", "1a", "_a", "-a", "a b", "ä", "a.b", "a$", "$", "$nope", "$Email", "$email "];
  for (const name of [...bad, "a".repeat(41), 5, null]) {
    const body = { attributes: [{ name: "ok", value: "1" }, { name, value: "x" }] };
    await api.refused(badField("attributes.1.name"), "POST", set, body);
  }
  const good = ["$displayName", "$telemetryDeckAppId", "telemetry_deck_user_id", "a".repeat(40)];
  for (const name of good) await api.post(set, { attributes: [{ name, value: "x" }] });
  const { items } = await api.get(set);
  deepEqual(
    items.map(({ name }) => name),
    ["$displayName", "$email", "$telemetryDeckAppId"].concat(
      ["a".repeat(40), "telemetry_deck_user_id"],
    ),
  );
});

Deno.test("a value is text of at most 500 characters", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const set = "/customers/grace/attributes";
  for (const value of ["x".repeat(501), "😀".repeat(501), 5, true, {}, [], undefined]) {
    const body = { attributes: [{ name: "a", value }] };
    await api.refused(badField("attributes.0.value"), "POST", set, body);
  }
  const long = "😀".repeat(500);
  await api.post(set, { attributes: [{ name: "a", value: long }] });
  equal((await valuesOf(desk, "grace"))["a"], long);
});

Deno.test("one request sets 1 to 50 attributes, as a list of objects", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const set = "/customers/grace/attributes";
  await api.refused(badField("attributes"), "POST", set, {});
  await api.refused(badField("attributes"), "POST", set, { attributes: [] });
  await api.refused(badField("attributes"), "POST", set, { attributes: { plan: "solo" } });
  await api.refused(badField("attributes"), "POST", set, { attributes: numbered(51) });
  const extra = { attributes: [{ name: "a", value: "b", updated_at: 1 }] };
  await api.refused(badField("attributes.0.updated_at"), "POST", set, extra);
  await api.refused(badField("plan"), "POST", set, { attributes: numbered(1), plan: "solo" });
  await api.post(set, { attributes: numbered(50) });
  equal((await api.get(`${set}?limit=100`)).items.length, 51);
});

Deno.test("a bare list is accepted, with the same rules", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const set = "/customers/grace/attributes";
  const { attributes } = { attributes: numbered(2) };
  const answer = await api.post(set, attributes);
  deepEqual(
    answer,
    await api.get(`${set}?limit=100`).then((page) => ({ ...page, url: answer.url })),
  );
  equal((await valuesOf(desk, "grace"))["a1"], "1");
  await api.refused(badField("0.name"), "POST", set, [{ name: "$nope", value: "x" }]);
  await api.refused(badField("1.value"), "POST", set, [{ name: "a", value: "b" }, { name: "c" }]);
  for (const list of [[], numbered(51)]) {
    const { status, body } = await api.send("POST", set, list);
    deepEqual([status, body.message], [400, "The body must have 1 to 50 items"]);
  }
});

Deno.test("a customer has at most 50 custom attributes; reserved ones do not count", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const set = "/customers/grace/attributes";
  await api.post(set, { attributes: numbered(50) });
  const one = (name: string, value: string | null = "x") => ({ attributes: [{ name, value }] });
  const tooMany = againstRule(/at most 50/, "attributes");
  await api.refused(tooMany, "POST", set, one("one_more"));
  // A refused request changes nothing.
  const mixed = { attributes: [{ name: "a0", value: "changed" }, { name: "more", value: "x" }] };
  await api.refused(tooMany, "POST", set, mixed);
  equal((await valuesOf(desk, "grace"))["a0"], "0");
  await api.post(set, one("a0", "changed"));
  await api.post(set, one("$displayName"));
  await api.post(set, one("telemetry_deck_app_id"));
  const swap = { attributes: [{ name: "more", value: "x" }, { name: "a0", value: "" }] };
  await api.post(set, swap);
  equal((await valuesOf(desk, "grace"))["more"], "x");
});

Deno.test("device identifiers and attribution keep their first value", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const api = apiOf(desk);
  const names = ["$idfa", "$idfv", "$gpsAdId", "$ip", "$mediaSource", "$campaign", "$adGroup"];
  for (const name of [...names, "$ad", "$keyword", "$creative"]) {
    await setCustomerAttributes(client, "grace", [{ name, value: "first" }]);
    await setCustomerAttributes(client, "grace", [{ name, value: "first" }]);
    const body = { attributes: [{ name, value: "second" }] };
    const fixed = againstRule(/cannot be changed or removed after it is set/, "attributes");
    const set = "/customers/grace/attributes";
    const { message } = await api.refused(fixed, "POST", set, body);
    match(message, new RegExp(`"\\${name}"`));
    for (const value of [null, ""]) {
      await api.refused(fixed, "POST", set, { attributes: [{ name, value }] });
      const swap = [{ name, value }, { name, value: "second" }];
      await api.refused(fixed, "POST", set, { attributes: swap });
    }
    equal((await valuesOf(desk, "grace"))[name], "first");
    // An unset attribute can be removed, and then set.
    const fresh = [{ name, value: null }, { name, value: "x" }];
    await setCustomerAttributes(client, "ada", fresh);
  }
});

Deno.test("a new customer can have attributes from the start, by the same rules", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const api = apiOf(desk);
  const attributes = [{ name: "$email", value: "x@example.com" }, { name: "empty", value: "" }];
  await createCustomer(client, { id: "x", attributes });
  deepEqual(await valuesOf(desk, "x"), { $email: "x@example.com" });
  const refused = (param: string, list: unknown) =>
    api.refused(badField(param), "POST", "/customers", { id: "y", attributes: list });
  await refused("attributes", numbered(51));
  await refused("attributes.0.value", [{ name: "a", value: null }]);
  await refused("attributes.0.name", [{ name: "$nope", value: "a" }]);
  const twice = [{ name: "$idfa", value: "a" }, { name: "$idfa", value: "b" }];
  const body = { id: "y", attributes: twice };
  await api.refused(againstRule(/\$idfa/, "attributes"), "POST", "/customers", body);
  equal((await api.send("GET", "/customers/y")).status, 404);
  await createCustomer(client, { id: "y", attributes: [] });
});

Deno.test("a customer is read with its attributes if expanded", async () => {
  await using desk = await openDesk();
  equal((await getCustomer(desk.client, "ada")).attributes, undefined);
  const { attributes } = await getCustomer(desk.client, "ada", { expand: ["attributes"] });
  deepEqual(attributes, await listCustomerAttributes(desk.client, "ada", { limit: 100 }));
});

Deno.test("attributes are listed by name, page by page, also after a removed one", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  await setCustomerAttributes(client, "ada", numbered(10));
  const walk = each(client, listCustomerAttributes(client, "ada", { limit: 3 }));
  const names = (await Array.fromAsync(walk)).map(({ name }) => name);
  deepEqual(names, ["$email", ...numbered(10).map(({ name }) => name), "plan"]);
  await setCustomerAttributes(client, "ada", [{ name: "a4", value: null }]);
  const after = await listCustomerAttributes(client, "ada", { starting_after: "a4", limit: 1 });
  deepEqual(after.items.map(({ name }) => name), ["a5"]);
  const api = apiOf(desk);
  // Names of other customers' attributes: the list does not continue after them.
  await setCustomerAttributes(client, "grace", [{ name: "hers", value: "x" }]);
  await setCustomerAttributes(client, "ada", [{ name: "never_there", value: null }]);
  for (const name of ["$nope", "zz", "hers", "$idfa", "never_there", "A4"]) {
    const nowhere = `/customers/ada/attributes?starting_after=${encodeURIComponent(name)}`;
    await api.refused(badField("starting_after"), "GET", nowhere);
  }
});

/** An attribute in an answer. */
function attribute(name: string, value: string, updated_at: number) {
  return { object: "customer.attribute", name, value, updated_at };
}

/** Attributes `a0`, `a1` and so on. */
function numbered(count: number): AttributeChange[] {
  return Array.from({ length: count }, (_, i) => ({ name: `a${i}`, value: String(i) }));
}

/** A customer's attributes by name. */
async function valuesOf(desk: Desk, id = "ada"): Promise<Record<string, string | null>> {
  const { items } = await listCustomerAttributes(desk.client, id, { limit: 100 });
  return Object.fromEntries(items.map(({ name, value }) => [name, value]));
}
