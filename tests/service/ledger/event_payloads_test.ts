/** The fields of events against the documented sets, and their order against the activities. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Row } from "../../../lib/service/store/tables.ts";
import { ACTIVITIES, type Activity, frozen } from "../../support/activities.ts";
import { openDesk } from "../../support/harness.ts";
import { productNamed, type Simulation } from "../../support/simulation.ts";

type Event = Record<string, unknown>;

/**
 * The fields of every event about a subscription or purchase, in the order of the published sample.
 */
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
  PRICE_INCREASE_CONSENT_REQUIRED: LIFECYCLE,
  PRICE_INCREASE_CONSENT_APPROVED: LIFECYCLE,
  TEMPORARY_ENTITLEMENT_GRANT: [
    "event_timestamp_ms",
    "product_id",
    "entitlement_ids",
    "purchased_at_ms",
    "expiration_at_ms",
    "transaction_id",
    "app_user_id",
    "store",
    "type",
    "id",
    "app_id",
  ],
  TEST: LIFECYCLE,
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

/** Whether a value is valid. */
type Rule = (value: unknown) => boolean;

const isText: Rule = (value) => typeof value === "string" && value !== "";
const isBoolean: Rule = (value) => typeof value === "boolean";
const isInteger: Rule = (value) => Number.isSafeInteger(value);
const isNumber: Rule = (value) => typeof value === "number" && Number.isFinite(value);
const isMoment: Rule = (value) => isInteger(value) && Number(value) > 1_000_000_000_000;
const isShare: Rule = (value) => isNumber(value) && Number(value) >= 0 && Number(value) <= 1;
const isTexts: Rule = (value) => Array.isArray(value) && value.length > 0 && value.every(isText);
const isObject: Rule = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const oneOf = (...values: unknown[]): Rule => (value) => values.includes(value);
const orNull = (rule: Rule): Rule => (value) => value === null || rule(value);
const isStore = oneOf(
  ...["AMAZON", "APP_STORE", "MAC_APP_STORE", "PADDLE", "PLAY_STORE", "PROMOTIONAL", "ROKU"],
  ...["STRIPE", "SVC_BILLING", "TEST_STORE"],
);
const CANCELLED = [
  ...["UNSUBSCRIBE", "BILLING_ERROR", "DEVELOPER_INITIATED", "PRICE_INCREASE"],
  ...["CUSTOMER_SUPPORT", "UNKNOWN"],
];

/** The documented values of each field. */
const VALUES: Record<string, Rule> = {
  event_timestamp_ms: isMoment,
  product_id: isText,
  period_type: orNull(oneOf("TRIAL", "INTRO", "NORMAL", "PROMOTIONAL", "PREPAID")),
  purchased_at_ms: isMoment,
  expiration_at_ms: orNull(isMoment),
  environment: oneOf("SANDBOX", "PRODUCTION"),
  entitlement_id: orNull(isText),
  entitlement_ids: orNull(isTexts),
  presented_offering_id: orNull(isText),
  transaction_id: orNull(isText),
  original_transaction_id: orNull(isText),
  is_family_share: isBoolean,
  country_code: orNull((value) => /^[A-Z]{2}$/.test(String(value))),
  app_user_id: isText,
  aliases: isTexts,
  original_app_user_id: isText,
  currency: orNull((value) => /^[A-Z]{3}$/.test(String(value))),
  price: orNull(isNumber),
  price_in_purchased_currency: orNull(isNumber),
  subscriber_attributes: isObject,
  store: isStore,
  takehome_percentage: orNull(isShare),
  tax_percentage: orNull(isShare),
  commission_percentage: orNull(isShare),
  offer_code: orNull(isText),
  type: isText,
  id: isText,
  app_id: isText,
  experiments: Array.isArray,
  renewal_number: orNull((value) => isInteger(value) && Number(value) >= 1),
  metadata: orNull(isObject),
  is_trial_conversion: isBoolean,
  cancel_reason: oneOf(...CANCELLED),
  expiration_reason: oneOf(...CANCELLED, "SUBSCRIPTION_PAUSED"),
  grace_period_expiration_at_ms: orNull(isMoment),
  auto_resume_at_ms: isMoment,
  new_product_id: isText,
  transferred_from: isTexts,
  transferred_to: isTexts,
  adjustments: (value) =>
    Array.isArray(value) && value.length > 0 &&
    value.every(({ amount, currency, ...rest }) =>
      isInteger(amount) && isText(currency.code) && isText(currency.name) &&
      orNull(isText)(currency.description) && Object.keys(currency).length === 3 &&
      Object.keys(rest).length === 0
    ),
  product_display_name: orNull(isText),
  purchase_environment: oneOf("SANDBOX", "PRODUCTION"),
  source: oneOf("in_app_purchase", "admin_api"),
  virtual_currency_transaction_id: isText,
};

