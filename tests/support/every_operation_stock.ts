/**
 * Something of everything for a request to each operation, made before the project is copied, so that
 * other projects have it under the same keys.
 *
 * @module
 */

import type { Client } from "../../lib/client.ts";
import { createApp, listApps, updateApp } from "../../lib/resources/apps.ts";
import {
  assignOffering,
  createCustomer,
  grantEntitlement,
  listCustomerInvoices,
} from "../../lib/resources/customers.ts";
import { attachEntitlementProducts, createEntitlement } from "../../lib/resources/entitlements.ts";
import { createOffering } from "../../lib/resources/offerings.ts";
import {
  attachPackageProducts,
  createPackage,
  type PackageProductChoice,
} from "../../lib/resources/packages.ts";
import { createPaywall } from "../../lib/resources/paywalls.ts";
import { createProduct } from "../../lib/resources/products.ts";
import { postSdkReceipt } from "../../lib/resources/sdk_receipts.ts";
import { createVirtualCurrency } from "../../lib/resources/virtual_currencies.ts";
import { createWebhook } from "../../lib/resources/webhooks.ts";
import { changeBalances } from "../../lib/simulator/customers.ts";
import { listWebhookDeliveries } from "../../lib/simulator/deliveries.ts";
import { listEvents } from "../../lib/simulator/events.ts";
import { openListener } from "../../lib/simulator/listeners.ts";
import { buyProduct } from "../../lib/simulator/purchases.ts";
import type { Simulator } from "../../lib/simulator/simulator.ts";
import { addDeliveryFaults, pingWebhook } from "../../lib/simulator/webhooks.ts";
import type { Desk } from "./harness.ts";
import { newToken, openTestStore, type SdkApp } from "./sdk_fixture.ts";

/** The key of everything that is made to be changed and deleted. */
export const SPARE = "spare";

/** A new entitlement, offering or package with that key. */
export const SPARE_OBJECT = { lookup_key: SPARE, display_name: "Spare" } as const;

/** The currency that is made to be changed and deleted. */
export const SPARE_CURRENCY = { code: "SPR", name: "Spare" } as const;

/** Who has bought everything. */
export const BUYER = "buyer";

/** Who has not signed in yet. */
export const NOBODY = "$SVCAnonymousID:00000000000000000000000000000001";

/** A product as part of a package. */
export function choiceOf(product_id: string): PackageProductChoice {
  return { product_id, eligibility_criteria: "all" };
}

/** How the project is reached, and the ids of what it holds. */
export interface Stock {
  /** The API. */
  api: Client;
  /** The simulator of the project. */
  simulator: Simulator;
  /** An app with its SDK: the test store. */
  sdk: SdkApp;
  /** The token of a purchase in the test store. */
  token: string;
  /** Ids by name. */
  ids: Readonly<Record<Name, string>>;
}

/** The names of the objects that requests name by their ids. */
type Name =
  | "app"
  | "web"
  | "spareApp"
  | "product"
  | "spareProduct"
  | "package"
  | "paywall"
  | "webhook"
  | "event"
  | "delivery"
  | "apple"
  | "google"
  | "cancelled"
  | "refunded"
  | "reversed"
  | "purchase"
  | "webPurchase"
  | "invoice"
  | "debt";

/** Fills the demonstration project of a desk. */
export async function layInEverything(desk: Desk, receiver: string): Promise<Stock> {
  const api = desk.client;
  const client = api.with({ credential: desk.service.adminSecret });
  const simulator = { client, project: desk.projectId };
  const sdk = await openTestStore(desk);
  const catalogue = await layInCatalogue(api, receiver);
  const sales = await layInSales(api, simulator, catalogue.web);
  const token = newToken();
  const receipt = { app_user_id: BUYER, product_id: "annual", fetch_token: token };
  await postSdkReceipt(sdk.client, receipt);
  await openListener(simulator, SPARE);
  await addDeliveryFaults(simulator, catalogue.webhook, { fault: "duplicate", count: 9 });
  await pingWebhook(simulator, catalogue.webhook);
  await desk.service.deliverer.idle();
  const deliveries = await listWebhookDeliveries(simulator, catalogue.webhook);
  const events = await listEvents(simulator);
  const ids = {
    ...catalogue,
    ...sales,
    event: events.items[0]?.id ?? "",
    delivery: deliveries.items[0]?.id ?? "",
  };
  return { api, simulator, sdk, token, ids };
}

/** Makes what the project sells, and returns the ids. */
async function layInCatalogue(api: Client, receiver: string) {
  const apps = (await listApps(api)).items;
  const app = apps.find(({ type }) => type === "app_store")?.id ?? "";
  const web = apps.find(({ type }) => type === "svc_billing")?.id ?? "";
  // Pushing a product needs a key of the store.
  await updateApp(api, app, { app_store: { app_store_connect_api_key: "key" } });
  const amazon = { package_name: "com.example.spare" };
  const spareApp = await createApp(api, { name: "Spare", type: "amazon", amazon });
  const consumable = { app_id: app, type: "consumable" } as const;
  const product = await createProduct(api, { ...consumable, store_identifier: "kept" });
  const spareProduct = await createProduct(api, { ...consumable, store_identifier: SPARE });
  await createEntitlement(api, SPARE_OBJECT);
  await createOffering(api, SPARE_OBJECT);
  const spare = await createPackage(api, { ...SPARE_OBJECT, offering_id: SPARE });
  await attachEntitlementProducts(api, SPARE, [product.id]);
  await attachPackageProducts(api, spare.id, [choiceOf(product.id)]);
  const paywall = await createPaywall(api, { offering_id: SPARE });
  await createVirtualCurrency(api, SPARE_CURRENCY);
  const hook = { name: "Spare", url: receiver };
  const webhook = await createWebhook(api, { ...hook, event_types: ["renewal"] });
  return {
    app,
    web,
    spareApp: spareApp.id,
    product: product.id,
    spareProduct: spareProduct.id,
    package: spare.id,
    paywall: paywall.id,
    webhook: webhook.id,
  };
}

/** Lets customers buy, and returns the ids. */
async function layInSales(api: Client, simulator: Simulator, web: string) {
  const buy = async (product_id: string, more: object = {}) =>
    (await buyProduct(simulator, { customer_id: BUYER, product_id, price: 9.99, ...more })).id;
  const once = { app_id: web, store_identifier: "web_once", type: "one_time" } as const;
  await createProduct(api, once);
  const sales = {
    apple: await buy("notes.pro.monthly"),
    google: await buy("notes_pro:monthly"),
    cancelled: await buy("notes_web_monthly"),
    refunded: await buy("notes_web_monthly", { customer_id: "refunded" }),
    reversed: await buy("notes_web_monthly", { customer_id: "reversed" }),
    purchase: await buy("kept"),
    webPurchase: await buy("web_once"),
  };
  await buy("notes_web_annual", { customer_id: "debtor", paid: false });
  await changeBalances(simulator, BUYER, { adjustments: { [SPARE_CURRENCY.code]: 5 } });
  await createCustomer(api, { id: SPARE, attributes: [{ name: "kind", value: SPARE }] });
  await buy("kept", { customer_id: NOBODY });
  await assignOffering(api, SPARE, { offering_id: SPARE });
  const expires_at = Date.now() + 1e9;
  await grantEntitlement(api, SPARE, { entitlement_id: SPARE, expires_at });
  const invoiceOf = async (id: string) => (await listCustomerInvoices(api, id)).items[0]?.id ?? "";
  return { ...sales, invoice: await invoiceOf(BUYER), debt: await invoiceOf("debtor") };
}
