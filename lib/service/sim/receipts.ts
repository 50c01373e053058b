/**
 * Receipts of simulated stores: the service records the purchase when an app sends the receipt.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { unprocessable } from "../contract/errors.ts";
import { findApp } from "../records/find.ts";
import type { Row } from "../store/tables.ts";
import type { PrintedReceipt } from "../../simulator/purchases.ts";
import { printedReceipt } from "./answers.ts";
import { findSoldProduct } from "./catalogue.ts";
import { buyProduct, newPurchase } from "./purchases.ts";
import { type Doing, simRoute } from "./route.ts";

/** The stores with receipts for apps. */
const STORES = ["app_store", "mac_app_store", "play_store", "amazon"];

const printReceipt = simRoute({
  name: "printReceipt",
  summary: "Sells a product in its store and returns the receipt. The service learns of the " +
    "purchase when an app sends that to /v1/receipts.",
  method: "POST",
  path: "/receipts",
  body: newPurchase,
  response: printedReceipt,
  status: 201,
}, async (call): Promise<PrintedReceipt> => {
  const sale = call.body();
  const product = await findSoldProduct(call, sale.product_id);
  const app = await findApp(call, product.app_id);
  if (!STORES.includes(app.type)) {
    const message =
      `An app of the type "${app.type}" sends no receipt of its store; buy without one`;
    throw unprocessable(message, { param: "product_id" });
  }
  const token = tokenOf(app.type, product.store_identifier);
  await call.tx.insertInto("receipts").values({
    token,
    app_id: app.id,
    sale: JSON.stringify({ ...sale, product_id: product.id }),
    created_at: call.now,
    transaction_id: null,
  }).execute();
  return {
    object: "receipt",
    fetch_token: token,
    app_id: app.id,
    store: app.type,
    customer_id: sale.customer_id,
    product_id: product.store_identifier,
  };
});

/** The route of receipts. */
export const receiptRoutes = [printReceipt];

/**
 * Records the purchase of a new receipt. Returns the id of its customer, or undefined for a receipt
 * that the app's store did not print.
 */
export async function redeemReceipt(
  call: Doing,
  app: Row<"apps">,
  token: string,
): Promise<string | undefined> {
  const { tx } = call;
  const receipt = await tx.selectFrom("receipts").selectAll()
    .where("token", "=", token).where("app_id", "=", app.id).executeTakeFirst();
  if (!receipt || receipt.transaction_id !== null) return undefined;
  const bought = await buyProduct(call, newPurchase.parse(JSON.parse(receipt.sale)));
  const transaction_id = bought.object === "subscription"
    ? bought.store_subscription_identifier
    : bought.store_purchase_identifier;
  await tx.updateTable("receipts").set({ transaction_id }).where("token", "=", token).execute();
  return bought.customer_id;
}

/** An unguessable token in the form of the store's. */
function tokenOf(store: string, product: string): string {
  const random = randomBytes(24);
  if (store === "play_store") {
    return `${random.toString("hex").slice(0, 24)}.AO-J1${random.toString("base64url")}`;
  }
  const content = JSON.stringify({ store, product, id: random.toString("hex") });
  return Buffer.from(content).toString("base64");
}
