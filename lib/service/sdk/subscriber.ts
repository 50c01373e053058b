/**
 * Reads a customer's purchases, for the answer to an app.
 *
 * @module
 */

import { z } from "zod";
import type { SdkSubscriberAnswer } from "../../resources/sdk_subscribers.ts";
import type { SdkCall } from "../contract/sdk.ts";
import { component, millis } from "../contract/schemas.ts";
import type { ProjectCall } from "../records/find.ts";
import type { Row } from "../store/tables.ts";
import { type Held, type HeldProduct, type LatestPayment, showSubscriber } from "./view.ts";

const date = z.string();

const price = z.object({ amount: z.number(), currency: z.string() });

const entitlement = z.object({
  expires_date: date.nullable(),
  grace_period_expires_date: date.nullable(),
  product_identifier: z.string(),
  product_plan_identifier: z.string().exactOptional(),
  purchase_date: date,
});

const subscription = z.object({
  auto_resume_date: date.nullable(),
  billing_issues_detected_at: date.nullable(),
  display_name: z.string().nullable(),
  expires_date: date.nullable(),
  grace_period_expires_date: date.nullable(),
  is_sandbox: z.boolean(),
  original_purchase_date: date,
  period_type: z.enum(["normal", "intro", "trial", "prepaid"]),
  price: price.nullable(),
  product_plan_identifier: z.string().exactOptional(),
  purchase_date: date,
  refunded_at: date.nullable(),
  store: z.string(),
  management_url: z.string().nullable(),
  store_transaction_id: z.string().nullable(),
  unsubscribe_detected_at: date.nullable(),
  ownership_type: z.enum(["PURCHASED", "FAMILY_SHARED"]),
});

const purchase = z.object({
  id: z.string(),
  is_sandbox: z.boolean(),
  original_purchase_date: date,
  purchase_date: date,
  store: z.string(),
  store_transaction_id: z.string(),
  display_name: z.string().nullable(),
  price,
});

/** A customer in an answer to an app. */
export const subscriberSchema: z.ZodType<SdkSubscriberAnswer> = component(
  "SdkSubscriber",
  z.object({
    request_date: date,
    request_date_ms: millis,
    subscriber: z.object({
      original_app_user_id: z.string(),
      first_seen: date,
      last_seen: date,
      management_url: z.string().nullable(),
      original_application_version: z.null(),
      original_purchase_date: z.null(),
      other_purchases: z.object({}),
      entitlements: z.record(z.string(), entitlement),
      subscriptions: z.record(z.string(), subscription),
      non_subscriptions: z.record(z.string(), z.array(purchase)),
    }),
  }),
);

/** A customer for the app. */
export async function readSubscriber(
  call: Pick<SdkCall, "tx" | "project" | "now" | "shift" | "dialect">,
  customer: Row<"customers">,
): Promise<SdkSubscriberAnswer> {
  return showSubscriber(await readHeld(call, customer), call);
}

/** The part of a customer that stays equal between answers without changes. */
export function lastingOf({ subscriber }: SdkSubscriberAnswer): unknown {
  const { last_seen: _, ...rest } = subscriber;
  return rest;
}

async function readHeld(place: ProjectCall, customer: Row<"customers">): Promise<Held> {
  const { tx } = place;
  const subscriptions = await tx.selectFrom("subscriptions").selectAll()
    .where("customer_id", "=", customer.id).orderBy("seq").execute();
  const purchases = await tx.selectFrom("purchases").selectAll()
    .where("customer_id", "=", customer.id).orderBy("seq").execute();
  const held = [...subscriptions, ...purchases];
  return {
    customer,
    subscriptions,
    purchases,
    products: await readProducts(place, held.map(({ product_id }) => product_id)),
    granted: await readGranted(place, subscriptions.map(({ entitlement_id }) => entitlement_id)),
    payments: await readPayments(place, subscriptions),
  };
}

/** The existing ones, each once. */
function distinct(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

async function readProducts(
  { tx }: ProjectCall,
  ids: readonly (string | null)[],
): Promise<Map<string, HeldProduct>> {
  const wanted = distinct(ids);
  if (wanted.length === 0) return new Map();
  const rows = await tx.selectFrom("products")
    .select(["id", "store_identifier", "display_name", "title"])
    .where("id", "in", wanted).execute();
  const entitlements = tx.selectFrom("entitlements").selectAll().as("entitlements");
  const given = await tx.selectFrom("entitlement_products")
    .innerJoin(entitlements, "entitlements.id", "entitlement_products.entitlement_id")
    .select(["entitlement_products.product_id", "entitlements.lookup_key"])
    .where("entitlement_products.product_id", "in", wanted)
    .orderBy("entitlement_products.seq").execute();
  const keys = Map.groupBy(given, ({ product_id }) => product_id);
  return new Map(rows.map(({ id, store_identifier, display_name, title }) => [id, {
    store_identifier,
    display_name: display_name ?? title,
    entitlements: (keys.get(id) ?? []).map(({ lookup_key }) => lookup_key),
  }]));
}

async function readGranted(
  { tx }: ProjectCall,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const wanted = distinct(ids);
  if (wanted.length === 0) return new Map();
  const rows = await tx.selectFrom("entitlements").select(["id", "lookup_key"])
    .where("id", "in", wanted).execute();
  return new Map(rows.map(({ id, lookup_key }) => [id, lookup_key]));
}

/** The latest payments, by the id of the subscription. */
async function readPayments(
  { tx }: ProjectCall,
  subscriptions: readonly Row<"subscriptions">[],
): Promise<Map<string, LatestPayment>> {
  if (subscriptions.length === 0) return new Map();
  const rows = await tx.selectFrom("transactions")
    .select(["subscription_id", "gross_micros", "currency", "refunded_at"])
    .where("id", "in", subscriptions.map(({ transaction_id }) => transaction_id)).execute();
  return new Map(rows.map(({ subscription_id, ...payment }) => [subscription_id, payment]));
}
