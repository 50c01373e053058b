/**
 * Purchases from apps. In the test store, the app itself is the store. For other stores, the
 * simulator prints receipts.
 *
 * @module
 */

import { z } from "zod";
import type { SdkReceipt } from "../../resources/sdk_receipts.ts";
import { text } from "../contract/fields.ts";
import { type SdkCall, sdkRoute } from "../contract/sdk.ts";
import { SdkRefusal } from "../contract/sdk_errors.ts";
import { restoreHoldings } from "../ledger/restore.ts";
import { idsByTransaction } from "../records/find.ts";
import { redeemReceipt } from "../sim/receipts.ts";
import { buyProduct, newPurchase } from "../sim/purchases.ts";
import type { Row } from "../store/tables.ts";
import { sentAttributes, storeAttributes } from "./attributes.ts";
import { checkUser, markSeen, seeUser, userId } from "./customers.ts";
import { currencyOf, mayTry, readSold } from "./products.ts";
import { readSubscriber, subscriberSchema } from "./subscriber.ts";

/** The longest receipt, in characters. */
export const LONGEST_RECEIPT = 1_000_000;

/** The longest text in a receipt's request, in characters. */
const LONGEST_NAME = 1500;

const optionalText = text(LONGEST_NAME, 0).nullable().exactOptional();

const receipt: z.ZodType<SdkReceipt> = z.looseObject({
  fetch_token: text(LONGEST_RECEIPT),
  app_user_id: userId,
  product_id: optionalText,
  currency: optionalText,
  presented_offering_identifier: optionalText,
  is_restore: z.boolean().nullable().exactOptional(),
  initiation_source: optionalText,
  attributes: sentAttributes.nullable().exactOptional(),
});

const postSdkReceipt = sdkRoute({
  name: "postSdkReceipt",
  summary: "Accepts a purchase, or restores one. The same receipt again changes nothing for its " +
    "customer; for another customer the project's restore behavior decides.",
  description:
    "With the key of a test store the token is test_… and becomes the transaction's id. " +
    "The simulator prints receipts of other stores.",
  method: "POST",
  path: "/v1/receipts",
  body: receipt,
  changes: true,
  response: subscriberSchema,
}, async (call) => {
  const { app_user_id, fetch_token, attributes } = call.body;
  checkUser(app_user_id);
  const owner = await ownerOf(call, fetch_token) ?? await sell(call, call.body);
  const { customer } = await seeUser(call, app_user_id);
  const kept = owner === customer.id ? owner : await restore(call, owner, customer);
  const seen = await markSeen(call, kept);
  // Invalid attributes must not undo a purchase.
  if (attributes) await storeAttributes(call, seen.id, attributes);
  return await readSubscriber(call, seen);
});

/** The route of receipts. */
export const receiptRoutes = [postSdkReceipt];

/** The customer of a purchase token, if it is known. */
async function ownerOf({ tx, app }: SdkCall, token: string): Promise<string | undefined> {
  const known = await tx.selectFrom("receipts").select("transaction_id")
    .where("token", "=", token).where("app_id", "=", app.id).executeTakeFirst();
  const id = app.type === "test_store" ? token : known?.transaction_id;
  if (!id) return undefined;
  const bought = await tx.selectFrom("purchases").select("customer_id")
    .where("store_purchase_identifier", "=", id).where("app_id", "=", app.id).executeTakeFirst();
  if (bought) return bought.customer_id;
  const subscription = await tx.selectFrom("subscriptions").select("customer_id")
    .where("id", "in", idsByTransaction(tx, id))
    .where("app_id", "=", app.id).executeTakeFirst();
  return subscription?.customer_id;
}

/** Records a new purchase. Returns the id of its customer. */
async function sell(call: SdkCall, sent: SdkReceipt): Promise<string> {
  if (call.app.type !== "test_store") {
    const sold = await redeemReceipt(call, call.app, sent.fetch_token);
    if (sold) return sold;
    const message = "The receipt is unknown: this service takes receipts that " +
      "'cli simulate purchase --receipt' printed for this app";
    throw new SdkRefusal(400, "invalid_receipt", message);
  }
  if (!/^test_[\x21-\x7e]{1,240}$/.test(sent.fetch_token) || /\.\.\d+$/.test(sent.fetch_token)) {
    const message = "The token of the test store must be test_ and 1 to 240 visible characters";
    throw new SdkRefusal(400, "invalid_receipt", message);
  }
  return await sellInTestStore(call, sent);
}

/** Buys a product of the test store, like the simulator. */
async function sellInTestStore(call: SdkCall, sent: SdkReceipt): Promise<string> {
  const { app_user_id, fetch_token, product_id, currency } = sent;
  const [product] = await readSold(call, product_id ? [product_id] : []);
  if (!product || product.price_micros === null) {
    const message = `The test store sells no product ${JSON.stringify(product_id ?? "")}`;
    throw new SdkRefusal(400, "bad_request", message);
  }
  const { customer } = await seeUser(call, app_user_id);
  await refuseSecond(call, customer, product);
  const offering = await offeringOf(call, sent.presented_offering_identifier);
  const bought = await buyProduct(
    call,
    newPurchase.parse({
      customer_id: app_user_id,
      product_id: product.id,
      store_transaction_id: fetch_token,
      currency: currencyOf(currency),
      trial: product.type === "subscription" && await mayTry(call, product, customer.id),
      offering_id: offering,
    }),
  );
  return bought.customer_id;
}

/** Refuses a second active subscription to a product. */
async function refuseSecond(
  { tx }: SdkCall,
  customer: Row<"customers">,
  product: Row<"products">,
): Promise<void> {
  const live = await tx.selectFrom("subscriptions").select("id")
    .where("customer_id", "=", customer.id).where("product_id", "=", product.id)
    .where("status", "!=", "expired").executeTakeFirst();
  if (!live) return;
  const message = `The customer is already subscribed to ${
    JSON.stringify(product.store_identifier)
  }`;
  throw new SdkRefusal(422, "already_subscribed", message);
}

/** The offering shown at purchase, if it still exists. */
async function offeringOf(
  { tx }: SdkCall,
  lookupKey: string | null | undefined,
): Promise<string | undefined> {
  if (!lookupKey) return undefined;
  const row = await tx.selectFrom("offerings").select("id")
    .where("lookup_key", "=", lookupKey).executeTakeFirst();
  return row?.id;
}

/**
 * Moves another customer's purchases in the app to a customer, or refuses. Returns the owner
 * afterwards.
 */
async function restore(
  call: SdkCall,
  owner: string,
  customer: Row<"customers">,
): Promise<string> {
  const move = { from: owner, to: customer.id, appIds: [call.app.id] };
  const kept = await restoreHoldings(call, move);
  if (kept !== undefined) return kept;
  const message = "The purchase belongs to another customer, and this project keeps it there";
  throw new SdkRefusal(409, "not_transferred", message);
}
