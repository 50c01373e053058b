/**
 * Customers of the demonstration project with purchases, so that charts show money. The simulator's
 * steps make their past.
 *
 * @module
 */

import { insertCustomer } from "../records/changes.ts";
import { cancel } from "../domain/actions.ts";
import { DAY_MS } from "../domain/calendar.ts";
import { passDue } from "../domain/due.ts";
import { grant } from "../domain/grants.ts";
import { purchase, subscribe } from "../domain/purchase.ts";
import type { Step, Subscription } from "../domain/step.ts";
import { platformOf } from "../domain/stores.ts";
import { newId } from "../records/ids.ts";
import { type Journal, openJournal } from "../ledger/journal.ts";
import type { SeedCall } from "./catalogue.ts";
import type { Row } from "../store/tables.ts";

/** The products and grants for the buyers. */
interface Range {
  /** Products by store identifier. */
  products: ReadonlyMap<string, Row<"products">>;
  /** The id of the granted entitlement. */
  entitlement_id: string;
  /** The id of the offering shown at purchase. */
  offering_id: string;
}

/** The buyers: first seen this many days ago, with country, platform and first purchase. */
const BUYERS = [
  {
    id: "hedy",
    days: 100,
    country: "GB",
    platform: "iOS",
    store: "app_store",
    product: "notes.pro.monthly",
    currency: "GBP",
    price_micros: 8_990_000,
  },
  {
    id: "katherine",
    days: 40,
    country: "US",
    platform: "android",
    store: "play_store",
    product: "notes_pro:annual",
    currency: "USD",
    price_micros: 79_990_000,
  },
  {
    id: "margaret",
    days: 35,
    country: "DE",
    platform: "web",
    store: "svc_billing",
    product: "notes_web_monthly",
    currency: "EUR",
    price_micros: 9_990_000,
  },
  {
    id: "radia",
    days: 5,
    country: "JP",
    platform: "iOS",
    store: "app_store",
    product: "notes.pro.lifetime",
    currency: "JPY",
    price_micros: 30_000_000_000,
  },
] as const;

type Buyer = typeof BUYERS[number];

/** Writes the buyers and their purchases. A new clock of the tests has no past. */
export async function seedBuyers(call: SeedCall, range: Range): Promise<void> {
  const { now } = call;
  const ago = (days: number) => now - days * DAY_MS;
  if (ago(200) < 0) return;
  for (const { id, days, country, platform } of BUYERS) {
    await insertCustomer({ ...call, now: ago(days) }, id, {
      last_seen_app_version: "2.0.0",
      last_seen_country: country,
      last_seen_platform: platform,
    });
  }
  const journal = await openJournal(call);
  const live: Subscription[] = [];
  for (const buyer of BUYERS) {
    await passTime(journal, live, ago(buyer.days));
    await buy({ ...call, now: ago(buyer.days) }, journal, live, buyer, range);
  }
  await passTime(journal, live, ago(4));
  const web = live.find(({ store }) => store === "svc_billing");
  if (web) await record(journal, live, cancel(web, ago(4), "UNSUBSCRIBE"));
  await passTime(journal, live, now);
  await record(journal, live, giftTo("radia", call, range));
  await journal.write();
}

async function buy(
  { project, now }: SeedCall,
  journal: Journal,
  live: Subscription[],
  buyer: Buyer,
  { products, offering_id }: Range,
): Promise<void> {
  const { id: customer_id, store, country, currency, price_micros } = buyer;
  const product = products.get(buyer.product);
  if (!product) return;
  const sale = {
    project_id: project.id,
    id: newId(product.duration === null ? "purchase" : "subscription"),
    customer_id,
    app_id: product.app_id,
    product_id: product.id,
    store,
    environment: "production",
    ownership: "purchased",
    currency,
    country,
    platform: platformOf(store),
    offering_id,
    price_micros,
  } as const;
  if (product.duration === null) {
    await journal.recordPurchase(purchase({ ...sale, quantity: 1 }, now));
    return;
  }
  const { duration, grace_period_duration: grace_duration, trial_duration } = product;
  const terms = { duration, grace_duration, trial_duration, starts_at: now, paid: true };
  await record(journal, live, subscribe({ ...sale, ...terms }, now));
}

function giftTo(customer_id: string, { project, now }: SeedCall, { entitlement_id }: Range): Step {
  const expires_at = now + 90 * DAY_MS;
  const id = newId("subscription");
  return grant({ project_id: project.id, id, customer_id, entitlement_id, expires_at }, now);
}

/** Runs due steps up to a time. */
async function passTime(journal: Journal, live: Subscription[], until: number): Promise<void> {
  for (;;) {
    const [next] = live.filter(({ due_at }) => due_at !== null && due_at <= until)
      .sort((one, other) => (one.due_at ?? 0) - (other.due_at ?? 0));
    if (!next) return;
    for (const step of passDue(next)) await record(journal, live, step);
  }
}

/** Records a step, with the subscription after it. */
async function record(journal: Journal, live: Subscription[], step: Step): Promise<void> {
  const after = await journal.record(step);
  const place = live.findIndex(({ id }) => id === after.id);
  live.splice(place < 0 ? live.length : place, place < 0 ? 0 : 1, after);
}
