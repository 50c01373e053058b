/**
 * The subscriptions, purchases, invoices and active entitlements of one customer.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { findCustomer } from "../records/find.ts";
import { activeListing } from "../records/holdings.ts";
import { listPage, tableListing } from "../records/lists.ts";
import { route } from "../contract/route.ts";
import { pageOf, pageQuery } from "../contract/schemas.ts";
import { activeEntitlementSchema } from "../records/customers.ts";
import { invoiceSchema, showInvoice } from "../records/invoices.ts";
import { environment } from "../contract/money_fields.ts";
import { purchaseSchema, showPurchase } from "../records/purchases.ts";
import { showSubscription, subscriptionSchema } from "../records/subscriptions.ts";

const holdingsQuery = pageQuery.extend({ environment: environment.optional() });

const listCustomerSubscriptions = route({
  name: "listCustomerSubscriptions",
  summary: "Lists a customer's subscriptions and promotional grants, oldest first.",
  method: "GET",
  path: "/customers/{id}/subscriptions",
  scope: "customer_information:subscriptions:read",
  query: holdingsQuery,
  response: pageOf(subscriptionSchema),
}, async (call) => {
  const { id } = await findCustomer(call, call.params.id);
  const listing = tableListing(call, "subscriptions", {
    object: "subscription",
    where: ownedBy(id, call.query.environment),
    show: (row) => showSubscription(call, row),
  });
  return await listPage(call, listing);
});

const listCustomerPurchases = route({
  name: "listCustomerPurchases",
  summary: "Lists a customer's one-time purchases, oldest first.",
  method: "GET",
  path: "/customers/{id}/purchases",
  scope: "customer_information:purchases:read",
  query: holdingsQuery,
  response: pageOf(purchaseSchema),
}, async (call) => {
  const { id } = await findCustomer(call, call.params.id);
  const listing = tableListing(call, "purchases", {
    object: "purchase",
    where: ownedBy(id, call.query.environment),
    show: (row) => showPurchase(call, row),
  });
  return await listPage(call, listing);
});

const listCustomerInvoices = route({
  name: "listCustomerInvoices",
  summary: "Lists a customer's invoices, oldest first.",
  method: "GET",
  path: "/customers/{id}/invoices",
  scope: "customer_information:invoices:read",
  query: pageQuery,
  response: pageOf(invoiceSchema),
}, async (call) => {
  const { id } = await findCustomer(call, call.params.id);
  const where = ownedBy(id, undefined);
  return await listPage(
    call,
    tableListing(call, "invoices", { object: "invoice", where, show: showInvoice }),
  );
});

const listActiveEntitlements = route({
  name: "listActiveEntitlements",
  summary: "Lists a customer's active entitlements.",
  method: "GET",
  path: "/customers/{id}/active_entitlements",
  scope: "customer_information:customers:read",
  query: pageQuery,
  response: pageOf(activeEntitlementSchema),
}, async (call) => {
  const { id } = await findCustomer(call, call.params.id);
  return await listPage(call, activeListing(call, id));
});

/** The routes of one customer's subscriptions, purchases, invoices and entitlements. */
export const holdingRoutes = [
  listCustomerSubscriptions,
  listCustomerPurchases,
  listCustomerInvoices,
  listActiveEntitlements,
];

/** The condition for the customer, and for the environment if given. */
function ownedBy(
  customerId: string,
  only: "production" | "sandbox" | undefined,
): RawBuilder<unknown> {
  const own = sql`customer_id = ${customerId}`;
  return only === undefined ? own : sql`${own} and environment = ${only}`;
}
