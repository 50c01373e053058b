import { deepEqual, equal } from "node:assert/strict";
import { assignOffering } from "../../../lib/resources/customers.ts";
import { frozen } from "../../support/activities.ts";
import { againstRule, apiOf, badField, noSuch } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

const ASSIGN = "/customers/ada/actions/assign_offering";

/** The lookup key of the offering shown to a customer's app as the current one. */
async function shownTo(desk: Desk, user: string): Promise<string> {
  const api = apiOf(desk);
  const { items: apps } = await api.get("/apps?limit=100");
  const app = apps.find(({ type }) => type === "app_store");
  const { items: [key] } = await api.get(`/apps/${app?.id}/public_api_keys`);
  const headers = { Authorization: `Bearer ${key?.["key"]}` };
  const path = `/v1/subscribers/${encodeURIComponent(user)}/offerings`;
  return (await (await desk.send("GET", path, undefined, headers)).json()).current_offering_id;
}

Deno.test("a customer gets the assigned offering, until the assignment is removed", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  equal(await shownTo(desk, "ada"), "default");
  const answer = await assignOffering(desk.client, "ada", { offering_id: "winter_sale" });
  deepEqual(answer, await api.get("/customers/ada"));
  equal(await shownTo(desk, "ada"), "winter_sale");
  equal(await shownTo(desk, "grace"), "default");
  equal(await shownTo(desk, "nobody_yet"), "default");
  const { items: [entry] } = await api.get("/audit_logs?limit=1");
  deepEqual([entry?.["action_type"], entry?.["target_identifier"]], [
    "customer_offering_assigned",
    "ada",
  ]);
  await assignOffering(desk.client, "ada", { offering_id: null });
  equal(await shownTo(desk, "ada"), "default");
});

Deno.test("an archived or deleted assigned offering is not shown", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.post("/offerings", { lookup_key: "vip", display_name: "VIP" });
  await assignOffering(desk.client, "ada", { offering_id: "vip" });
  await api.post("/offerings/vip/actions/archive");
  equal(await shownTo(desk, "ada"), "default");
  await api.post("/offerings/vip/actions/unarchive");
  equal(await shownTo(desk, "ada"), "vip");
  await api.remove("/offerings/vip");
  equal(await shownTo(desk, "ada"), "default");
});

Deno.test("an assignment applies to all ids of the customer", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef";
  await sim.subscribe({ customer_id: anonymous, product_id: "notes.pro.monthly" });
  await assignOffering(desk.client, anonymous, { offering_id: "winter_sale" });
  await sim.post(`/customers/${encodeURIComponent(anonymous)}/aliases`, { alias: "ada" });
  equal(await shownTo(desk, "ada"), "winter_sale");
  equal(await shownTo(desk, anonymous), "winter_sale");
  await apiOf(desk).remove("/customers/ada");
  equal(await shownTo(desk, "ada"), "default");
});

Deno.test("only an active offering of the project can be assigned", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.post("/offerings", { lookup_key: "old", display_name: "Old" });
  await api.post("/offerings/old/actions/archive");
  await assignOffering(desk.client, "ada", { offering_id: "winter_sale" });
  await api.refused(againstRule(/unarchive it first/), "POST", ASSIGN, { offering_id: "old" });
  await api.refused({ ...noSuch(), param: "offering_id" }, "POST", ASSIGN, { offering_id: "no" });
  await api.refused(badField("offering_id"), "POST", ASSIGN, {});
  await api.refused(noSuch(), "POST", "/customers/nobody/actions/assign_offering", {
    offering_id: "winter_sale",
  });
  equal(await shownTo(desk, "ada"), "winter_sale", "what was refused has changed nothing");
});
