/**
 * `cli subscribers …`
 *
 * @module
 */

import {
  askAbout,
  confirmFlags,
  fileFlag,
  onListOf,
  onOneForGood,
  pageFlags,
  showList,
  showOne,
} from "../words/plain.ts";
import { UsageError } from "../../errors.ts";
import {
  createCustomer,
  type Customer,
  deleteCustomer,
  getCustomer,
  listCustomerInvoices,
  listCustomers,
  type NewCustomer,
  transferCustomer,
} from "../../resources/customers.ts";
import type { Invoice } from "../../resources/invoices.ts";
import { getSubscription, refundTransaction } from "../../resources/subscriptions.ts";
import { amountOf } from "../screen/amount.ts";
import { argument, command, group, text, texts } from "../words/command.ts";
import { counted } from "../screen/display.ts";
import { readJsonFile } from "../input/json_file.ts";
import type { Column } from "../screen/output.ts";
import { assignOfferingTo } from "./subscribers/assign_offering.ts";
import { attributes } from "./subscribers/attributes.ts";
import { showSubscriber } from "./subscribers/card.ts";
import { grant } from "./subscribers/grant.ts";
import { revoke } from "./subscribers/revoke.ts";
import {
  entitlementKeys,
  type Holding,
  isGrant,
  permitted,
  readHoldings,
} from "./subscribers/holdings.ts";
import { info } from "./subscribers/info.ts";

const USER_ID = "The subscriber's app user id";

const columns: Column<Customer>[] = [
  { header: "id", value: (customer) => customer.id, kind: "id" },
  { header: "country", value: (customer) => customer.last_seen_country },
  { header: "first_seen", value: (customer) => customer.first_seen_at, kind: "date" },
  { header: "last_seen", value: (customer) => customer.last_seen_at, kind: "date" },
  {
    header: "platform",
    value: (customer) => customer.last_seen_platform,
    kind: "word",
    spare: true,
  },
];

const invoiceColumns: Column<Invoice>[] = [
  { header: "id", value: (invoice) => invoice.id, kind: "id" },
  { header: "issued", value: (invoice) => invoice.issued_at, kind: "date" },
  { header: "paid", value: (invoice) => invoice.paid_at, kind: "date" },
  {
    header: "total",
    value: ({ total_amount }) => amountOf(total_amount),
    kind: "number",
  },
  { header: "currency", value: (invoice) => invoice.total_amount?.currency, kind: "word" },
  {
    header: "products",
    value: ({ line_items }) =>
      line_items?.flatMap((line) => line.product_identifier ?? []).join(" "),
  },
];

const list = command({
  brief: "List the subscribers",
  examples: ["cli subscribers list --all --output json", "cli subs list --search ada@example.com"],
  flags: {
    search: text("Only subscribers with exactly this $email", { placeholder: "email" }),
    ...pageFlags,
  },
  async run(context, { search, ...input }) {
    const client = await context.client();
    const wanted = search === undefined ? {} : { search };
    const onePage = { onePage: true };
    await showList(
      context,
      input,
      (query) => listCustomers(client, { ...wanted, ...query }),
      columns,
      onePage,
    );
  },
});

const create = command({
  brief: "Create a subscriber",
  details:
    "Creates it before an app reports it. The JSON of --file is merged into the request, such " +
    'as {"attributes": [{"name": "$email", "value": "ada@example.com"}]}. An id in the file ' +
    "must match the argument.",
  args: { user_id: argument(USER_ID) },
  params: { id: "<user-id>" },
  flags: fileFlag,
  async run(context, { user_id, file }) {
    const more = file === undefined ? {} : await readJsonFile(context.files, file);
    if (more["id"] !== undefined && more["id"] !== user_id) {
      const [one, other] = [user_id, more["id"]].map((id) => JSON.stringify(id));
      throw new UsageError(`Cannot create the subscriber ${one}: the file has the id ${other}`, {
        hint: "Leave the id out of the file, or pass the same id as the argument.",
      });
    }
    const body: NewCustomer = { ...more, id: user_id };
    showOne(context, await createCustomer(await context.client(), body));
  },
});

