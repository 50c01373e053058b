/**
 * The objects for the command lines: those of the demonstration project by short names, and
 * purchases in web billing.
 *
 * @module
 */

import type { Client } from "../../lib/client.ts";
import { listApps, updateApp } from "../../lib/resources/apps.ts";
import { listCustomerInvoices } from "../../lib/resources/customers.ts";
import { getOffering } from "../../lib/resources/offerings.ts";
import { listPackages } from "../../lib/resources/packages.ts";
import { createProduct, listProducts } from "../../lib/resources/products.ts";
import { listSubscriptionTransactions } from "../../lib/resources/subscriptions.ts";

/** Posts something to the simulator, below the project. */
export type Simulate = (path: string, body: object) => Promise<unknown>;

/** A purchase. */
interface Bought {
  /** Its id. */
  id: string;
  /** The store's id, where it was bought once. */
  store_purchase_identifier?: string;
}

/** The buyer. */
const BUYER = "buyer";

/** Fills the project. Returns ids by their placeholders in the lines. */
export async function layInStock(
  client: Client,
  simulate: Simulate,
): Promise<Record<string, string>> {
  const [apps, products] = await Promise.all([listApps(client), listProducts(client)]);
  const app = apps.items.find(({ type }) => type === "app_store");
  const web = apps.items.find(({ type }) => type === "svc_billing");
  const product = products.items.find(({ app_id }) => app_id === app?.id);
  // Pushing a product needs a key of the store.
  await updateApp(client, app?.id ?? "", { app_store: { app_store_connect_api_key: "key" } });
  const once = await createProduct(client, {
    app_id: web?.id ?? "",
    store_identifier: "once",
    type: "one_time",
  });
  const monthly = await buy(simulate, BUYER, "notes_web_monthly");
  const other = await buy(simulate, "other_buyer", "notes_web_monthly");
  const purchase = await buy(simulate, BUYER, once.id);
  const [packages, transactions, invoices, offering] = await Promise.all([
    listPackages(client, "default"),
    listSubscriptionTransactions(client, monthly.id),
    listCustomerInvoices(client, BUYER),
    getOffering(client, "default"),
  ]);
  return {
    $buyer: BUYER,
    $offering: offering?.id ?? "",
    $app: app?.id ?? "",
    $product: product?.id ?? "",
    $package: packages.items[0]?.id ?? "",
    $subscription: monthly.id,
    $other_subscription: other.id,
    $transaction: transactions.items[0]?.id ?? "",
    $purchase: purchase.id,
    $store_purchase: purchase.store_purchase_identifier ?? "",
    $invoice: invoices.items[0]?.id ?? "",
  };
}

/** Buys something for a customer. */
async function buy(simulate: Simulate, customer_id: string, product_id: string): Promise<Bought> {
  const answer = await simulate("/purchases", { customer_id, product_id, price: 9.99 });
  // The simulator answers with the subscription or purchase.
  return answer as Bought;
}
