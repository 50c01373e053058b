/**
 * The products that an event needs, and buying them.
 *
 * @module
 */

import type { z } from "zod";
import { addDuration } from "../../domain/calendar.ts";
import { isBelieved } from "../../domain/purchase.ts";
import { isAble, periodIn } from "../../domain/stores.ts";
import { unprocessable } from "../../contract/errors.ts";
import { readEventFacts } from "../../ledger/event_facts.ts";
import type { Row } from "../../store/tables.ts";
import { validate } from "../../http/body.ts";
import { findApp } from "../../records/find.ts";
import { findSoldProduct } from "../catalogue.ts";
import { termOf } from "../fields.ts";
import { buyProduct, newPurchase } from "../purchases.ts";
import type { SimCall } from "../route.ts";
import type { Held, Recipe } from "./recipes.ts";
import { perform, readHeld } from "./steps.ts";

/** A product and the store that sells it. */
type Offered = Row<"products"> & { store: string };

/** Who buys. */
export interface Buyer {
  /** The id. */
  id: string;
  /** Whether there is no such customer yet. */
  isNew: boolean;
}

/** The overrides of a purchase. */
type Sent = Readonly<Record<string, unknown>>;

/** A purchase. */
interface Bought {
  /** Its id. */
  id: string;
  /** Whether it is a subscription. */
  renews: boolean;
}

/** Buys what a recipe needs. An unknown customer is created with it. */
export async function buyFor(
  call: SimCall,
  customer: Buyer,
  recipe: Recipe,
  sent: Sent,
): Promise<Bought> {
  const product_id = sent.product_id ?? (await pickProduct(call, customer, recipe, sent)).id;
  const how = HOW[recipe.product] ?? {};
  const wanted = validate(newPurchase, { ...how, ...sent, customer_id: customer.id, product_id });
  const isEarlier = recipe.endsPeriod === true && customer.isNew;
  const now = isEarlier ? await onePeriodAgo(call, wanted) : call.now;
  const bought = await buyProduct({ ...call, now }, wanted);
  return { id: bought.id, renews: bought.object === "subscription" };
}

/**
 * The start of the period that ends now. A trial, a purchase with a start of its own, and one that would
 * be before 1970 are not moved.
 */
async function onePeriodAgo(
  call: SimCall,
  { product_id, duration, trial, starts_at }: z.infer<typeof newPurchase>,
): Promise<number> {
  const product = await findSoldProduct(call, product_id);
  if (product.type !== "subscription" || trial !== false || starts_at !== undefined) {
    return call.now;
  }
  const { type: store } = await findApp(call, product.app_id);
  const start = addDuration(call.now, periodIn(store, termOf(product, duration)), -1);
  return start < 0 ? call.now : start;
}

/** The condition for subscriptions that grant virtual currency with each payment. */
export async function bringingCurrency(call: SimCall, all: readonly Held[]): Promise<Held[]> {
  const facts = readEventFacts(call);
  const found: Held[] = [];
  for (const held of all) {
    if (await bringsCurrency(facts, held.store, held.product_id ?? "")) found.push(held);
  }
  return found;
}

/** Whether each payment for a product grants virtual currency. */
async function bringsCurrency(
  facts: ReturnType<typeof readEventFacts>,
  store: string,
  productId: string,
): Promise<boolean> {
  if (!isAble(store, "bring_currency")) return false;
  return (await facts.currencyGrants(productId)).some(({ amount }) => amount > 0);
}

/** Another subscription product of the same app, preferably one that the customer does not have. */
export async function changeTarget(
  call: SimCall,
  { app_id, product_id, customer_id }: Held,
  sent: Sent,
): Promise<{ product_id?: string }> {
  if (sent.product_id !== undefined) return {};
  const others = (await readOffered(call)).filter((one) =>
    one.app_id === app_id && one.type === "subscription" && one.id !== product_id &&
    isSellable(one, sent)
  );
  const rows = await call.tx.selectFrom("subscriptions").select("product_id")
    .where("customer_id", "=", customer_id).where("status", "!=", "expired").execute();
  const other = others.find(({ id }) => rows.every((row) => row.product_id !== id)) ?? others[0];
  if (other) return { product_id: other.id };
  throw unprocessable(
    "The app has no other subscription product with a price and a duration: create one, and " +
      "set both",
  );
}

