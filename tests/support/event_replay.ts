/**
 * What a receiver makes of events alone: who has access to what, and through which purchases. It
 * follows the documents, and shares no code with the service.
 *
 * @module
 */

/** An event as webhooks get it. */
export type ToldEvent = Readonly<Record<string, unknown>>;

/** Something that somebody has, as far as events tell. */
interface Thing {
  /** Who has it. */
  customer: string;
  /** The store's name of the product. */
  product: string;
  /** The store's id of its first transaction. */
  origin: string;
  /** What it gives. */
  entitlements: readonly string[];
  /** Whether it gives that now. */
  open: boolean;
  /** The product that it is to change to. */
  next: string | null;
}

/** What is known from events. */
export interface Told {
  /** Everything that was ever told of. */
  things: Thing[];
  /** The event before. */
  last: ToldEvent | undefined;
}

/** Nothing is known yet. */
export function nothingTold(): Told {
  return { things: [], last: undefined };
}

/** Takes in one event after the others. */
export function take(told: Told, event: ToldEvent): void {
  if (event["type"] === "TRANSFER") {
    const [from, to] = [event["transferred_from"], event["transferred_to"]] as string[][];
    for (const thing of told.things) {
      const granted = thing.product.startsWith("svc_promo_");
      if (from?.includes(thing.customer) && !granted) thing.customer = String(to?.[0]);
    }
  } else if (event["type"] !== "VIRTUAL_CURRENCY_TRANSACTION") {
    change(told, event, thingOf(told, event));
  }
  told.last = event;
}

/** The names of the products through which a customer has access, and of what they give. */
export function accessTold(told: Told, customer: string): { products: string[]; gives: string[] } {
  const open = told.things.filter((thing) => thing.customer === customer && thing.open);
  return {
    products: open.map(({ product }) => product).sort(),
    gives: [...new Set(open.flatMap(({ entitlements }) => entitlements))].sort(),
  };
}

/** What an event is about: something known, what takes its place, or something new. */
function thingOf(told: Told, event: ToldEvent): Thing {
  const customer = String(event["app_user_id"]);
  const product = String(event["product_id"]);
  const origin = String(event["original_transaction_id"]);
  const known = told.things.find((thing) => thing.origin === origin && thing.product === product);
  const changed = replaced(told, event, known);
  if (changed) changed.open = false;
  if (known) return known;
  const thing = { customer, product, origin, entitlements: [], open: false, next: null };
  told.things.push(thing);
  return thing;
}

/** What a first payment for another product takes the place of. */
function replaced(told: Told, event: ToldEvent, known: Thing | undefined): Thing | undefined {
  const { type, product_id, app_user_id, is_trial_conversion } = event;
  const atOnce = told.last?.["type"] === "PRODUCT_CHANGE" &&
    told.last["new_product_id"] === product_id &&
    told.last["event_timestamp_ms"] === event["event_timestamp_ms"] &&
    told.last["app_user_id"] === app_user_id;
  const starts = type === "INITIAL_PURCHASE" && atOnce ||
    type === "RENEWAL" && is_trial_conversion === false && (atOnce || !known?.open);
  if (!starts) return undefined;
  const candidates = told.things.filter((thing) =>
    thing.customer === app_user_id && thing.next === product_id && thing.product !== product_id
  );
  const same = candidates.find(({ origin }) => origin === event["original_transaction_id"]);
  const before = atOnce
    ? candidates.find(({ origin }) => origin === told.last?.["original_transaction_id"])
    : undefined;
  const found = before ?? same ?? candidates.find(({ open }) => open);
  if (found) found.next = null;
  return found;
}

/** What an event changes. */
function change(told: Told, event: ToldEvent, thing: Thing): void {
  const { type, cancel_reason, expiration_at_ms, event_timestamp_ms } = event;
  const lasts = expiration_at_ms === null || Number(expiration_at_ms) > Number(event_timestamp_ms);
  switch (type) {
    case "INITIAL_PURCHASE":
    case "RENEWAL":
    case "NON_RENEWING_PURCHASE":
      thing.customer = String(event["app_user_id"]);
      thing.entitlements = (event["entitlement_ids"] ?? []) as string[];
      thing.open = lasts;
      thing.next = null;
      break;
    case "REFUND_REVERSED":
      thing.open = lasts;
      break;
    case "EXPIRATION":
      thing.open = false;
      thing.next = null;
      break;
    case "CANCELLATION":
      // Of something bought once, and refunded, nothing else tells.
      if (expiration_at_ms === null && cancel_reason === "CUSTOMER_SUPPORT") thing.open = false;
      break;
    case "PRODUCT_CHANGE":
      thing.next = String(event["new_product_id"]);
      break;
    default:
      if (!KEEPING.includes(String(type))) throw new Error(`${type} after ${told.last?.["type"]}`);
  }
}

/** Types that change nothing about access. */
const KEEPING = ["UNCANCELLATION", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXTENDED", "BILLING_ISSUE"];
