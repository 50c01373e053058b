/**
 * A customer for an app's SDK: a pure function from the customer's purchases to the answer.
 *
 * An SDK compares the date of an entitlement with the clock of its device. So the end of active
 * access is after the time of the answer, and the end of expired access is not. Dates are rounded
 * to whole seconds accordingly.
 *
 * @module
 */

import { DAY_MS } from "../domain/calendar.ts";
import type {
  SdkEntitlement,
  SdkPurchase,
  SdkSubscriber,
  SdkSubscriberAnswer,
  SdkSubscription,
} from "../../resources/sdk_subscribers.ts";
import type { Dialect } from "../contract/spelling.ts";
import { publicStore } from "../contract/spelling.ts";
import { accessEnd, givesAccess } from "../domain/access.ts";
import { fromMicros } from "../domain/money.ts";
import { managementUrl } from "../domain/stores.ts";
import type { Row } from "../store/tables.ts";
import { splitIdentifier } from "./identifier.ts";

/** The facts of a product in the answer. */
export interface HeldProduct {
  /** The store identifier. */
  store_identifier: string;
  /** The display name, or null. */
  display_name: string | null;
  /** The lookup keys of its entitlements. */
  entitlements: readonly string[];
}

/** The facts of a subscription's latest payment. */
export type LatestPayment = Pick<
  Row<"transactions">,
  "gross_micros" | "currency" | "refunded_at"
>;

/** A customer with its purchases. */
export interface Held {
  /** The customer. */
  customer: Pick<Row<"customers">, "id" | "first_seen_at" | "last_seen_at">;
  /** All its subscriptions and grants, oldest first. */
  subscriptions: readonly Row<"subscriptions">[];
  /** All its one-time purchases, oldest first. */
  purchases: readonly Row<"purchases">[];
  /** The products of both, by id. */
  products: ReadonlyMap<string, HeldProduct>;
  /** The lookup keys of granted entitlements, by id. */
  granted: ReadonlyMap<string, string>;
  /** The latest payments, by the id of the subscription. */
  payments: ReadonlyMap<string, LatestPayment>;
}

/** The time and the dialect of an answer. */
interface Look {
  /** The project's time, in milliseconds since 1970. */
  now: number;
  /** Milliseconds from the project's time to that of the app's device. */
  shift: number;
  /** The dialect of store names. */
  dialect: Dialect;
}

/** A source of an entitlement. */
interface Source {
  /** Whether it gives access now. */
  open: boolean;
  /** Its end, or null for never. */
  end: number | null;
  /** Its fields for the SDK. */
  shown: SdkEntitlement;
}

/** A customer for an SDK. */
export function showSubscriber(held: Held, look: Look): SdkSubscriberAnswer {
  const { now, shift } = look;
  return {
    request_date: dateOf(now, look, "down"),
    request_date_ms: now + shift,
    subscriber: subscriberOf(held, look),
  };
}

function subscriberOf(held: Held, look: Look): SdkSubscriber {
  const { customer, subscriptions } = held;
  const begun = subscriptions.filter((row) => isBegun(row, look.now));
  const owned = held.purchases.filter(({ status }) => status === "owned");
  const best = bestOf(begun, (row) => keyOf(row, held, look).key, look.now);
  const latest = begun.findLast((row) => givesAccess(row, look.now));
  return {
    original_app_user_id: customer.id,
    first_seen: dateOf(customer.first_seen_at, look, "down"),
    last_seen: dateOf(customer.last_seen_at ?? customer.first_seen_at, look, "down"),
    management_url: latest ? managementUrl(latest.store, latest.id) : null,
    original_application_version: null,
    original_purchase_date: null,
    other_purchases: {},
    entitlements: entitlementsOf(held, begun, owned, look),
    subscriptions: Object.fromEntries(
      [...best].map(([key, row]) => [key, showSubscription(row, held, look)]),
    ),
    non_subscriptions: showPurchases(owned, held, look),
  };
}

/** Whether a subscription has started. One that waits for its payment or its start date has not. */
function isBegun({ status, starts_at }: Row<"subscriptions">, now: number): boolean {
  return status !== "incomplete" && starts_at <= now;
}

