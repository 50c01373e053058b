/**
 * `cli subscriptions …`
 *
 * @module
 */

import { askAbout, confirmFlags, onListOf, onOne, showList, showOne } from "../words/plain.ts";
import type { Entitlement } from "../../resources/entitlements.ts";
import {
  cancelSubscription,
  getManagementUrl,
  getSubscription,
  listSubscriptionEntitlements,
  listSubscriptionTransactions,
  refundSubscription,
  searchSubscriptions,
  type Subscription,
  type SubscriptionTransaction,
} from "../../resources/subscriptions.ts";
import { amountOf } from "../screen/amount.ts";
import { argument, command, group } from "../words/command.ts";
import { visible } from "../screen/display.ts";
import type { Column } from "../screen/output.ts";
import { nameOf, namesFor } from "./subscribers/holdings.ts";

const ID = "The subscription's id";

/** The columns of found subscriptions, with their products' names in the store. */
function columnsWith(names: ReadonlyMap<string, string>): Column<Subscription>[] {
  return [
    { header: "id", value: (subscription) => subscription.id, kind: "id" },
    { header: "customer", value: (subscription) => subscription.customer_id, kind: "id" },
    { header: "product", value: (subscription) => nameOf(subscription, names) },
    { header: "status", value: (subscription) => subscription.status, kind: "word" },
    { header: "store", value: (subscription) => subscription.store, kind: "word" },
    { header: "started", value: (subscription) => subscription.starts_at, kind: "date" },
  ];
}

const transactionColumns: Column<SubscriptionTransaction>[] = [
  { header: "id", value: (transaction) => transaction.id, kind: "id" },
  { header: "status", value: (transaction) => transaction.status, kind: "word", spare: true },
  {
    header: "amount",
    value: ({ revenue_in_local_currency }) => amountOf(revenue_in_local_currency),
    kind: "number",
  },
  {
    header: "currency",
    value: (transaction) => transaction.revenue_in_local_currency?.currency,
    kind: "word",
  },
  { header: "when", value: (transaction) => transaction.purchased_at, kind: "time" },
];

/** The columns of the entitlements of a purchase. */
export const heldEntitlementColumns: Column<Entitlement>[] = [
  { header: "id", value: (entitlement) => entitlement.id, kind: "id" },
  { header: "lookup_key", value: (entitlement) => entitlement.lookup_key, kind: "id" },
  { header: "display_name", value: (entitlement) => entitlement.display_name },
];

const managementUrl = command({
  brief: "Show the management page of a subscription",
  details: "Prints only the address of the store's page for the customer.",
  args: { id: argument(ID) },
  async run(context, { id }) {
    const { out } = context;
    const answer = await getManagementUrl(await context.client(), id);
    if (out.format === "json") return showOne(context, answer);
    const { management_url } = answer;
    if (!management_url) return out.note(`${id} has no management page`);
    // Neither a table nor a card: an address that is cut or wrapped cannot be opened.
    out.text(visible(management_url));
  },
});

const search = command({
  brief: "Find subscriptions by a store's id",
  details: "Searches for the store's id of any payment, such as the id on a customer's receipt.",
  examples: ["cli subscriptions search GPA.3311-5029-7788-44120..2"],
  args: { store_id: argument("The store's id of a payment") },
  async run(context, { store_id }) {
    const client = await context.client();
    const found = await searchSubscriptions(client, store_id);
    const names = await namesFor(context, client, found);
    await showList(context, {}, () => Promise.resolve(found), columnsWith(names));
  },
});

const cancel = command({
  brief: "Cancel a subscription",
  details: "The access continues to the end of the period. Only for web billing. In other stores " +
    "the customer cancels; see: cli subscriptions management-url <id>",
  args: { id: argument(ID) },
  flags: confirmFlags,
  hint: async ({ status }, { id, context }) => {
    if (status !== 422) return undefined;
    const { store } = await getSubscription(await context.client(), id);
    return store === "svc_billing"
      ? undefined
      : `The customer can cancel it in the store: cli subscriptions management-url ${id}`;
  },
  async run(context, { id, ...input }) {
    const client = await context.client();
    await askAbout(context, input, async () => {
      const { customer_id } = await getSubscription(client, id);
      return `Cancel the subscription ${id} of ${ownerOf(customer_id)} at the end of its period`;
    });
    showOne(context, await cancelSubscription(client, id));
  },
});

/** A customer in a question. An answer of the service may lack the id. */
function ownerOf(customerId: string | undefined): string {
  return customerId ?? "an unknown customer";
}

const refund = command({
  brief: "Refund a subscription",
  details:
    "Returns the latest payment and ends the access at once. Only for web billing. In other " +
    "stores that allow it, refund single payments with: cli subscribers refund",
  args: { id: argument(ID) },
  flags: confirmFlags,
  hint: async ({ status }, { id, context }) => {
    if (status !== 422) return undefined;
    const { store } = await getSubscription(await context.client(), id);
    if (store === "play_store") {
      return `Refund single payments with: cli subscribers refund ${id} <transaction-id>. ` +
        `See them with: cli subscriptions transactions ${id}`;
    }
    return store === "svc_billing"
      ? undefined
      : `The customer can ask the store for a refund: cli subscriptions management-url ${id}`;
  },
  async run(context, { id, ...input }) {
    const client = await context.client();
    await askAbout(context, input, async () => {
      const { customer_id } = await getSubscription(client, id);
      return `Refund the latest payment for ${id} of ${
        ownerOf(customer_id)
      } and end its access now`;
    });
    showOne(context, await refundSubscription(client, id));
  },
});

/** Subscriptions. */
export const subscriptions = group("Subscriptions and their payments", ["sub"], {
  view: onOne("Show a subscription", getSubscription, ID),
  transactions: onListOf(
    "List the payments for a subscription",
    // The other order is that of the stores' ids, which means nothing to people.
    (client, id, query) =>
      listSubscriptionTransactions(client, id, { sort: "purchased_at", ...query }),
    transactionColumns,
    ID,
  ),
  entitlements: onListOf(
    "List the entitlements of a subscription",
    listSubscriptionEntitlements,
    heldEntitlementColumns,
    ID,
  ),
  "management-url": managementUrl,
  search,
  cancel,
  refund,
});
