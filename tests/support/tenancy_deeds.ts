/**
 * Everything that one project can be asked and told, so that a test sees whether another one notices.
 *
 * @module
 */

import { equal, ok } from "node:assert/strict";
import operations from "../operations.json" with { type: "json" };
import { simRoutes } from "../../lib/service/sim/routes.ts";
import type { Site } from "./generated_requests.ts";

/** A request below a project: of the API, or of the simulator. */
export interface Deed {
  /** The method. */
  method: string;
  /** The path from the service's root. */
  path: string;
  /** The body. */
  body?: object;
}

/** Sends a request, and returns status and text of the answer. */
export async function send(
  { base_url, credentials, fetch }: Site,
  { method, path, body }: Deed,
): Promise<[number, string]> {
  const credential = path.startsWith("/_sim")
    ? credentials.admin
    : /^\/(v1|rcbilling)/.test(path)
    ? credentials.key
    : credentials.token;
  const response = await fetch(
    new Request(base_url + path, {
      method,
      headers: { "Authorization": `Bearer ${credential}`, "Content-Type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "manual",
    }),
  );
  return [response.status, await response.text()];
}

/** What changes between two reads by itself: deliveries go on, addresses are signed, users are seen. */
const UNSTEADY =
  /^\/v1\/subscribers\/\{user\}$|deliver|\/file$|management_url|\/clock|\/health|\/webhooks\/\{id\}$/;

/** Ids of each kind that are read, at most. */
const MOST = 6;

/** All addresses of a project that can be read and stay the same, with the ids that are known. */
export function readsOf({ stock }: Site, projectId: string): Deed[] {
  const api = operations.filter(([, method]) => method === "GET")
    .map(([, , path = ""]) => rooted(path, projectId));
  const sim = simRoutes.filter(({ method }) => method === "GET")
    .map(({ path }) => path.replace("{project_id}", projectId));
  const paths = [...api, ...sim].filter((path) => !UNSTEADY.test(path) && !path.endsWith("/search"))
    .flatMap((path) => filled(path, stock, projectId))
    .map((path) =>
      /\/(customers|audit_logs|products|events)$/.test(path) ? `${path}?limit=100` : path
    );
  return paths.map((path) => ({ method: "GET", path }));
}

/** The path of an operation, from the service's root. */
function rooted(path: string, projectId: string): string {
  if (/^\/(v1|rcbilling)/.test(path)) return path;
  return path.startsWith("/projects") ? `/v2${path}` : `/v2/projects/${projectId}${path}`;
}

/** A path with ids in it: one for each id that is known, but only the latest. */
function filled(path: string, stock: Site["stock"], projectId: string): string[] {
  const [, before = "", kind = "", after = ""] = /^(.*\/(\w+)\/)\{\w+\}(.*)$/.exec(path) ?? [];
  if (before === "") return [path];
  const known = kind === "projects"
    ? [projectId]
    : kind === "charts"
    ? stock.of(kind)
    : stock.of(kind === "subscribers" ? "customers" : kind).slice(-MOST);
  return known.flatMap((id) =>
    filled(before, stock, projectId).map((start) => start + encodeURIComponent(id) + after)
  );
}

/** Searches for what a customer bought, by the stores' identifiers. */
export async function searchesOf(site: Site, projectId: string): Promise<Deed[]> {
  const api = `/v2/projects/${projectId}`;
  const searches: Deed[] = [];
  for (const [kind, one] of [["subscriptions", "subscription"], ["purchases", "purchase"]]) {
    const field = `store_${one}_identifier`;
    for (const item of await items(site, `${api}/customers/buyer1/${kind}`)) {
      const path = `${api}/${kind}/search?${field}=${encodeURIComponent(String(item[field]))}`;
      searches.push({ method: "GET", path });
    }
  }
  return searches;
}

/** Reads all that can be read: the answers by path. */
export async function readAll(site: Site, reads: readonly Deed[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const deed of reads) {
    const [status, text] = await send(site, deed);
    ok(status < 500, `${deed.path} → ${status} ${text}`);
    answers.set(deed.path, `${status} ${text}`);
  }
  return answers;
}

/** What a list holds. */
async function items(site: Site, path: string): Promise<Record<string, unknown>[]> {
  const [status, text] = await send(site, { method: "GET", path: `${path}?limit=100` });
  equal(status, 200, `${path} → ${text}`);
  return JSON.parse(text).items;
}

/** What is deleted, in an order that lets nothing stand in the way. */
const LISTS = [
  "customers",
  "integrations/webhooks",
  "paywalls",
  "offerings",
  "entitlements",
  "virtual_currencies",
  "products",
  "apps",
];

/** What is made, deleted, and made again under the same keys: path of the list, body, path of one. */
const AGAIN = [
  ["/entitlements", { lookup_key: "again", display_name: "Again" }, "/entitlements/again"],
  ["/offerings", { lookup_key: "again", display_name: "Again" }, "/offerings/again"],
  ["/virtual_currencies", { code: "AGN", name: "Again" }, "/virtual_currencies/AGN"],
  ["/customers", { id: "again" }, "/customers/again"],
] as const;

/** Makes what each of the two projects shall have, and only one of them loses. */
export async function makeSpare(site: Site, projectId: string): Promise<void> {
  const api = `/v2/projects/${projectId}`;
  for (const [list, body] of AGAIN) {
    await succeed(site, { method: "POST", path: api + list, body });
  }
  const post = (path: string, body: object) => succeed(site, { method: "POST", path, body });
  await post(`${api}/customers`, { id: "spare" });
  await post(`${api}/customers/spare/attributes`, attributesOf("spare@example.com"));
  await post(`${api}/customers/spare/actions/assign_offering`, { offering_id: "again" });
  const [app] = await items(site, `${api}/apps`);
  await post(`${api}/products`, { app_id: app?.id, store_identifier: SPARE, type: "consumable" });
}

/** A product that is made to be deleted. */
const SPARE = "spare.product";

/** The body that gives a customer an attribute, or takes it. */
function attributesOf(value: string | null): object {
  return { attributes: [{ name: "$email", value }] };
}

/** Merges, transfers, sends events again, passes time, deletes: all of that must succeed. */
export async function doMuch(site: Site, projectId: string): Promise<void> {
  const api = `/v2/projects/${projectId}`;
  const sim = `/_sim/projects/${projectId}`;
  const post = (path: string, body: object = {}) => succeed(site, { method: "POST", path, body });
  const since = site.stock.now;
  await post(`${sim}/clock/advance`, { by: "P2M" });
  await post(`${api}/customers/debtor1/attributes`, attributesOf("a@example.com"));
  const nobody = "$SVCAnonymousID:00000000000000000000000000000001";
  const [{ id } = { id: "" }] = await items(site, `${api}/products`);
  await post(`${sim}/purchases`, { customer_id: nobody, product_id: id, price: 1 });
  await post(`${sim}/customers/${nobody}/aliases`, { alias: "debtor2" });
  await post(`${api}/customers/debtor2/actions/transfer`, { target_customer_id: "debtor3" });
  for (const event of (await items(site, `${sim}/events`)).slice(-5)) {
    await post(`${sim}/events/${event.id}/resend`);
  }
  await post(`${sim}/events/recover`, { since });
  await post(`${api}/customers/spare/attributes`, attributesOf(null));
  await post(`${api}/customers/spare/actions/assign_offering`, { offering_id: null });
  const spare = (await items(site, `${api}/products`)).find(
    ({ store_identifier }) => store_identifier === SPARE,
  );
  await succeed(site, { method: "DELETE", path: `${api}/products/${spare?.id}` });
  for (const [list, body, one] of AGAIN) {
    // All other reads find things by their ids, this one by its key.
    await succeed(site, { method: "GET", path: api + one });
    await succeed(site, { method: "DELETE", path: api + one });
    await post(api + list, body);
  }
}

/** Sends a request that must succeed. */
async function succeed(site: Site, deed: Deed): Promise<void> {
  const [status, text] = await send(site, deed);
  ok(status < 300, `${deed.method} ${deed.path} → ${status} ${text}`);
}

/** Deletes all that can be deleted. */
export async function deleteAll(site: Site, projectId: string): Promise<void> {
  const api = `/v2/projects/${projectId}`;
  for (const id of site.stock.of("packages")) {
    await send(site, { method: "DELETE", path: `${api}/packages/${encodeURIComponent(id)}` });
  }
  // The current offering goes last.
  for (const list of [...LISTS, "offerings"]) {
    for (const { id, code } of await items(site, `${api}/${list}`)) {
      const path = `${api}/${list}/${encodeURIComponent(String(code ?? id))}`;
      const [status, text] = await send(site, { method: "DELETE", path });
      ok(status < 500, `${path} → ${status} ${text}`);
    }
  }
}
