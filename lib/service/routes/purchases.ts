/**
 * One-time purchases.
 *
 * @module
 */

import { z } from "zod";
import type { Purchase } from "../../resources/purchases.ts";
import { invalid } from "../contract/errors.ts";
import { text } from "../contract/fields.ts";
import { type Call, route } from "../contract/route.ts";
import { pageOf, pageQuery } from "../contract/schemas.ts";
import { refundPurchase as refund } from "../domain/purchase.ts";
import { recordPurchase } from "../ledger/journal.ts";
import { checkRefundable, checkWebBilling } from "../ledger/refund_rules.ts";
import { findPurchase } from "../records/find.ts";
import { givenListing } from "../records/holdings.ts";
import { listPage, wholeList } from "../records/lists.ts";
import { purchaseSchema, showPurchase } from "../records/purchases.ts";
import { entitlementSchema } from "../records/entitlements.ts";

const READ = "customer_information:purchases:read";

const search = {
  summary: "Finds purchases by the store's id.",
  description:
    "One of `store_purchase_identifier` and `query` is required. The first one takes precedence.",
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
  summary: "Lists the entitlements of a purchase.",
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
  summary: "Refunds a web-billing purchase and ends its access.",
  method: "POST",
  path: "/purchases/{id}/actions/refund",
  scope: "customer_information:purchases:read_write",
  response: purchaseSchema,
  audit: "purchase_refunded",
}, async (call) => {
  const row = await findPurchase(call, call.params.id);
  checkWebBilling("purchase", "refunded", row.store);
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

/** The purchases with a store's id. */
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
