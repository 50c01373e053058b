/**
 * Subscriptions and their payments. Promotional grants are subscriptions without a product.
 *
 * @module
 */

import { z } from "zod";
import type { ManagementUrl, Subscription } from "../../resources/subscriptions.ts";
import { givesAccess } from "../domain/access.ts";
import { cancel } from "../domain/actions.ts";
import { showAmount } from "../domain/money.ts";
import { refund } from "../domain/refunds.ts";
import type { Step } from "../domain/step.ts";
import { managementUrl } from "../domain/stores.ts";
import { invalid, unprocessable } from "../contract/errors.ts";
import { findProduct, findSubscription, findTransaction } from "../records/find.ts";
import { givenListing } from "../records/holdings.ts";
import { recordSteps } from "../ledger/journal.ts";
import { listPage, nestedPage, wholeList } from "../records/lists.ts";
import { checkRefundable, checkWebBilling } from "../ledger/refund_rules.ts";
import { type Call, route } from "../contract/route.ts";
import { component, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import type { Row } from "../store/tables.ts";
import { entitlementSchema } from "./entitlements.ts";
import { text } from "../contract/fields.ts";
import { amountSchema, environment, ownership, store } from "../contract/money_fields.ts";
import { productSchema, showProduct } from "./products.ts";

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

const managementUrlSchema: z.ZodType<ManagementUrl> = component(
  "ManagementUrl",
  z.object({ object: z.literal("management_url"), management_url: z.string().nullable() }),
);

const authenticatedManagementUrlSchema: z.ZodType<AuthenticatedManagementUrl> = component(
  "AuthenticatedManagementUrl",
  z.object({
    object: z.literal("authenticated_management_url"),
    management_url: z.string(),
  }),
);

/** The same in the public spelling, which knows no address that is null. */
interface AuthenticatedManagementUrl {
  /** Always `authenticated_management_url`. */
  object: "authenticated_management_url";
  /** The address. */
  management_url: string;
}

const READ = "customer_information:subscriptions:read";
const WRITE = "customer_information:subscriptions:read_write";

const search = {
  summary: "Finds subscriptions by the store's id of any of their payments.",
  description:
    "One of `store_subscription_identifier` and `query` is required; the first one wins.",
  method: "GET",
  scope: READ,
  query: z.object({
    store_subscription_identifier: text(255).optional(),
    query: text(255).optional(),
  }),
  response: pageOf(subscriptionSchema),
} as const;

const searchSubscriptions = route({
  ...search,
  name: "searchSubscriptions",
  path: "/subscriptions/search",
}, (call) => findByStoreId(call));

const listSubscriptions = route({
  ...search,
  name: "searchSubscriptionsInList",
  alias: "searchSubscriptions",
  path: "/subscriptions",
}, (call) => findByStoreId(call));

const getSubscription = route({
  name: "getSubscription",
  summary: "Reads one subscription.",
  method: "GET",
  path: "/subscriptions/{id}",
  scope: READ,
  response: subscriptionSchema,
}, async (call) => showSubscription(call, await findSubscription(call, call.params.id)));

const listSubscriptionEntitlements = route({
  name: "listSubscriptionEntitlements",
  summary: "Lists what a subscription gives.",
  method: "GET",
  path: "/subscriptions/{id}/entitlements",
  scope: READ,
  query: pageQuery,
  response: pageOf(entitlementSchema),
}, async (call) => {
  const row = await findSubscription(call, call.params.id);
  return await listPage(call, givenListing(call, row));
});

const cancelSubscription = route({
  name: "cancelSubscription",
  summary: "Cancels a subscription of web billing at the end of its period.",
  method: "POST",
  path: "/subscriptions/{id}/actions/cancel",
  scope: WRITE,
  response: subscriptionSchema,
  audit: "subscription_cancelled",
}, async (call) => {
  const row = await findSubscription(call, call.params.id);
  checkWebBilling("subscription", row.store);
  // Gap: the reason is not published for this way of cancelling; the developer's it is.
  return await take(call, cancel(row, call.now, "DEVELOPER_INITIATED"));
});

const refundSubscription = route({
  name: "refundSubscription",
  summary: "Refunds the latest payment for a subscription of web billing, and ends it at once.",
  method: "POST",
  path: "/subscriptions/{id}/actions/refund",
  scope: WRITE,
  response: subscriptionSchema,
  audit: "subscription_refunded",
}, async (call) => {
  const row = await findSubscription(call, call.params.id);
  checkWebBilling("subscription", row.store);
  if (row.transaction_count === 0) throw unprocessable("There is no payment to give back");
  const latest = await findTransaction(call, row.id, row.transaction_id);
  const step = refund(row, call.now, latest, true);
  checkRefundable(call, { ...row, ...latest });
  return await take(call, step);
});

const getManagementUrl = route({
  name: "getManagementUrl",
  summary: "Reads where a subscription can be managed.",
  method: "GET",
  path: "/subscriptions/{id}/management_url",
  scope: READ,
  response: managementUrlSchema,
}, (call) => readManagementUrl(call, call.params.id));

const getAuthenticatedManagementUrl = route({
  name: "getAuthenticatedManagementUrl",
  alias: "getManagementUrl",
  summary: "Reads where a subscription can be managed: the public spelling.",
  method: "GET",
  path: "/subscriptions/{id}/authenticated_management_url",
  scope: READ,
  response: authenticatedManagementUrlSchema,
}, async (call) => {
  const { store, id } = await findSubscription(call, call.params.id);
  const management_url = managementUrl(store, id);
  if (management_url === null) {
    throw unprocessable(`Subscriptions of the store "${store}" have no page to manage them at`);
  }
  return { object: "authenticated_management_url", management_url };
});

/** The routes of subscriptions. */
export const subscriptionRoutes = [
  searchSubscriptions,
  listSubscriptions,
  getSubscription,
  listSubscriptionEntitlements,
  cancelSubscription,
  refundSubscription,
  getManagementUrl,
  getAuthenticatedManagementUrl,
];

/** A subscription as the API shows it. */
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

/** Writes a step down, and shows the subscription after it. */
async function take(call: Call, step: Step): Promise<Subscription> {
  const [after = step.after] = await recordSteps(call, [step]);
  return await showSubscription(call, after);
}

/** The subscriptions that a payment with the store's id belongs to. */
async function findByStoreId(
  call: Call<
    string,
    { store_subscription_identifier?: string | undefined; query?: string | undefined }
  >,
) {
  const { tx, query } = call;
  const id = query.store_subscription_identifier ?? query.query;
  if (id === undefined) {
    const param = "store_subscription_identifier";
    throw invalid(param, `'${param}' is a required property`);
  }
  // A promotional grant has the id without a payment.
  const ids = tx.selectFrom("transactions").select("subscription_id as id").where("id", "=", id)
    .union(
      tx.selectFrom("subscriptions").select("id").where("transaction_id", "=", id),
    );
  const rows = await tx.selectFrom("subscriptions").selectAll()
    .where("id", "in", ids).orderBy("seq").execute();
  const items: Subscription[] = [];
  for (const row of rows) items.push(await showSubscription(call, row));
  return wholeList(call.url, items);
}

async function readManagementUrl(call: Call, id: string): Promise<ManagementUrl> {
  const row = await findSubscription(call, id);
  return { object: "management_url", management_url: managementUrl(row.store, row.id) };
}
