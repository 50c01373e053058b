import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { writeTestEvent } from "../../../lib/service/ledger/test_event.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { acrossProjects, inProject } from "../../../lib/service/store/mod.ts";

const NOW = Date.UTC(2026, 0, 31, 12);

/** Writes a test event, as a ping does. */
async function write(desk: Desk, app_id: string | null) {
  const { store } = desk.service;
  return await store.write(async (tx) => {
    const project = await acrossProjects(tx).selectFrom("projects").selectAll()
      .executeTakeFirstOrThrow();
    return await writeTestEvent({ tx: inProject(tx, project.id), project, now: NOW }, app_id);
  });
}

Deno.test("a test event has every field of an event, with placeholder values", async () => {
  await using desk = await openDesk();
  const { payload, ...row } = await write(desk, null);
  const { event, api_version, ...rest } = JSON.parse(payload);
  deepEqual([typeof api_version, Object.keys(rest)], ["string", []]);
  const { id, app_user_id: customer, app_id, ...fields } = event;
  match(id, /^[0-9a-f-]{36}$/);
  match(customer, /^[0-9a-f-]{36}$/);
  notEqual(id, customer);
  deepEqual(fields, {
    event_timestamp_ms: NOW,
    product_id: "test_product",
    period_type: "NORMAL",
    purchased_at_ms: NOW,
    expiration_at_ms: NOW + 2 * 3_600_000,
    environment: "SANDBOX",
    entitlement_id: null,
    entitlement_ids: null,
    presented_offering_id: null,
    transaction_id: null,
    original_transaction_id: null,
    is_family_share: null,
    country_code: "US",
    aliases: [customer],
    original_app_user_id: customer,
    currency: null,
    price: null,
    price_in_purchased_currency: null,
    subscriber_attributes: {},
    store: "APP_STORE",
    takehome_percentage: null,
    tax_percentage: null,
    commission_percentage: null,
    offer_code: null,
    type: "TEST",
    experiments: [],
    renewal_number: null,
    metadata: null,
  });
  const { seq, ...stored } = row;
  equal(typeof seq, "number");
  deepEqual(stored, {
    project_id: desk.projectId,
    id,
    type: "TEST",
    customer_id: customer,
    app_id: null,
    environment: "sandbox",
    created_at: NOW,
  });
  // It names the project's first app, although it belongs to none.
  const { items } = await (await desk.send("GET", `/v2/projects/${desk.projectId}/apps`)).json();
  equal(app_id, items[0].id);
});

Deno.test("a test event without an app names the oldest app of many", async () => {
  await using desk = await openDesk();
  const apps = `/v2/projects/${desk.projectId}/apps`;
  const { items: [oldest] } = await (await desk.send("GET", apps)).json();
  // Ids do not ascend, so most of them come before the oldest one's.
  for (let i = 0; i < 12; i++) {
    const app = { name: `App ${i}`, type: "app_store", app_store: { bundle_id: `app.n${i}` } };
    equal((await desk.send("POST", apps, app)).status, 201);
  }
  const { payload } = await write(desk, null);
  equal(JSON.parse(payload).event.app_id, oldest.id);
});

Deno.test("a test event for an app belongs to that app, and each has its own customer", async () => {
  await using desk = await openDesk();
  const { items } = await (await desk.send("GET", `/v2/projects/${desk.projectId}/apps`)).json();
  const last = items.at(-1).id;
  const [first, second] = [await write(desk, last), await write(desk, last)];
  deepEqual([first.app_id, JSON.parse(first.payload).event.app_id], [last, last]);
  notEqual(first.customer_id, second.customer_id);
  notEqual(first.id, second.id);
  equal(second.seq > first.seq, true);
});

Deno.test("a test event in a project without apps names none", async () => {
  await using desk = await openDesk();
  const { store } = desk.service;
  const event = await store.write(async (tx) => {
    const project = await acrossProjects(tx).selectFrom("projects").selectAll()
      .executeTakeFirstOrThrow();
    const row = { ...project, id: "proj00000009", seq: 99, current_offering_id: null };
    await acrossProjects(tx).insertInto("projects").values(row).execute();
    return await writeTestEvent({ tx: inProject(tx, row.id), project: row, now: NOW }, null);
  });
  const { event: shown } = JSON.parse(event.payload);
  deepEqual([shown.store, "app_id" in shown], ["APP_STORE", false]);
});

Deno.test("a test event has the store of its app, in the spelling of the dialect", async () => {
  for (
    const [dialect, store] of [["specified", "SVC_BILLING"], ["public", "RC_BILLING"]] as const
  ) {
    await using desk = await openDesk({ dialect });
    const { items } = await (await desk.send("GET", `/v2/projects/${desk.projectId}/apps`)).json();
    const app = items.find(({ type }: { type: string }) => /billing$/.test(type));
    const { payload } = await write(desk, app.id);
    equal(JSON.parse(payload).event.store, store);
  }
});
