/**
 * Subscriptions in the API.
 *
 * @module
 */

import { z } from "zod";
import type { Subscription } from "../../resources/subscriptions.ts";
import { amountSchema, environment, ownership, store } from "../contract/money_fields.ts";
import type { Call } from "../contract/route.ts";
import { component, millis, pageOf } from "../contract/schemas.ts";
import { givesAccess } from "../domain/access.ts";
import { showAmount } from "../domain/money.ts";
import { managementUrl } from "../domain/stores.ts";
import { findProduct } from "./find.ts";
import { givenListing } from "./holdings.ts";
import { nestedPage } from "./lists.ts";
import { entitlementSchema } from "./entitlements.ts";
import { productSchema, showProduct } from "./products.ts";
import type { Row } from "../store/tables.ts";

/** A subscription in an answer. */
export const subscriptionSchema: z.ZodType<Subscription> = component(
  "Subscription",
  z.object({
    object: z.literal("subscription"),
    id: z.string(),
    customer_id: z.string(),
    original_customer_id: z.string(),
    product_id: z.string().nullable(),
    starts_at: millis,
    current_period_starts_at: millis,
    current_period_ends_at: millis.nullable(),
    ends_at: millis.nullable(),
    gives_access: z.boolean(),
    pending_payment: z.boolean(),
    auto_renewal_status: z.enum([
      "will_renew",
      "will_not_renew",
      "will_change_product",
      "will_pause",
      "requires_price_increase_consent",
      "has_already_renewed",
    ]),
    status: z.enum([
      "trialing",
      "active",
      "expired",
      "in_grace_period",
      "in_billing_retry",
      "paused",
      "unknown",
      "incomplete",
    ]),
    total_revenue_in_usd: amountSchema,
    presented_offering_id: z.string().nullable(),
    entitlements: pageOf(entitlementSchema),
    environment,
    store,
    store_subscription_identifier: z.string(),
    ownership,
    pending_changes: z.object({ product: productSchema }).nullable(),
    country: z.string().nullable(),
    management_url: z.string().nullable(),
  }),
);

/** A subscription in the API. */
export async function showSubscription(
  call: Pick<Call, "tx" | "project" | "now">,
  row: Row<"subscriptions">,
): Promise<Subscription> {
  const path = `/v2/projects/${call.project.id}/subscriptions/${row.id}/entitlements`;
  const next = row.pending_product_id;
  const waits = row.status === "incomplete" && row.charge_fails === 1;
  return {
    object: "subscription",
    id: row.id,
    customer_id: row.customer_id,
    original_customer_id: row.original_customer_id,
    product_id: row.product_id,
    starts_at: row.starts_at,
    current_period_starts_at: row.period_starts_at,
    current_period_ends_at: row.period_ends_at,
    ends_at: row.renewed_until ?? row.period_ends_at,
    gives_access: givesAccess(row, call.now),
    pending_payment: waits || row.status === "in_grace_period" ||
      row.status === "in_billing_retry",
    auto_renewal_status: row.auto_renewal_status,
    status: row.status,
    total_revenue_in_usd: showAmount("USD", {
      gross: row.gross_usd_micros,
      commission: row.commission_usd_micros,
      tax: row.tax_usd_micros,
    }),
    presented_offering_id: row.offering_id,
    entitlements: await nestedPage(givenListing(call, row), path),
    environment: row.environment,
    store: row.store,
    store_subscription_identifier: row.transaction_id,
    ownership: row.ownership,
    pending_changes: next === null ? null : { product: showProduct(await findProduct(call, next)) },
    country: row.country,
    management_url: managementUrl(row.store, row.id),
  };
}
