/**
 * Purchases, as stores report them: subscriptions with or without a trial, and one-time purchases.
 *
 * @module
 */

import { z } from "zod";
import type { Purchase } from "../../resources/purchases.ts";
import type { Subscription as ShownSubscription } from "../../resources/subscriptions.ts";
import { insertCustomer } from "../records/changes.ts";
import { convertPrice, fromMicros } from "../domain/money.ts";
import type { Sale, SubscriptionSale } from "../domain/purchase.ts";
import {
  believe,
  isBelieved,
  purchase,
  refundPurchase,
  reversePurchaseRefund,
  subscribe,
} from "../domain/purchase.ts";
import type { Step, Subscription } from "../domain/step.ts";
import { isAble, platformOf, reportedPlatform } from "../domain/stores.ts";
import { begin, expire } from "../domain/subscription.ts";
import { Refusal, taken, unprocessable } from "../contract/errors.ts";
import {
  findApp,
  findInvoice,
  findOffering,
  findPurchase,
  findSubscription,
  findTransaction,
  idsByTransaction,
} from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { recordPurchase, recordSteps } from "../ledger/journal.ts";
import { invoiceSchema, showInvoice } from "../records/invoices.ts";
import { purchaseSchema, showPurchase } from "../records/purchases.ts";
import { showSubscription, subscriptionSchema } from "../records/subscriptions.ts";
import type { Row } from "../store/tables.ts";
import { findSoldProduct } from "./catalogue.ts";
import { USUAL_COUNTRY } from "./customers.ts";
import {
  country,
  currency,
  customerId,
  duration,
  environment,
  moment,
  price,
  priceInMicros,
  termOf,
} from "./fields.ts";
import { type Doing, simRoute } from "./route.ts";
import { checkTrial } from "./trials.ts";
import { text } from "../contract/fields.ts";

const TRIAL_RULE =
  "must be true, false or an ISO 8601 duration in days, weeks, months or years, such as P1W";

const trialDuration = z.string().refine((text) => duration.safeParse(text).success, TRIAL_RULE);

/** The body of a purchase. */
export const newPurchase = z.strictObject({
  customer_id: customerId,
  product_id: z.string().min(1),
  trial: z.union([z.boolean(), trialDuration], TRIAL_RULE).default(false),
  price: price.optional(),
  currency: currency.optional(),
  country: country.optional(),
  environment: environment.optional(),
  ownership: z.enum(["purchased", "family_shared"]).default("purchased"),
  offering_id: z.string().min(1).optional(),
  quantity: z.int().min(1).max(100).default(1),
  duration: duration.optional(),
  grace_period_duration: duration.nullable().optional(),
  starts_at: moment.optional(),
  paid: z.boolean().default(true),
  verified: z.boolean().default(true),
  // A renewal on Google Play has the id of the first transaction with such a suffix.
  store_transaction_id: text(250).regex(/^(?!.*\.\.\d+$)/s, "must not end like a renewal's id")
    .optional(),
});

type NewPurchase = z.infer<typeof newPurchase>;

const soldSchema = z.union([subscriptionSchema, purchaseSchema]);

const buy = simRoute({
  name: "buyProduct",
  summary: "Buys a product: a subscription or a one-time purchase. An unknown customer is created.",
  method: "POST",
  path: "/purchases",
  body: newPurchase,
  response: soldSchema,
  status: 201,
}, (call) => buyProduct(call, call.body()));

/** Buys a product. An unknown customer is created. */
export async function buyProduct(
  call: Doing,
  wanted: NewPurchase,
): Promise<ShownSubscription | Purchase> {
  const product = await findSoldProduct(call, wanted.product_id);
  const app = await findApp(call, product.app_id);
  const customer = await see(call, wanted, app.type);
  const sale = await saleOf(call, wanted, product, { store: app.type, customer });
  await checkTransactionId(call, wanted.store_transaction_id);
  return product.type === "subscription"
    ? await sellSubscription(call, wanted, product, sale)
    : await sellOnce(call, wanted, product, sale);
}

const refund = simRoute({
  name: "refundPurchase",
  summary: "Refunds a one-time purchase, as the store does.",
  method: "POST",
  path: "/purchases/{id}/refund",
  response: purchaseSchema,
}, async (call) => {
  const row = await findPurchase(call, call.params.id);
  return await showPurchase(call, await recordPurchase(call, refundPurchase(row, call.now)));
});