/** Fields of an unpaid invoice. */
const UNPAID = [
  ...["period_type", "expiration_at_ms", "transaction_id", "original_transaction_id"],
  ...["entitlement_ids", "takehome_percentage", "tax_percentage", "commission_percentage"],
  ...["price", "renewal_number"],
];

/** Fields with placeholders in a test event, as in the published sample. */
const EMPTY_IN_TEST = ["is_family_share"];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

Deno.test("every type of event has exactly its documented fields, in order", async () => {
  const seen = new Set<string>();
  const ids = new Set<string>();
  const all = { ...ACTIVITIES, "nothing": { does: tryOut } };
  for (const [name, { does }] of Object.entries(all)) {
    for (const row of await eventsOf(does)) {
      checkEvent(row, name);
      ok(!ids.has(row.id), "no two events have one id");
      seen.add(row.type);
      ids.add(row.id);
    }
  }
  deepEqual([...seen].sort(), Object.keys(FIELDS).sort(), "each type was told");
});

/** Checks a stored event against the documents. */
function checkEvent(
  { id, type, payload, app_id, environment, created_at }: Row<"events">,
  name: string,
): void {
  const delivery: Record<string, unknown> = JSON.parse(payload);
  deepEqual(Object.keys(delivery), ["api_version", "event"]);
  equal(delivery["api_version"], "1.0");
  const event = delivery["event"] as Event;
  const granted = event["store"] === "PROMOTIONAL";
  const expected = FIELDS[type]?.filter((field) => field !== "app_id" || !granted);
  deepEqual(Object.keys(event), expected, `${type} when ${name}`);
  for (const [field, value] of Object.entries(event)) {
    if (type === "TEST" && EMPTY_IN_TEST.includes(field)) continue;
    ok(VALUES[field]?.(value), `${field} of ${type} is ${JSON.stringify(value)} when ${name}`);
  }
  const unpaid = UNPAID.map((field) => event[field]);
  if (type === "INVOICE_ISSUANCE") deepEqual(unpaid, UNPAID.map(() => null));
  deepEqual([event["type"], event["id"]], [type, id]);
  // A test event names an app as a placeholder, and belongs to none.
  if (type !== "TEST") equal(event["app_id"] ?? null, app_id);
  match(id, UUID);
  equal(event["event_timestamp_ms"], created_at);
  const told = event["environment"] ?? event["purchase_environment"];
  if (type !== "TEMPORARY_ENTITLEMENT_GRANT") equal(told, environment.toUpperCase());
}

Deno.test("an event has the customer, the product and the amount", async () => {
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

Deno.test("an event names a customer by its latest id that is not anonymous", async () => {
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

Deno.test("an event is frozen: later changes do not affect it", async () => {
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

Deno.test("every activity has its events, in order", async () => {
  for (const [name, { does, told }] of Object.entries(ACTIVITIES)) {
    await using desk = await openDesk();
    const sim = await frozen(desk);
    await does(sim, desk);
    deepEqual((await sim.newEvents()).map(tell), told, name);
  }
});

/** Sends a test event. */
async function tryOut(sim: Simulation): Promise<void> {
  await sim.post("/trigger", { type: "TEST" });
}

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
    const money = typeof price === "number" && price !== 0;
    if (money && event["type"] !== "INVOICE_ISSUANCE") words.push(price);
  }
  if (event["is_trial_conversion"] === true) words.push("converts");
  if (event["is_family_share"] === true) words.push("shared");
  return words.join(" ");
}

Deno.test("a temporary grant names its entitlements, if any", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await sim.subscribe({ product_id: "notes.pro.monthly", verified: false });
  const { id } = await productNamed(desk, "notes.pro.annual");
  for (const entitlement of ["pro", "sync"]) {
    const path = `/v2/projects/${desk.projectId}/entitlements/${entitlement}/actions`;
    await desk.send("POST", `${path}/detach_products`, { product_ids: [id] });
  }
  await sim.subscribe({ customer_id: "bob", product_id: "notes.pro.annual", verified: false });
  const events = await sim.newEvents();
  deepEqual(events.map(({ type, entitlement_ids }) => [type, entitlement_ids]), [
    ["TEMPORARY_ENTITLEMENT_GRANT", ["pro"]],
    ["TEMPORARY_ENTITLEMENT_GRANT", null],
  ]);
});
