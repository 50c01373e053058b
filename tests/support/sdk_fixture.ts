/**
 * An app with its SDK at a desk: a test store with products, and a client with the app's public key.
 *
 * @module
 */

import type { Client } from "../../lib/client.ts";
import { listAppPublicKeys, listApps } from "../../lib/resources/apps.ts";
import { attachEntitlementProducts } from "../../lib/resources/entitlements.ts";
import {
  attachPackageProducts,
  createPackage,
  listPackages,
} from "../../lib/resources/packages.ts";
import { createProduct } from "../../lib/resources/products.ts";
import { postSdkReceipt, type SdkReceipt } from "../../lib/resources/sdk_receipts.ts";
import type { SdkSubscriberAnswer } from "../../lib/resources/sdk_subscribers.ts";
import { BASE_URL, type Desk } from "./harness.ts";

/** An app and its SDK. */
export interface SdkApp {
  /** The app's id. */
  id: string;
  /** Its public key, as the public SDKs take it. */
  key: string;
  /** A client with that key. */
  client: Client;
  /** The ids of its products, by the store's name. */
  products: Record<string, string>;
}

/** Sends a request to the simulator of the desk's project. */
export async function sim<T>(
  { service, projectId }: Desk,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await service.fetch(
    new Request(`${BASE_URL}/_sim/projects/${projectId}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${service.adminSecret}`,
        "Content-Type": "application/json",
      },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  );
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** The app of a type in the demonstration project. */
export async function appOf(desk: Desk, type: string): Promise<SdkApp> {
  const { items } = await listApps(desk.client);
  const app = items.find((one) => one.type === type);
  const id = app?.id ?? "";
  const { items: [first] } = await listAppPublicKeys(desk.client, id);
  const key = first?.key ?? "";
  return { id, key, client: desk.client.with({ credential: key }), products: {} };
}

/**
 * Creates a test store that sells `monthly` with a trial of a week and `annual` without, both for the
 * entitlement `pro`, `coins` and `lifetime`, which gives `pro` for ever. They are in the offering
 * `default`.
 */
export async function openTestStore(desk: Desk): Promise<SdkApp> {
  const { id } = await sim<{ id: string }>(desk, "POST", "/apps", { name: "Notes in the browser" });
  const { items: [first] } = await listAppPublicKeys(desk.client, id);
  const key = first?.key ?? "";
  const products: Record<string, string> = {};
  for (const [name, type, price] of GOODS) {
    const made = await createProduct(desk.client, {
      app_id: id,
      store_identifier: name,
      type,
      display_name: name,
      title: `Notes ${name}`,
      ...type === "subscription" &&
        { subscription: { duration: name === "annual" ? "P1Y" : "P1M" } },
    });
    products[name] = made.id;
    await sim(desk, "POST", `/products/${made.id}/price`, { price, ...TERMS[name] });
  }
  const { monthly = "", annual = "", lifetime = "", coins = "" } = products;
  await attachEntitlementProducts(desk.client, "pro", [monthly, annual, lifetime]);
  const packaged = { $svc_monthly: monthly, $svc_annual: annual, coins };
  for (const [lookup_key, product] of Object.entries(packaged)) {
    await offer(desk, lookup_key, product);
  }
  return { id, key, client: desk.client.with({ credential: key }), products };
}

const GOODS = [
  ["monthly", "subscription", 9.99],
  ["annual", "subscription", 59.99],
  ["coins", "consumable", 4.99],
  ["lifetime", "non_consumable", 199],
] as const;

const TERMS: Record<string, object> = {
  monthly: { trial_duration: "P1W" },
};

/** Puts a product into a package of the offering `default`. */
async function offer({ client }: Desk, lookup_key: string, product_id: string): Promise<void> {
  const { items } = await listPackages(client, "default");
  const known = items.find((one) => one.lookup_key === lookup_key);
  const made = known ?? await createPackage(client, {
    offering_id: "default",
    lookup_key,
    display_name: lookup_key,
  });
  await attachPackageProducts(client, made.id, [{ product_id, eligibility_criteria: "all" }]);
}

/** A token of the test store that nobody has sent yet. */
export function newToken(): string {
  return `test_${Date.now()}_${crypto.randomUUID()}`;
}

/** Buys in the test store, as an app does. */
export function buy(
  app: SdkApp,
  app_user_id: string,
  product_id: string,
  more: Partial<SdkReceipt> = {},
): Promise<SdkSubscriberAnswer> {
  const fetch_token = newToken();
  return postSdkReceipt(app.client, { app_user_id, product_id, fetch_token, ...more });
}
