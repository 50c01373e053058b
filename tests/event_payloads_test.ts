/**
 * The fields of events, held against the documented sets, and their order against the activities.
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Row } from "../lib/service/store/tables.ts";
import { ACTIVITIES, type Activity, frozen } from "./activities.ts";
import { openDesk } from "./harness.ts";

type Event = Record<string, unknown>;

/** What every event about a subscription or purchase has, in the order of the published sample. */
const LIFECYCLE = [
  "event_timestamp_ms",
  "product_id",
  "period_type",
  "purchased_at_ms",
  "expiration_at_ms",
  "environment",
  "entitlement_id",
  "entitlement_ids",
  "presented_offering_id",
  "transaction_id",
  "original_transaction_id",
  "is_family_share",
  "country_code",
  "app_user_id",
  "aliases",
  "original_app_user_id",
  "currency",
  "price",
  "price_in_purchased_currency",
  "subscriber_attributes",
  "store",
  "takehome_percentage",
  "tax_percentage",
  "commission_percentage",
  "offer_code",
  "type",
  "id",
  "app_id",
  "experiments",
  "renewal_number",
  "metadata",
];

const FIELDS: Record<string, string[]> = {
  INITIAL_PURCHASE: LIFECYCLE,
  RENEWAL: [...LIFECYCLE, "is_trial_conversion"],
  CANCELLATION: [...LIFECYCLE, "cancel_reason"],
  UNCANCELLATION: LIFECYCLE,
  NON_RENEWING_PURCHASE: LIFECYCLE,
  SUBSCRIPTION_PAUSED: [...LIFECYCLE, "auto_resume_at_ms"],
  EXPIRATION: [...LIFECYCLE, "expiration_reason"],
  BILLING_ISSUE: [...LIFECYCLE, "grace_period_expiration_at_ms"],
  PRODUCT_CHANGE: [...LIFECYCLE, "new_product_id"],
  SUBSCRIPTION_EXTENDED: LIFECYCLE,
  REFUND_REVERSED: LIFECYCLE,
  INVOICE_ISSUANCE: LIFECYCLE,
  TRANSFER: [
    "event_timestamp_ms",
    "environment",
    "store",
    "transferred_from",
    "transferred_to",
    "type",
    "id",
    "app_id",
  ],
  VIRTUAL_CURRENCY_TRANSACTION: [
    "event_timestamp_ms",
    "adjustments",
    "product_id",
    "product_display_name",
    "purchase_environment",
    "source",
    "store",
    "transaction_id",
    "virtual_currency_transaction_id",
    "country_code",
    "app_user_id",
    "aliases",
    "original_app_user_id",
    "subscriber_attributes",
    "type",
    "id",
    "app_id",
    "experiments",
  ],
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

Deno.test("every type of event has exactly its documented fields, in order", async () => {
  const seen = new Set<string>();
  const ids = new Set<string>();
  for (const [name, { does }] of Object.entries(ACTIVITIES)) {
    for (const row of await eventsOf(does)) {
      checkEvent(row, name);
      ok(!ids.has(row.id), "no two events have one id");
      seen.add(row.type);
      ids.add(row.id);
    }
  }
  deepEqual([...seen].sort(), Object.keys(FIELDS).sort(), "each type was told");
});

/** Holds a stored event against the documents. */
function checkEvent(
  { id, type, payload, app_id, environment, created_at }: Row<"events">,
  name: string,
): void {
  const delivery: Record<string, unknown> = JSON.parse(payload);
  deepEqual(Object.keys(delivery), ["api_version", "event"]);
  equal(delivery["api_version"], "1.0");
  const event = delivery["event"] as Event;
  const expected = FIELDS[type]?.filter((field) => field !== "app_id" || app_id !== null);
  deepEqual(Object.keys(event), expected, `${type} when ${name}`);
  equal(app_id === null, event["store"] === "PROMOTIONAL", "only grants belong to no app");
  deepEqual([event["type"], event["id"], event["app_id"] ?? null], [type, id, app_id]);
  match(id, UUID);
  equal(event["event_timestamp_ms"], created_at);
  equal(event["environment"] ?? event["purchase_environment"], environment.toUpperCase());
}

Deno.test("an event tells who, what and how much", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const now = await sim.now();
  const { id, store_subscription_identifier: transaction } = await sim.subscribe({
    product_id: "notes.pro.annual",
    customer_id: "ada",
    price: 80,
    currency: "GBP",
    country: "GB",
    offering_id: "default",
  });
  const [event = {}] = await sim.newEvents();
  const { app_id, subscriber_attributes, id: _, ...rest } = event;
  match(String(app_id), /^app/);
  deepEqual(Object.keys(subscriber_attributes as object), ["$email", "plan"]);
  deepEqual(rest, {
    event_timestamp_ms: now,
    product_id: "notes.pro.annual",
    period_type: "NORMAL",
    purchased_at_ms: now,
    expiration_at_ms: event["expiration_at_ms"],
    environment: "PRODUCTION",
    entitlement_id: null,
    entitlement_ids: ["pro", "sync"],
    presented_offering_id: "default",
    transaction_id: transaction,
    original_transaction_id: transaction,
    is_family_share: false,
    country_code: "GB",
    app_user_id: "ada",
    aliases: ["ada"],
    original_app_user_id: "ada",
    currency: "GBP",
    price: 101.6,
    price_in_purchased_currency: 80,
    store: "APP_STORE",
    takehome_percentage: 0.7,
    tax_percentage: 0.1667,
    commission_percentage: 0.3,
    offer_code: null,
    type: "INITIAL_PURCHASE",
    experiments: [],
    renewal_number: 1,
    metadata: null,
  });
  await sim.act(id, "refund");
  const [refund = {}, end = {}] = await sim.newEvents();
  deepEqual([refund["price"], refund["price_in_purchased_currency"]], [-101.6, -80]);
  deepEqual([refund["cancel_reason"], end["expiration_reason"]], [
    "CUSTOMER_SUPPORT",
    "CUSTOMER_SUPPORT",
  ]);
});

