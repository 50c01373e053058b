/**
 * The StoreKit configuration of an app: Xcode's `.storekit` file, made from the app's products.
 *
 * @module
 */

import type { Row } from "../store/tables.ts";

/** The content of a `.storekit` file, version 4.0, for these products. */
export function storeKitConfig(
  app: Row<"apps">,
  products: readonly Row<"products">[],
): Record<string, unknown> {
  const ofType = (...types: string[]) => products.filter((product) => types.includes(product.type));
  const subscriptions = ofType("subscription");
  return {
    identifier: fileId(app.id),
    nonRenewingSubscriptions: ofType("non_renewing_subscription")
      .map((product) => showProduct(product, "NonRenewing")),
    products: [
      ...ofType("consumable").map((product) => showProduct(product, "Consumable")),
      ...ofType("non_consumable", "one_time", "non_subscription")
        .map((product) => showProduct(product, "NonConsumable")),
    ],
    settings: {},
    subscriptionGroups: subscriptions.length === 0 ? [] : [{
      id: fileId(`${app.id}group`),
      localizations: [],
      name: app.name,
      subscriptions: subscriptions.map((product, i) => ({
        ...showProduct(product, "RecurringSubscription"),
        adHocOffers: [],
        codeOffers: [],
        groupNumber: i + 1,
        introductoryOffer: product.trial_duration === null ? null : {
          internalID: fileId(`${product.id}trial`),
          numberOfPeriods: 1,
          paymentMode: "free",
          subscriptionPeriod: product.trial_duration,
        },
        recurringSubscriptionPeriod: product.duration ?? "P1M",
        subscriptionGroupID: fileId(`${app.id}group`),
      })),
    }],
    version: { major: 4, minor: 0 },
  };
}

/** One product in a section of the file. Only the store knows prices, so the file has 0. */
function showProduct(product: Row<"products">, type: string): Record<string, unknown> {
  return {
    displayPrice: "0.00",
    familyShareable: false,
    internalID: fileId(product.id),
    localizations: [{
      description: "",
      displayName: product.display_name ?? product.store_identifier,
      locale: "en_US",
    }],
    productID: product.store_identifier,
    referenceName: product.display_name ?? product.store_identifier,
    type,
  };
}

/** Eight hexadecimal digits, as in Xcode. The same id always gives the same digits. */
function fileId(id: string): string {
  let hash = 0x811c9dc5;
  for (const char of id) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).toUpperCase().padStart(8, "0");
}