/** All entitlements so far, each from the source with the latest end. */
function entitlementsOf(
  held: Held,
  begun: readonly Row<"subscriptions">[],
  owned: readonly Row<"purchases">[],
  look: Look,
): Record<string, SdkEntitlement> {
  const found = new Map<string, Source>();
  const consider = (key: string, source: Source) => {
    const known = found.get(key);
    if (!known || isBetter(source, known)) found.set(key, source);
  };
  for (const row of begun) {
    const source = sourceOf(row, held, look);
    for (const key of entitlementsBy(row, held)) consider(key, source);
  }
  for (const row of owned) {
    const product = held.products.get(row.product_id);
    const shown: SdkEntitlement = {
      expires_date: null,
      grace_period_expires_date: null,
      product_identifier: purchaseKey(row, held),
      purchase_date: dateOf(row.purchased_at, look, "down"),
    };
    for (const key of product?.entitlements ?? []) consider(key, { open: true, end: null, shown });
  }
  return Object.fromEntries([...found].map(([key, { shown }]) => [key, shown]));
}

/** A subscription as the source of its entitlements. */
function sourceOf(row: Row<"subscriptions">, held: Held, look: Look): Source {
  const { key, plan } = keyOf(row, held, look);
  const { open, end, date } = endOf(row, look);
  return {
    open,
    end,
    shown: {
      expires_date: date,
      grace_period_expires_date: graceOf(row, look),
      product_identifier: key,
      ...plan !== undefined && { product_plan_identifier: plan },
      purchase_date: dateOf(row.period_starts_at, look, "down"),
    },
  };
}

/** Whether one end is better for the customer than another: no end first, then the later one. */
function isBetter(one: Pick<Source, "open" | "end">, other: Pick<Source, "open" | "end">): boolean {
  if (one.open !== other.open) return one.open;
  return other.end !== null && (one.end === null || one.end > other.end);
}

/** The best of several subscriptions with the same identifier. */
function bestOf(
  rows: readonly Row<"subscriptions">[],
  nameOf: (row: Row<"subscriptions">) => string,
  now: number,
): Map<string, Row<"subscriptions">> {
  const rank = (row: Row<"subscriptions">) => ({
    open: givesAccess(row, now),
    end: endAt(row, now),
  });
  const found = new Map<string, Row<"subscriptions">>();
  for (const row of rows) {
    const known = found.get(nameOf(row));
    // Of two with the same end, the later one wins.
    if (!known || !isBetter(rank(known), rank(row))) found.set(nameOf(row), row);
  }
  return found;
}

/** The lookup keys of a subscription's or grant's entitlements. */
function entitlementsBy(row: Row<"subscriptions">, held: Held): readonly string[] {
  if (row.product_id !== null) return held.products.get(row.product_id)?.entitlements ?? [];
  return [held.granted.get(row.entitlement_id ?? "") ?? ""];
}

/** The identifier of a subscription or grant, with the base plan for Google Play. */
function keyOf(
  row: Row<"subscriptions">,
  held: Held,
  { dialect }: Look,
): { key: string; plan?: string | undefined } {
  if (row.product_id === null) {
    const { starts_at, period_ends_at } = row;
    const length = grantLength(starts_at, period_ends_at);
    const prefix = dialect === "public" ? "rc_promo_" : "svc_promo_";
    return { key: `${prefix}${held.granted.get(row.entitlement_id ?? "")}_${length}` };
  }
  const name = held.products.get(row.product_id)?.store_identifier ?? row.product_id;
  const { product, plan } = splitIdentifier(row.store, name);
  return { key: product, plan };
}

function purchaseKey({ product_id, store }: Row<"purchases">, held: Held): string {
  const name = held.products.get(product_id)?.store_identifier ?? product_id;
  return splitIdentifier(store, name).product;
}

/** The names of grants by length, in days. Longer grants are for life. */
const GRANT_LENGTHS: readonly (readonly [days: number, name: string])[] = [
  [1, "daily"],
  [3, "three_day"],
  [7, "weekly"],
  [14, "two_week"],
  [31, "monthly"],
  [62, "two_month"],
  [92, "three_month"],
  [184, "six_month"],
  [366, "yearly"],
];

/** The name for a grant's length: the shortest one that covers it. */
function grantLength(from: number, to: number | null): string {
  const days = ((to ?? Infinity) - from) / DAY_MS;
  return GRANT_LENGTHS.find(([most]) => days <= most)?.[1] ?? "lifetime";
}

