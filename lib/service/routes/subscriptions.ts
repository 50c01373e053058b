/**
 * Subscriptions and their payments. Promotional grants are subscriptions without a product.
 *
 * @module
 */

import { z } from "zod";
import type { ManagementUrl, Subscription } from "../../resources/subscriptions.ts";
import { invalid, unprocessable } from "../contract/errors.ts";
import { text } from "../contract/fields.ts";
import { type Call, route } from "../contract/route.ts";
import { component, pageOf, pageQuery } from "../contract/schemas.ts";
import { cancel } from "../domain/actions.ts";
import { refund } from "../domain/refunds.ts";
import type { Step } from "../domain/step.ts";
import { managementUrl } from "../domain/stores.ts";
import { recordSteps } from "../ledger/journal.ts";
import { checkRefundable, checkWebBilling } from "../ledger/refund_rules.ts";
import { findSubscription, findTransaction, idsByTransaction } from "../records/find.ts";
import { givenListing } from "../records/holdings.ts";
import { listPage, wholeList } from "../records/lists.ts";
import { showSubscription, subscriptionSchema } from "../records/subscriptions.ts";
import { entitlementSchema } from "../records/entitlements.ts";

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

/** The same in the public form, in which the address cannot be null. */
interface AuthenticatedManagementUrl {
  /** Always `authenticated_management_url`. */
  object: "authenticated_management_url";
  /** The address. */
  management_url: string;
}

const READ = "customer_information:subscriptions:read";
const WRITE = "customer_information:subscriptions:read_write";

const search = {
  summary: "Finds subscriptions by a store transaction id.",
  description:
    "One of `store_subscription_identifier` and `query` is required. The first one takes precedence.",
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
  summary: "Lists the entitlements of a subscription.",
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
  summary: "Cancels a web-billing subscription at the end of its period.",
  method: "POST",
  path: "/subscriptions/{id}/actions/cancel",
  scope: WRITE,
  response: subscriptionSchema,
  audit: "subscription_cancelled",
}, async (call) => {
  const row = await findSubscription(call, call.params.id);
  checkWebBilling("subscription", "cancelled", row.store);
  // Gap: the reason for this kind of cancellation is not published; here it is the developer's.
  return await take(call, cancel(row, call.now, "DEVELOPER_INITIATED"));
});

const refundSubscription = route({
  name: "refundSubscription",
  summary: "Refunds the latest payment of a web-billing subscription and ends it immediately.",
  method: "POST",
  path: "/subscriptions/{id}/actions/refund",
  scope: WRITE,
  response: subscriptionSchema,
  audit: "subscription_refunded",
}, async (call) => {
  const row = await findSubscription(call, call.params.id);
  checkWebBilling("subscription", "refunded", row.store);
  if (row.transaction_count === 0) throw unprocessable("There is no payment to refund");
  const latest = await findTransaction(call, row.id, row.transaction_id);
  const step = refund(row, call.now, latest, true);
  checkRefundable(call, { ...row, ...latest });
  return await take(call, step);
});

const getManagementUrl = route({
  name: "getManagementUrl",
  summary: "Returns the management URL of a subscription.",
  method: "GET",
  path: "/subscriptions/{id}/management_url",
  scope: READ,
  response: managementUrlSchema,
}, (call) => readManagementUrl(call, call.params.id));

const getAuthenticatedManagementUrl = route({
  name: "getAuthenticatedManagementUrl",
  alias: "getManagementUrl",
  summary: "Returns the management URL of a subscription. Public spelling.",
  method: "GET",
  path: "/subscriptions/{id}/authenticated_management_url",
  scope: READ,
  response: authenticatedManagementUrlSchema,
}, async (call) => {
  const { store, id } = await findSubscription(call, call.params.id);
  const management_url = managementUrl(store, id);
  if (management_url === null) {
    throw unprocessable(`Subscriptions of the store "${store}" have no management page`);
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

/** Stores a step, and returns the subscription after it. */
async function take(call: Call, step: Step): Promise<Subscription> {
  const [after = step.after] = await recordSteps(call, [step]);
  return await showSubscription(call, after);
}

/** The subscriptions with a payment of this store's id. */
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
  const rows = await tx.selectFrom("subscriptions").selectAll()
    .where("id", "in", idsByTransaction(tx, id)).orderBy("seq").execute();
  const items: Subscription[] = [];
  for (const row of rows) items.push(await showSubscription(call, row));
  return wholeList(call.url, items);
}

async function readManagementUrl(call: Call, id: string): Promise<ManagementUrl> {
  const row = await findSubscription(call, id);
  return { object: "management_url", management_url: managementUrl(row.store, row.id) };
}
