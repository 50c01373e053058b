/**
 * A subscription for tests of the domain.
 *
 * @module
 */

import type { Terms } from "../../lib/service/domain/product_change.ts";
import type { SubscriptionSale } from "../../lib/service/domain/purchase.ts";

/** A day in milliseconds. */
export const DAY = 86_400_000;
/** When the subscriptions begin. */
export const START = Date.UTC(2026, 0, 31, 12);

/** A monthly subscription that is paid. */
export const SALE: SubscriptionSale = {
  project_id: "proj",
  id: "sub1",
  customer_id: "ada",
  app_id: "app",
  product_id: "monthly",
  store: "play_store",
  environment: "production",
  ownership: "purchased",
  currency: "USD",
  country: "US",
  platform: "Android",
  offering_id: null,
  duration: "P1M",
  grace_duration: "P3D",
  trial_duration: null,
  price_micros: 9_990_000,
  starts_at: START,
  paid: true,
};

/** What it can change to. */
export const ANNUAL: Terms = {
  product_id: "annual",
  duration: "P1Y",
  grace_duration: null,
  price_micros: 79_990_000,
};