const reverseRefund = simRoute({
  name: "reversePurchaseRefund",
  summary: "Undoes the refund of a one-time purchase.",
  method: "POST",
  path: "/purchases/{id}/reverse_refund",
  response: purchaseSchema,
}, async (call) => {
  const row = await findPurchase(call, call.params.id);
  if (!isAble(row.store, "reverse_refund")) throw unable(row.store);
  return await showPurchase(call, await recordPurchase(call, reversePurchaseRefund(row, call.now)));
});

const payInvoice = simRoute({
  name: "payInvoice",
  summary: "Pays an invoice. Its pending subscription starts.",
  method: "POST",
  path: "/invoices/{id}/pay",
  response: invoiceSchema,
}, async (call) => {
  const invoice = await findInvoice(call, call.params.id);
  if (invoice.paid_at !== null || invoice.subscription_id === null) {
    throw unprocessable("The invoice is already paid");
  }
  const owner = await findSubscription(call, invoice.subscription_id);
  if (owner.status !== "incomplete") {
    throw unprocessable("The subscription no longer awaits this payment");
  }
  const pending = await findTransaction(call, owner.id, owner.transaction_id);
  await recordSteps(call, [begin(owner, call.now, { pending })]);
  return showInvoice(await findInvoice(call, invoice.id));
});

/** The routes of purchases and their invoices. */
export const purchaseRoutes = [buy, refund, reverseRefund, payInvoice];

/** The refusal of an action that the store does not support. */
export function unable(store: string): Refusal {
  return unprocessable(`The store "${store}" does not support this action`);
}

async function sellSubscription(
  call: Doing,
  wanted: NewPurchase,
  product: Row<"products">,
  sale: Sale & { price_micros: number },
) {
  if (wanted.quantity !== 1) throw notHere("quantity", "the quantity of a subscription must be 1");
  const { paid, starts_at = call.now } = wanted;
  if (starts_at < call.now) throw notHere("starts_at", "a subscription cannot start in the past");
  const trial_duration = trialOf(wanted, product);
  checkBelief(wanted, sale, trial_duration);
  if (!paid && (sale.store !== "svc_billing" || trial_duration !== null)) {
    throw notHere("paid", "only paid web-billing subscriptions can await a payment");
  }
  const earlier = await earlierOf(call, sale, product.id);
  if (trial_duration !== null) await checkTrial(call, sale, product.id);
  const terms: SubscriptionSale = {
    ...sale,
    product_id: product.id,
    duration: termOf(product, wanted.duration),
    grace_duration: wanted.grace_period_duration === undefined
      ? product.grace_period_duration
      : wanted.grace_period_duration,
    trial_duration,
    starts_at,
    paid,
    earlier,
  };
  const step = wanted.verified ? subscribe(terms, call.now) : believe(terms, call.now);
  const steps = [...await endBelief(call, step.after), step];
  return await showSubscription(call, (await recordSteps(call, steps)).at(-1) ?? step.after);
}

/** Refuses details that only a reachable store can confirm. */
function checkBelief(wanted: NewPurchase, { store }: Sale, trial: string | null): void {
  if (wanted.verified) return;
  const now = wanted.starts_at === undefined && wanted.paid && trial === null;
  if (!now || wanted.ownership !== "purchased") {
    throw notHere(
      "verified",
      "trials, family shares, invoices and later starts need the store's confirmation",
    );
  }
  if (!isAble(store, "grant_temporarily")) throw unable(store);
}

/** The end of temporary access to the same product, which this purchase replaces. */
async function endBelief({ tx, now }: Doing, next: Subscription): Promise<Step[]> {
  if (next.status === "incomplete") return [];
  const rows = await tx.selectFrom("subscriptions").selectAll()
    .where("customer_id", "=", next.customer_id)
    .where("product_id", "=", next.product_id).where("environment", "=", next.environment)
    .where("status", "!=", "expired").orderBy("seq").execute();
  return rows.filter(isBelieved).map((row) => expire(row, now, "expiration", []));
}

async function sellOnce(
  call: Doing,
  wanted: NewPurchase,
  product: Row<"products">,
  sale: Sale & { price_micros: number },
) {
  if (wanted.trial !== false) throw notHere("trial", "only subscriptions can have a trial");
  if (!wanted.paid) throw notHere("paid", "only subscriptions can await a payment");
  if (wanted.starts_at !== undefined) {
    throw notHere("starts_at", "only subscriptions can start later");
  }
  if (!wanted.verified) throw notHere("verified", "only subscriptions can be unconfirmed");
  const bought = { ...sale, product_id: product.id, quantity: wanted.quantity };
  return await showPurchase(call, await recordPurchase(call, purchase(bought, call.now)));
}