const transfer = command({
  brief: "Transfer a subscriber's purchases to another subscriber",
  details: "Moves subscriptions, purchases and the access that they give, and promotional grants " +
    "unless --app-id says which apps it is about. Balances of virtual currencies and invoices stay.",
  args: {
    src_user_id: argument("The subscriber to transfer from"),
    dst_user_id: argument("The subscriber to transfer to"),
  },
  params: { target_customer_id: "<dst-user-id>" },
  flags: {
    app_id: texts("Only purchases in this app", { placeholder: "id" }),
    ...confirmFlags,
  },
  async run(context, { src_user_id, dst_user_id, app_id, ...input }) {
    const part = app_id.length === 0 ? "everything" : `the purchases in ${app_id.join(", ")}`;
    await askAbout(context, input, async () => {
      const client = await context.client();
      await Promise.all([getCustomer(client, src_user_id), getCustomer(client, dst_user_id)]);
      return `Transfer ${part} from ${src_user_id} to ${dst_user_id}`;
    });
    const app_ids = app_id.length === 0 ? {} : { app_ids: app_id };
    const body = { target_customer_id: dst_user_id, ...app_ids };
    const client = await context.client();
    if (context.out.format === "json") {
      return showOne(context, await transferCustomer(client, src_user_id, body));
    }
    // Read first, so that nothing can fail after the change.
    const [keys, before] = await Promise.all([
      entitlementKeys(client),
      permitted(readHoldings(client, src_user_id)),
    ]);
    const answer = await transferCustomer(client, src_user_id, body);
    showSubscriber(context, answer.source_customer, { title: "From", keys });
    showSubscriber(context, answer.target_customer, { title: "To", keys });
    const after = before && await readHoldings(client, src_user_id).catch(() => undefined);
    if (!after) return;
    const gone = before.filter(({ id }) => !after.some((one) => one.id === id));
    const what = inWords(gone);
    if (what === "") {
      context.out.warn(`Nothing was transferred: ${src_user_id} had nothing to transfer`);
    } else context.out.done(`Transferred ${what} from ${src_user_id} to ${dst_user_id}`);
  },
});

/** Holdings as numbers: "2 subscriptions and 1 grant". Nothing for none. */
function inWords(holdings: readonly Holding[]): string {
  const kinds = Object.groupBy(
    holdings,
    (one) => isGrant(one) ? "grant" : one.object ?? "subscription or purchase",
  );
  return Object.entries(kinds)
    .map(([kind, { length } = { length: 0 }]) => counted(length, kind))
    .join(" and ");
}

const refund = command({
  brief: "Refund a transaction of a subscription",
  details:
    "Refunds through the store, if the store and the age of the payment allow it. The access " +
    "stays. See the transactions with: cli subscriptions transactions <subscription-id>",
  args: {
    subscription_id: argument("The subscription's id"),
    transaction_id: argument("The transaction's id"),
  },
  flags: confirmFlags,
  hint: ({ status }, { id }) =>
    status === 422
      ? `See the status of each payment: cli subscriptions transactions ${id}. If the store ` +
        `itself refunds, the customer asks there: cli subscriptions management-url ${id}`
      : undefined,
  async run(context, { subscription_id, transaction_id, ...input }) {
    const client = await context.client();
    await askAbout(context, input, async () => {
      await getSubscription(client, subscription_id);
      return `Refund the transaction ${transaction_id} of the subscription ${subscription_id}`;
    });
    showOne(context, await refundTransaction(client, subscription_id, transaction_id));
  },
});

/** Subscribers: customers of the apps. */
export const subscribers = group("Subscribers: the customers of the apps", ["customers", "subs"], {
  list,
  info,
  create,
  delete: onOneForGood("Delete a subscriber", "subscriber", getCustomer, deleteCustomer, {
    id: USER_ID,
    details:
      "Deletes all data of the subscriber permanently. Stored events stay, without personal " +
      "attributes such as $email; deliveries already on their way keep theirs.",
  }),
  transfer,
  grant,
  revoke,
  "assign-offering": assignOfferingTo,
  invoices: onListOf("List a subscriber's invoices", listCustomerInvoices, invoiceColumns, USER_ID),
  attributes,
  refund,
});
