/**
 * Purchases in the API.
 *
 * @module
 */

import { z } from "zod";
import type { Purchase } from "../../resources/purchases.ts";
import { amountSchema, environment, ownership, store } from "../contract/money_fields.ts";
import type { Call } from "../contract/route.ts";
import { component, millis, pageOf } from "../contract/schemas.ts";
import { NOTHING, showAmount } from "../domain/money.ts";
import { givenListing } from "./holdings.ts";
import { nestedPage } from "./lists.ts";
import { entitlementSchema } from "./entitlements.ts";
import type { Row } from "../store/tables.ts";

/** A one-time purchase in an answer. */
export const purchaseSchema: z.ZodType<Purchase> = component(
  "Purchase",
  z.object({
    object: z.literal("purchase"),
    id: z.string(),
    customer_id: z.string(),
    original_customer_id: z.string(),
    product_id: z.string(),
    purchased_at: millis,
    revenue_in_usd: amountSchema,
    quantity: z.int().min(1),
    status: z.enum(["owned", "refunded"]),
    presented_offering_id: z.string().nullable(),
    entitlements: pageOf(entitlementSchema),
    environment,
    store,
    store_purchase_identifier: z.string(),
    ownership,
    country: z.string().nullable(),
  }),
);

/** A purchase in the API. */
export async function showPurchase(
  call: Pick<Call, "tx" | "project">,
  row: Row<"purchases">,
): Promise<Purchase> {
  const path = `/v2/projects/${call.project.id}/purchases/${row.id}/entitlements`;
  const given = { product_id: row.product_id, entitlement_id: null };
  const paid = {
    gross: row.gross_usd_micros,
    commission: row.commission_usd_micros,
    tax: row.tax_usd_micros,
  };
  return {
    object: "purchase",
    id: row.id,
    customer_id: row.customer_id,
    original_customer_id: row.original_customer_id,
    product_id: row.product_id,
    purchased_at: row.purchased_at,
    revenue_in_usd: showAmount("USD", row.status === "refunded" ? NOTHING : paid),
    quantity: row.quantity,
    status: row.status,
    presented_offering_id: row.offering_id,
    entitlements: await nestedPage(givenListing(call, given), path),
    environment: row.environment,
    store: row.store,
    store_purchase_identifier: row.store_purchase_identifier,
    ownership: row.ownership,
    country: row.country,
  };
}
