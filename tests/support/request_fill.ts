/**
 * Something of everything, so that requests at random find what they ask for.
 *
 * @module
 */

import { CHARTS } from "../../lib/service/reports/all_charts.ts";
import type { Site } from "./generated_requests.ts";

/** Fills the demonstration project, and learns what is in it. */
export async function fillSite(site: Site, projectId: string, webhookUrl: string): Promise<void> {
  const { stock } = site;
  for (const name of CHARTS.keys()) stock.add("charts", name);
  stock.add("projects", projectId);
  stock.add("urls", webhookUrl);
  const api = `/v2/projects/${projectId}`;
  const sim = `/_sim/projects/${projectId}`;
  const apps = await ask(site, "GET", `${api}/apps`);
  const [app] = apps.items;
  const keys = await ask(site, "GET", `${api}/apps/${app?.id}/public_api_keys`);
  site.credentials.key = keys.items[0]?.key ?? "";
  const storeKey = { app_store: { app_store_connect_api_key: "key" } };
  await ask(site, "POST", `${api}/apps/${app?.id}`, storeKey);
  for (const list of ["products", "entitlements", "offerings", "customers"]) {
    await ask(site, "GET", `${api}/${list}`);
  }
  await ask(site, "GET", `${api}/offerings/default/packages`);
  await ask(site, "POST", `${api}/paywalls`, { offering_id: "winter_sale" });
  for (const code of ["GLD", "SLV", "BRZ"]) {
    await ask(site, "POST", `${api}/virtual_currencies`, { code, name: code });
  }
  await ask(site, "PUT", `${api}/offerings/default/paywall`, { title: "A" });
  const hook = { name: "All", url: webhookUrl, event_types: ["renewal"] };
  await ask(site, "POST", `${api}/integrations/webhooks`, hook);
  // Several, since some are deleted.
  for (let i = 1; i <= 8; i++) await ask(site, "POST", `${sim}/listeners/ear${i}`, {});
  const web = apps.items.find(({ type }) => type === "svc_billing");
  const once = { app_id: web?.id, store_identifier: "notes_web_once", type: "one_time" };
  await ask(site, "POST", `${api}/products`, once);
  await buyEverything(site, api, sim);
}

/** Lets customers buy what every store sells, with what comes of it. */
async function buyEverything(site: Site, api: string, sim: string): Promise<void> {
  const products = (await ask(site, "GET", `${api}/products?limit=100`)).items;
  for (const customer_id of ["buyer1", "buyer2", "buyer3", "buyer4"]) {
    for (const { id } of products) {
      await ask(site, "POST", `${sim}/purchases`, { customer_id, product_id: id, price: 9.99 });
    }
  }
  const unpaid = { product_id: "notes_web_annual", price: 9.99, paid: false };
  for (const customer_id of ["debtor1", "debtor2", "debtor3", "debtor4", "debtor5"]) {
    await ask(site, "POST", `${sim}/purchases`, { ...unpaid, customer_id });
    await ask(site, "GET", `${api}/customers/${customer_id}/invoices`);
  }
  for (const { id } of (await ask(site, "GET", `${api}/customers/buyer1/subscriptions`)).items) {
    await ask(site, "GET", `${api}/subscriptions/${id}/transactions`);
  }
  await ask(site, "GET", `${sim}/events`);
  await ask(site, "POST", "/_sim/tokens", {});
}

/** The fields of answers that are looked at. */
interface Answer {
  /** The items of a list. */
  items: { id: string; type?: string; key?: string }[];
}

/** Sends a request that must succeed, and learns from the answer. */
async function ask(site: Site, method: string, path: string, body?: object): Promise<Answer> {
  const { base_url, credentials, fetch, stock } = site;
  const credential = path.startsWith("/_sim") ? credentials.admin : credentials.token;
  const request = new Request(base_url + path, {
    method,
    headers: { "Authorization": `Bearer ${credential}`, "Content-Type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await fetch(request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${text}`);
  stock.learn(method, new URL(request.url).pathname, response, text);
  return JSON.parse(text);
}