Deno.test("an event speaks of a customer by its latest id that is not anonymous", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const anonymous = "$RCAnonymousID:00000000000000000000000000000001";
  await sim.purchase({ customer_id: anonymous, product_id: "notes.pro.lifetime" });
  await sim.post(`/customers/${encodeURIComponent(anonymous)}/aliases`, { alias: "linus" });
  await sim.purchase({ customer_id: "linus", product_id: "notes.pro.lifetime" });
  const [first = {}, second = {}] = await sim.newEvents();
  const names = (event: Event) => [
    event["app_user_id"],
    event["original_app_user_id"],
    event["aliases"],
  ];
  deepEqual(names(first), [anonymous, anonymous, [anonymous]]);
  deepEqual(names(second), ["linus", anonymous, [anonymous, "linus"]]);
});

Deno.test("an event is frozen: what changes later does not change it", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await sim.purchase({ product_id: "notes.pro.lifetime" });
  const before = await sim.rows("events");
  const change = { attributes: [{ name: "plan", value: "other" }] };
  const path = `/v2/projects/${desk.projectId}`;
  await desk.send("POST", `${path}/customers/ada/attributes`, change);
  await desk.send("POST", `${path}/entitlements/pro/actions/archive`);
  deepEqual(await sim.rows("events"), before);
});

Deno.test("every activity is told by its events, in order", async () => {
  for (const [name, { does, told }] of Object.entries(ACTIVITIES)) {
    await using desk = await openDesk();
    const sim = await frozen(desk);
    await does(sim, desk);
    deepEqual((await sim.newEvents()).map(tell), told, name);
  }
});

/** The stored events of an activity. */
async function eventsOf(does: Activity["does"]): Promise<Row<"events">[]> {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await does(sim, desk);
  return await sim.rows("events");
}

/** An event in a few words. */
function tell(event: Event): string {
  const reason = event["cancel_reason"] ?? event["expiration_reason"];
  const price = event["price"];
  const starts = ["INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE"];
  const words = [event["type"]];
  const [adjusted] = (event["adjustments"] ?? []) as {
    amount: number;
    currency: { code: string };
  }[];
  if (adjusted) {
    const sign = adjusted.amount > 0 ? "+" : "";
    return `${event["type"]} ${sign}${adjusted.amount} ${adjusted.currency.code}`;
  }
  if (event["type"] === "TRANSFER") return "TRANSFER";
  if (starts.includes(String(event["type"]))) words.push(event["period_type"], price);
  else if (event["type"] === "PRODUCT_CHANGE") {
    words.push(event["product_id"], "to", event["new_product_id"]);
  } else {
    if (reason !== undefined) words.push(reason);
    if (price !== 0 && event["type"] !== "INVOICE_ISSUANCE") words.push(price);
  }
  if (event["is_trial_conversion"] === true) words.push("converts");
  if (event["is_family_share"] === true) words.push("shared");
  return words.join(" ");
}
