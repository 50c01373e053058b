import { deepEqual, equal, match, ok } from "node:assert/strict";
import { frozen } from "../../support/activities.ts";
import { apiOf, badField, type Wire } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

const BILLING = { app_name: "Shop", support_email: "help@example.com" };

/** The keys of an app. */
async function keysOf(desk: Desk, id: string): Promise<string[]> {
  const { items } = await apiOf(desk).get(`/apps/${id}/public_api_keys`);
  return items.map(({ key }) => String(key));
}

/** The answer to an SDK with a key. */
async function sdkRead(desk: Desk, key: string): Promise<{ status: number; body: Wire }> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await desk.send("GET", "/v1/subscribers/ada/offerings", undefined, headers);
  return { status: response.status, body: await response.json() };
}

/** The standard packages in an SDK's answer. */
async function packagesFor(desk: Desk, key: string): Promise<string[]> {
  const { body } = await sdkRead(desk, key);
  return [...JSON.stringify(body).matchAll(/"identifier":"(\$[^"]*)"/g)].map(([, name = ""]) =>
    name
  );
}

Deno.test("web billing is accepted by its public name, and shown with the name it was created with", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await api.post("/apps", { name: "x", type: "rc_billing", rc_billing: BILLING });
  equal(app.type, "rc_billing");
  match(JSON.stringify(app["rc_billing"]), /"app_name":"Shop"/);
  ok(!("svc_billing" in app));
  deepEqual(await api.get(`/apps/${app.id}`), app);
  const own = await api.post("/apps", { name: "y", type: "svc_billing", svc_billing: BILLING });
  deepEqual(own["svc_billing"], app["rc_billing"]);
  // A change accepts either name, and keeps the shown one.
  for (const { id, type } of [app, own]) {
    for (const name of ["svc_billing", "rc_billing"]) {
      const changed = await api.post(`/apps/${id}`, { [name]: { app_name: name } });
      ok(JSON.stringify(changed[String(type)]).includes(`"app_name":"${name}"`));
    }
    const cleared = await api.post(`/apps/${id}`, { rc_billing: null });
    match(JSON.stringify(cleared[String(type)]), /"support_email":null/);
  }
  await api.refused(badField("rc_billing.nope"), "POST", `/apps/${own.id}`, {
    rc_billing: { nope: 1 },
  });
  const mixed = { name: "z", type: "svc_billing", rc_billing: BILLING };
  await api.refused(badField("rc_billing"), "POST", "/apps", mixed);
  const { items: [play] } = await api.get("/apps");
  await api.refused(badField("rc_billing"), "POST", `/apps/${play?.id}`, { rc_billing: null });
});

Deno.test("an SDK key of web billing works in both spellings", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app = await api.post("/apps", { name: "x", type: "rc_billing", rc_billing: BILLING });
  const stored = await keysOf(desk, app.id);
  deepEqual(stored.map((key) => key.replace(/[0-9a-f]{28}$/, "")), ["rcb_", "rcb_sb_"]);
  const { items } = await api.get("/apps");
  const own = items.find(({ type }) => type === "svc_billing");
  const [first = ""] = await keysOf(desk, own?.id ?? "");
  match(first, /^svcb_/);
  for (const key of [...stored, first]) {
    const other = key.startsWith("rcb_")
      ? key.replace("rcb_", "svcb_")
      : key.replace("svcb_", "rcb_");
    const answers = [await sdkRead(desk, key), await sdkRead(desk, other)];
    // The public spelling of a key is that of the public SDKs, which read public names.
    const [own, named] = key.startsWith("svcb_") ? answers : answers.toReversed();
    equal(own?.status, 200, key);
    if (key === first) match(JSON.stringify(named), /\$rc_monthly/);
    equal(JSON.stringify(named), JSON.stringify(own).replaceAll("$svc_", "$rc_"));
    const headers = { Authorization: `Bearer ${other}` };
    const path = `/v2/projects/${desk.projectId}/apps`;
    equal((await desk.send("GET", path, undefined, headers)).status, 403);
  }
});

Deno.test("a standard package is the same in both spellings", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.post("/offerings", { lookup_key: "new", display_name: "New" });
  const create = (lookup_key: string) =>
    api.send("POST", "/packages", { offering_id: "new", lookup_key, display_name: "x" });
  const { status, body } = await create("$rc_monthly");
  deepEqual([status, body.lookup_key], [201, "$rc_monthly"], "it is shown as it was stored");
  for (const name of ["$svc_monthly", "$rc_monthly"]) {
    const again = await create(name);
    deepEqual([again.status, again.body.type], [409, "resource_already_exists"], name);
  }
  equal((await create("$svc_annual")).status, 201);
  equal((await create("$rc_annual")).status, 409);
  equal((await create("rc_monthly")).status, 201, "another name is another package");
});

Deno.test("in the public dialect answers and events have the public names", async () => {
  await using desk = await openDesk({ dialect: "public" });
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const { items: apps } = await api.get("/apps");
  const web = apps.find(({ type }) => type === "rc_billing");
  ok(web?.["rc_billing"] && !("svc_billing" in web));
  const [key = ""] = await keysOf(desk, web.id);
  match(key, /^rcb_/);
  const packages = await packagesFor(desk, key);
  ok(packages.length > 0 && packages.every((name) => name.startsWith("$rc_")), packages.join());
  const { items } = await api.get("/offerings/default/packages");
  ok(items.some(({ lookup_key }) => lookup_key === "$rc_monthly"));
  await sim.subscribe({ product_id: "notes_web_monthly" });
  const { items: [held] } = await api.get("/customers/ada/subscriptions");
  equal(held?.["store"], "rc_billing");
  const chart = await api.get("/charts/revenue?segment=store");
  ok(JSON.stringify(chart.segments).includes("rc_billing"));
  const options = JSON.stringify(await api.get("/charts/revenue/options"));
  ok(options.includes('"rc_billing"') && !options.includes("svc_billing"));
  const expires_at = await sim.now() + 86_400_000;
  await api.post("/customers/ada/actions/grant_entitlement", { entitlement_id: "pro", expires_at });
  const told = (await sim.newEvents()).map(({ store, product_id }) => [store, product_id]);
  deepEqual(told, [["RC_BILLING", "notes_web_monthly"], ["PROMOTIONAL", "rc_promo_pro"]]);
});

Deno.test("the public dialect keeps callers' own names", async () => {
  await using desk = await openDesk({ dialect: "public" });
  const api = apiOf(desk);
  const metadata = { type: "svc_billing", object: "app", svc_billing: 1, store: "svc_billing" };
  const offering = { lookup_key: "$svc_own", display_name: "svc_billing", metadata };
  const made = await api.post("/offerings", offering);
  deepEqual([made.lookup_key, made.display_name], ["$svc_own", "svc_billing"]);
  deepEqual(made["metadata"], metadata);
  const customer = await api.post("/customers", { id: "svc_billing" });
  equal(customer.id, "svc_billing");
});
