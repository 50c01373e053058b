/**
 * One-time purchases.
 *
 * @module
 */

import { z } from "zod";
import type { Purchase } from "../../resources/purchases.ts";
import { NOTHING, showAmount } from "../domain/money.ts";
import { refundPurchase as refund } from "../domain/purchase.ts";
import { invalid } from "../contract/errors.ts";
import { findPurchase } from "../records/find.ts";
import { givenListing } from "../records/holdings.ts";
import { recordPurchase } from "../ledger/journal.ts";
import { listPage, nestedPage, wholeList } from "../records/lists.ts";
import { checkRefundable, checkWebBilling } from "../ledger/refund_rules.ts";
import { type Call, route } from "../contract/route.ts";
import { component, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import type { Row } from "../store/tables.ts";
import { entitlementSchema } from "./entitlements.ts";
import { text } from "../contract/fields.ts";
import { amountSchema, environment, ownership, store } from "../contract/money_fields.ts";

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

const READ = "customer_information:purchases:read";

const search = {
  summary: "Finds purchases by the store's id.",
  description: "One of `store_purchase_identifier` and `query` is required; the first one wins.",
  method: "GET",
  scope: READ,
  query: z.object({
    store_purchase_identifier: text(255).optional(),
    query: text(255).optional(),
  }),
  response: pageOf(purchaseSchema),
} as const;

const searchPurchases = route({
  ...search,
  name: "searchPurchases",
  path: "/purchases/search",
}, (call) => findByStoreId(call));

const searchPurchasesInList = route({
  ...search,
  name: "searchPurchasesInList",
  alias: "searchPurchases",
  path: "/purchases",
}, (call) => findByStoreId(call));

const getPurchase = route({
  name: "getPurchase",
  summary: "Reads one purchase.",
  method: "GET",
  path: "/purchases/{id}",
  scope: READ,
  response: purchaseSchema,
}, async (call) => showPurchase(call, await findPurchase(call, call.params.id)));

const listPurchaseEntitlements = route({
  name: "listPurchaseEntitlements",
  summary: "Lists what a purchase gives.",
  method: "GET",
  path: "/purchases/{id}/entitlements",
  scope: READ,
  query: pageQuery,
  response: pageOf(entitlementSchema),
}, async (call) => {
  const { product_id } = await findPurchase(call, call.params.id);
  return await listPage(call, givenListing(call, { product_id, entitlement_id: null }));
});

const refundPurchase = route({
  name: "refundPurchase",
  summary: "Refunds a purchase of web billing, which ends the access that it gives.",
  method: "POST",
  path: "/purchases/{id}/actions/refund",
  scope: "customer_information:purchases:read_write",
  response: purchaseSchema,
  audit: "purchase_refunded",
}, async (call) => {
  const row = await findPurchase(call, call.params.id);
  checkWebBilling("purchase", row.store);
  const step = refund(row, call.now);
  checkRefundable(call, row);
  return await showPurchase(call, await recordPurchase(call, step));
});

/** The routes of purchases. */
export const purchaseRoutes = [
  searchPurchases,
  searchPurchasesInList,
  getPurchase,
  listPurchaseEntitlements,
  refundPurchase,
];

/** A purchase as the API shows it. */
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

/** The purchases that the store knows by an id. */
async function findByStoreId(call: Call<string, z.infer<typeof search.query>>) {
  const { tx, query } = call;
  const id = query.store_purchase_identifier ?? query.query;
  if (id === undefined) {
    const param = "store_purchase_identifier";
    throw invalid(param, `'${param}' is a required property`);
  }
  const rows = await tx.selectFrom("purchases").selectAll()
    .where("store_purchase_identifier", "=", id).orderBy("seq").execute();
  const items: Purchase[] = [];
  for (const row of rows) items.push(await showPurchase(call, row));
  return wholeList(call.url, items);
}
