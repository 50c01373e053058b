/**
 * What people buy: who comes, buys, buys again, returns.
 *
 * @module
 */

import { DAY_MS } from "../../domain/calendar.ts";
import { convertPrice } from "../../domain/money.ts";
import {
  purchase,
  refundPurchase,
  reversePurchaseRefund,
  type Sale,
  subscribe,
} from "../../domain/purchase.ts";
import { derivedHex, isAble, platformOf } from "../../domain/stores.ts";
import { USUAL_DURATION } from "../../domain/subscription.ts";
import type { Row } from "../../store/tables.ts";
import { type Chance, chanceOf, partOf } from "./chance.ts";
import { REFUNDS, REVERSES } from "./kinds.ts";
import type { Person } from "./people.ts";
import { monthsIn, plan, type Stage } from "./stage.ts";
import type { Item } from "./world.ts";

/** Somebody comes. Some will buy. */
export function arrive(stage: Stage, item: Item): void {
  const person = stage.person(item.person);
  const chance = chanceOf(partOf(item.key, 3));
  if (!chance.happens(stage.world.habits.buys)) return stage.addIdle(person.id);
  const wait = chance.happens(0.6) ? chance.between(0, DAY_MS / 24) : chance.between(0, 9) * DAY_MS;
  plan(stage, item, "buy", wait);
}

/** Somebody buys for the first time. */
export async function buy(stage: Stage, item: Item): Promise<void> {
  const { shop } = stage.person(item.person);
  const { habits } = stage.world;
  const chance = chanceOf(item.key);
  const both = shop.once.length > 0 && shop.subscriptions.length > 0;
  const once = both ? chance.happens(habits.once) : shop.once.length > 0;
  if (once) {
    const product = chance.pick(shop.once.map((one) => [one, priceWeight(one)] as const));
    return await buyOnce(stage, item, product, chance);
  }
  const product = chooseTerm(shop.subscriptions, chance.happens(habits.annual), chance);
  const tries = product.trial_duration !== null && chance.happens(habits.tries);
  await sell(stage, item, product, { trial: tries, earlier: undefined });
}

/** Cheap things are bought more often. */
function priceWeight({ price_micros }: Row<"products">): number {
  return 1 / Math.sqrt(Math.max(1, (price_micros ?? 0) / 1_000_000));
}

/** Chooses a product of a year or longer, or a shorter one. */
function chooseTerm(
  products: readonly Row<"products">[],
  annual: boolean,
  chance: Chance,
): Row<"products"> {
  const fitting = products.filter(({ duration }) => (monthsIn(duration) >= 12) === annual);
  const choices = fitting.length > 0 ? fitting : products;
  return chance.pick(choices.map((product) => [product, 1] as const));
}

/** Sells a subscription. */
async function sell(
  stage: Stage,
  item: Item,
  product: Row<"products">,
  { trial, earlier }: { trial: boolean; earlier: "trial" | "paid" | undefined },
): Promise<void> {
  const sale = saleOf(stage, item, product);
  const step = subscribe({
    ...sale,
    product_id: product.id,
    duration: product.duration ?? USUAL_DURATION,
    grace_duration: product.grace_period_duration,
    trial_duration: trial ? product.trial_duration : null,
    starts_at: item.at,
    paid: true,
    earlier,
  }, item.at);
  await stage.record(item, step);
}

async function buyOnce(
  stage: Stage,
  item: Item,
  product: Row<"products">,
  chance: Chance,
): Promise<void> {
  const sale = saleOf(stage, item, product);
  const step = purchase({ ...sale, product_id: product.id, quantity: 1 }, item.at);
  await stage.recordPurchase(step);
  if (chance.happens(REFUNDS)) {
    plan(stage, item, "refund_purchase", chance.between(1, 6) * DAY_MS, sale.id);
  } else if (product.is_consumable === 1 && chance.happens(stage.world.habits.again)) {
    plan(stage, item, "again", chance.between(1, 30) * DAY_MS, product.id);
  }
}

/** Somebody buys again what is used up. */
export async function buyAgain(stage: Stage, item: Item): Promise<void> {
  const { shop } = stage.person(item.person);
  const product = shop.once.find(({ id }) => id === item.subject);
  if (product) await buyOnce(stage, item, product, chanceOf(item.key));
}

/** Somebody whose subscription has ended buys the same again, without a second trial. */
export async function subscribeAgain(stage: Stage, item: Item): Promise<void> {
  const ended = stage.current(item.subject);
  const { shop } = stage.person(item.person);
  const product = shop.subscriptions.find(({ id }) => id === ended?.product_id);
  if (!ended || !product || ended.status !== "expired") return;
  const earlier = ended.paid_since === null ? "trial" : "paid";
  await sell(stage, item, product, { trial: false, earlier });
}

/** What a sale says, whatever is sold. */
function saleOf(
  { world, person }: Stage,
  { at, person: index, number }: Item,
  product: Row<"products">,
): Sale & { price_micros: number } {
  const { id, country, currency, shop }: Person = person(index);
  const kind = product.type === "subscription" ? "sub" : "purc";
  const own = product.price_micros ?? 0;
  return {
    project_id: world.project.id,
    id: kind + derivedHex(`population/${world.wanted.seed}/${index}/${at}/${number}`, 10),
    customer_id: id,
    app_id: shop.app_id,
    store: shop.store,
    environment: "production",
    ownership: "purchased",
    currency,
    country,
    platform: platformOf(shop.store),
    offering_id: world.offering_id,
    price_micros: convertPrice(own, product.price_currency ?? "USD", currency),
  };
}

/** Somebody gets the money back for a one-time purchase, or a store takes that back. */
export async function refundOnce(stage: Stage, item: Item): Promise<void> {
  const bought = await stage.journal.purchase(item.subject ?? "");
  if (!bought) return;
  if (bought.status === "refunded") {
    return await stage.recordPurchase(reversePurchaseRefund(bought, item.at));
  }
  await stage.recordPurchase(refundPurchase(bought, item.at));
  const chance = chanceOf(item.key);
  if (chance.happens(REVERSES) && isAble(bought.store, "reverse_refund")) {
    plan(stage, item, "refund_purchase", chance.between(2, 10) * DAY_MS, bought.id);
  }
}