/** The end of a subscription's access, past or future; null for never. */
function endAt(row: Row<"subscriptions">, now: number): number | null {
  const end = accessEnd(row);
  if (givesAccess(row, now)) return end;
  // During a pause the row has the end of the pause, not of access.
  return row.status === "paused" ? row.period_starts_at : Math.min(end ?? now, now);
}

/** The end of a subscription's access, for an SDK. */
function endOf(
  row: Row<"subscriptions">,
  look: Look,
): { open: boolean; end: number | null; date: string | null } {
  const open = givesAccess(row, look.now);
  const end = endAt(row, look.now);
  return { open, end, date: end === null ? null : dateOf(end, look, open ? "up" : "down") };
}

function graceOf({ grace_ends_at }: Row<"subscriptions">, look: Look): string | null {
  return grace_ends_at === null ? null : dateOf(grace_ends_at, look, "up");
}

function showSubscription(row: Row<"subscriptions">, held: Held, look: Look): SdkSubscription {
  const payment = held.payments.get(row.id);
  const { plan } = keyOf(row, held, look);
  const date = (at: number | null | undefined) =>
    typeof at === "number" ? dateOf(at, look, "down") : null;
  return {
    auto_resume_date: date(row.resumes_at),
    billing_issues_detected_at: date(billingIssue(row)),
    display_name: held.products.get(row.product_id ?? "")?.display_name ?? null,
    expires_date: endOf(row, look).date,
    grace_period_expires_date: graceOf(row, look),
    is_sandbox: row.environment === "sandbox",
    original_purchase_date: dateOf(row.starts_at, look, "down"),
    period_type: row.period_type === "trial" ? "trial" : "normal",
    price: payment
      ? { amount: fromMicros(payment.gross_micros), currency: payment.currency }
      : null,
    ...plan !== undefined && { product_plan_identifier: plan },
    purchase_date: dateOf(row.period_starts_at, look, "down"),
    refunded_at: date(payment?.refunded_at),
    store: storeIn(row.store, look),
    management_url: managementUrl(row.store, row.id),
    store_transaction_id: row.transaction_id,
    unsubscribe_detected_at: date(unsubscription(row)),
    ownership_type: row.ownership === "purchased" ? "PURCHASED" : "FAMILY_SHARED",
  };
}

/** The time at which renewal was switched off, or null while it is on. A grant never renews. */
function unsubscription({ store, not_renewing_since }: Row<"subscriptions">): number | null {
  return store === "promotional" ? null : not_renewing_since;
}

/**
 * The time of the failed charge that is still open or has ended the subscription. The paid time ended
 * then.
 */
function billingIssue(row: Row<"subscriptions">): number | null {
  const isOpen = row.status === "in_grace_period" || row.status === "in_billing_retry";
  return isOpen || row.cancel_reason === "BILLING_ERROR" ? row.period_ends_at : null;
}

/** One-time purchases by store identifier. */
function showPurchases(
  owned: readonly Row<"purchases">[],
  held: Held,
  look: Look,
): Record<string, SdkPurchase[]> {
  const groups = Map.groupBy(owned, (row) => purchaseKey(row, held));
  return Object.fromEntries(
    [...groups].map(([key, rows]) => [key, rows.map((row) => showPurchase(row, held, look))]),
  );
}

function showPurchase(row: Row<"purchases">, held: Held, look: Look): SdkPurchase {
  const purchased = dateOf(row.purchased_at, look, "down");
  return {
    id: row.id,
    is_sandbox: row.environment === "sandbox",
    original_purchase_date: purchased,
    purchase_date: purchased,
    store: storeIn(row.store, look),
    store_transaction_id: row.store_purchase_identifier,
    display_name: held.products.get(row.product_id)?.display_name ?? null,
    price: { amount: fromMicros(row.gross_micros), currency: row.currency },
  };
}

function storeIn(store: string, { dialect }: Look): string {
  return dialect === "public" ? publicStore(store) : store;
}

/** A time of the project as a date for the app, in whole seconds. */
function dateOf(at: number, { shift }: Pick<Look, "shift">, to: "up" | "down"): string {
  const seconds = (at + shift) / 1000;
  const whole = to === "up" ? Math.ceil(seconds) : Math.floor(seconds);
  return new Date(whole * 1000).toISOString().replace(".000Z", "Z");
}