/** The buyer. The purchase counts as a visit, and creates an unknown customer. */
async function see(call: Doing, wanted: NewPurchase, store: string): Promise<Row<"customers">> {
  const { tx, now } = call;
  const alias = await tx.selectFrom("customer_aliases").select("customer_id")
    .where("alias", "=", wanted.customer_id).executeTakeFirst();
  const last_seen_platform = reportedPlatform(store);
  if (!alias) {
    return await insertCustomer(call, wanted.customer_id, {
      last_seen_app_version: null,
      last_seen_country: wanted.country ?? USUAL_COUNTRY,
      last_seen_platform,
    });
  }
  const country = wanted.country ?? null;
  return await tx.updateTable("customers").set((eb) => ({
    last_seen_at: now,
    last_seen_platform,
    last_seen_country: eb.fn.coalesce(
      eb.val(country),
      "last_seen_country",
      eb.val(USUAL_COUNTRY),
    ),
  })).where("id", "=", alias.customer_id)
    .returningAll().executeTakeFirstOrThrow();
}

/** The common fields of all purchases. */
async function saleOf(
  call: Doing,
  wanted: NewPurchase,
  product: Row<"products">,
  { store, customer }: { store: string; customer: Row<"customers"> },
): Promise<Sale & { price_micros: number }> {
  const code = wanted.currency ?? product.price_currency ?? "USD";
  const offering = wanted.offering_id === undefined
    ? undefined
    : await findOffering(call, wanted.offering_id, "offering_id");
  return {
    project_id: call.project.id,
    id: newId(product.type === "subscription" ? "subscription" : "purchase"),
    customer_id: customer.id,
    app_id: product.app_id,
    store,
    // The test store is always a sandbox.
    environment: store === "test_store" ? "sandbox" : wanted.environment ?? "production",
    ownership: wanted.ownership,
    currency: code,
    country: wanted.country ?? customer.last_seen_country,
    platform: platformOf(store),
    offering_id: offering?.id ?? null,
    price_micros: priceOf(wanted, product, code),
    transaction_id: wanted.store_transaction_id,
  };
}

/** The requested price, or the product's own. */
function priceOf(wanted: NewPurchase, product: Row<"products">, code: string): number {
  const own = product.price_micros;
  const units = wanted.price ??
    (own === null
      ? undefined
      : fromMicros(convertPrice(own, product.price_currency ?? "USD", code)));
  if (units !== undefined) return priceInMicros(units, code, wanted.quantity);
  const message = "The product has no price: send 'price', or set one with products/{id}/price";
  throw new Refusal(422, "parameter_error", message, { param: "price" });
}

/** The length of the requested trial, or null. */
function trialOf({ trial }: NewPurchase, product: Row<"products">): string | null {
  if (trial === false) return null;
  return trial === true ? product.trial_duration ?? "P1W" : trial;
}

/** The customer's earlier subscription to the product. Refuses a second active one. */
async function earlierOf(
  { tx }: Doing,
  sale: Sale,
  productId: string,
): Promise<"trial" | "paid" | undefined> {
  const rows = await tx.selectFrom("subscriptions").select(["id", "status", "paid_since"])
    .where("customer_id", "=", sale.customer_id)
    .where("product_id", "=", productId).where("environment", "=", sale.environment)
    .where("ownership", "=", sale.ownership).where("period_type", "!=", "promotional")
    .orderBy("seq").execute();
  const live = rows.find((row) => row.status !== "expired");
  if (live) {
    const message = `The customer is already subscribed, with ${live.id}; ` +
      `renew, recover, resume or uncancel it instead`;
    throw unprocessable(message, { referenced_object_ids: [live.id] });
  }
  if (rows.some((row) => row.paid_since !== null)) return "paid";
  return rows.length > 0 ? "trial" : undefined;
}

/** Refuses a store's id of another transaction. */
async function checkTransactionId({ tx }: Doing, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const known = await tx.selectFrom("purchases").select("id")
    .where("store_purchase_identifier", "=", id)
    .unionAll(idsByTransaction(tx, id)).executeTakeFirst();
  if (known) throw taken("a transaction", "store_transaction_id", id);
}

function notHere(param: string, why: string): Refusal {
  return new Refusal(422, "parameter_error", `'${param}' is not allowed here: ${why}`, { param });
}