/** A product that fits a recipe, preferably one that the customer has never had. */
async function pickProduct(
  call: SimCall,
  customer: Buyer,
  recipe: Recipe,
  sent: Sent,
): Promise<Offered> {
  const suits = await suitable(call, recipe, await readOffered(call));
  const sellable = suits.filter((one) => isSellable(one, sent));
  const held = await readHeld(call, customer);
  const live = held.filter((one) => one.status !== "expired" && !isBelieved(one));
  const open = sellable.filter(({ id }) => live.every(({ product_id }) => product_id !== id));
  const isNew = (one: Offered) => held.every(({ product_id }) => product_id !== one.id);
  // A purchase after a trial alone makes a RENEWAL.
  const paid = (one: Offered) =>
    held.some(({ product_id, paid_since }) => product_id === one.id && paid_since !== null);
  // Only a purchase without an earlier trial counts as the first.
  const found = open.find(isNew) ?? open.find(paid) ?? (isFirst(recipe) ? undefined : open[0]);
  if (found) return found;
  const sold = (one: Held) => sellable.find(({ id }) => id === one.product_id);
  const oldest = live.findLast((one) => givesWay(one, recipe) && sold(one));
  const again = oldest && sold(oldest);
  if (!again) throw nothingToBuy(recipe, { suits, sellable }, live);
  // The customer owns every product: the oldest subscription ends, and is bought again.
  await perform(call, "expire", oldest.id, {});
  return again;
}

/** Whether the purchase itself makes the event. */
function isFirst({ product, steps, transfers }: Recipe): boolean {
  return product === "subscription" && steps.length === 0 && !transfers;
}

/** Whether a subscription may end so that its product can be bought again. */
function givesWay({ status, charge_fails, paid_since }: Held, recipe: Recipe): boolean {
  if (recipe.product === "invoiced") return status === "incomplete" && charge_fails === 1;
  // Buying after a trial alone would make a RENEWAL.
  return isFirst(recipe) && paid_since !== null;
}

/** The refusal without a suitable product, with the remedy. */
function nothingToBuy(
  { product }: Recipe,
  { suits, sellable }: { suits: readonly Offered[]; sellable: readonly Offered[] },
  live: readonly Held[],
): Error {
  const none = `There is no product to buy: it must be ${WORDS[product]}`;
  if (suits.length === 0) return unprocessable(`${none}: create one, or choose another project`);
  if (sellable.length === 0) {
    return unprocessable(
      `${none} with a price and a duration: send 'purchase.price' and 'purchase.duration'`,
    );
  }
  const blocking = live.filter(({ product_id }) => sellable.some(({ id }) => id === product_id));
  return unprocessable(`${none} without a current purchase of the customer: end one first`, {
    referenced_object_ids: blocking.map(({ id }) => id),
  });
}

/** Whether all terms of a sale are known. */
function isSellable(product: Offered, sent: Sent): boolean {
  const { type, price_micros, duration } = product;
  return (price_micros !== null || sent.price !== undefined) &&
    (type !== "subscription" || duration !== null || sent.duration !== undefined);
}

/** The other values of a recipe's purchase. */
const HOW: Readonly<Partial<Record<Recipe["product"], object>>> = {
  invoiced: { paid: false },
  believed: { verified: false },
};

const WORDS: Readonly<Record<Recipe["product"], string>> = {
  subscription: "a subscription in a store with this feature",
  once: "bought once",
  invoiced: "a web-billing subscription",
  believed: "a subscription in a store with unconfirmed purchases",
  currency: "a product that grants a virtual currency",
  none: "a product of any type",
};

/** The products that fit a recipe, oldest first. */
async function suitable(
  call: SimCall,
  { product, needs }: Recipe,
  offered: readonly Offered[],
): Promise<Offered[]> {
  if (product === "currency") {
    const facts = readEventFacts(call);
    const found: Offered[] = [];
    for (const one of offered) {
      if (await bringsCurrency(facts, one.store, one.id)) found.push(one);
    }
    return found;
  }
  return offered.filter(({ type, store, app_id }) => {
    if (product === "once") return type !== "subscription";
    if (type !== "subscription" || needs && !isAble(store, needs)) return false;
    if (product === "invoiced") return store === "svc_billing";
    if (product === "believed") return isAble(store, "grant_temporarily");
    if (needs !== "change_product") return true;
    return offered.filter((one) => one.app_id === app_id && one.type === type).length > 1;
  });
}

async function readOffered({ tx }: SimCall): Promise<Offered[]> {
  const apps = await tx.selectFrom("apps").select(["id", "type"]).execute();
  const stores = new Map(apps.map(({ id, type }) => [id, type]));
  const products = await tx.selectFrom("products").selectAll()
    .where("state", "=", "active").orderBy("seq").execute();
  return products.map((product) => ({ ...product, store: stores.get(product.app_id) ?? "" }));
}
