/**
 * How a recorded subscription or purchase began.
 *
 * @module
 */

import type {
  HistoryProduct,
  HistoryPurchase,
  HistorySubscription,
} from "../../simulator/history.ts";
import type { Json } from "../values/tree.ts";
import type { RecordedEvent } from "./facts.ts";
import { findOf, on } from "./subjects.ts";
import { type Deed, eventsAhead, purchaseIn, type Reel, subscriptionIn } from "./reel.ts";

/** The country of customers whose country is unknown. */
const USUAL_COUNTRY = "US";

/** The deeds that begin a subscription or purchase. */
export function buying(
  reel: Reel,
  event: RecordedEvent,
  subject: string,
): readonly Deed[] | undefined {
  const purchase = purchaseIn(reel, subject);
  if (purchase) return [buyOnce(reel, purchase)];
  const bought = subscriptionIn(reel, subject);
  if (!bought) return undefined;
  return bought.shared_from_id === null
    ? [subscribe(reel, event, bought)]
    : share(reel, bought, bought.shared_from_id);
}

function buyOnce(reel: Reel, bought: HistoryPurchase): Deed {
  const product = productOf(reel, bought.product_id);
  return {
    deed: "purchase",
    values: {
      ...commonOf(reel, bought, product),
      ...priceOf(bought, bought.price, product),
      ...bought.quantity > 1 && { quantity: bought.quantity },
    },
    makes: bought.id,
  };
}

function subscribe(reel: Reel, event: RecordedEvent, bought: HistorySubscription): Deed {
  const product = firstProduct(reel, event, bought);
  const { trial_duration: trial, duration, ownership } = bought;
  const verified = event.type !== "TEMPORARY_ENTITLEMENT_GRANT";
  const price = ownership === "purchased" && verified ? firstPrice(reel, bought) : undefined;
  return {
    deed: "purchase",
    values: {
      ...commonOf(reel, bought, product),
      ...trial !== null && { trial: trial === product?.trial_duration ? true : trial },
      ...price !== undefined && priceOf(bought, price, product),
      ...duration !== null && duration !== product?.duration && product?.id === bought.product_id &&
        { duration },
      ...event.type === "INVOICE_ISSUANCE" && { paid: false },
      ...!verified && { verified: false },
    },
    makes: bought.id,
  };
}

/** The share of a member of the family, and what names the subscription that is shared. */
function share(reel: Reel, bought: HistorySubscription, source: string): Deed[] | undefined {
  if (!reel.twins.has(source)) return undefined;
  const find = reel.names.has(source) ? [] : findOf(reel, source);
  const member = bought.original_customer_id;
  return find &&
    [...find, { ...on(source, "share", { with: member }), makes: bought.id }];
}

/** What every purchase says. */
function commonOf(
  reel: Reel,
  bought: HistorySubscription | HistoryPurchase,
  product: HistoryProduct | undefined,
): Record<string, Json> {
  const customer = bought.original_customer_id;
  const country = bought.country ?? USUAL_COUNTRY;
  const known = reel.countries.get(customer) ?? USUAL_COUNTRY;
  reel.countries.set(customer, country);
  const store = reel.history.apps.find(({ id }) => id === product?.app_id)?.type;
  const sandbox = bought.environment === "sandbox" && store !== "test_store";
  return {
    customer,
    product: reel.sold.names.get(product?.id ?? "") ?? "",
    ...country !== known && { country },
    ...sandbox && { environment: "sandbox" },
    ...bought.ownership === "family_shared" && { ownership: "family_shared" },
  };
}

/** The price and its currency, where they are not the product's. */
function priceOf(
  { currency }: { currency: string },
  price: number,
  product: HistoryProduct | undefined,
): Record<string, Json> {
  const usual = product?.currency ?? "USD";
  if (currency !== usual) return { price, currency };
  return price === product?.price ? {} : { price };
}

/** The product that was bought: a trial keeps its subscription when it changes to another one. */
function firstProduct(
  reel: Reel,
  { fields }: RecordedEvent,
  bought: HistorySubscription,
): HistoryProduct | undefined {
  const product = productOf(reel, bought.product_id);
  return reel.history.products.find((one) =>
    one.app_id === product?.app_id && one.store_identifier === fields.product_id
  ) ?? product;
}

/** The price of the first paid period; undefined where the product changed before. */
function firstPrice(reel: Reel, bought: HistorySubscription): number | undefined {
  for (const { type, fields } of eventsAhead(reel, bought.id)) {
    if (type === "PRICE_INCREASE_CONSENT_APPROVED") break;
    if (type === "PRODUCT_CHANGE" && bought.trial_duration !== null) return undefined;
    const price = fields.price_in_purchased_currency;
    if (typeof price === "number" && price > 0) return price;
  }
  return bought.price;
}

function productOf({ history }: Reel, id: string | null): HistoryProduct | undefined {
  return history.products.find((product) => product.id === id);
}
