/**
 * A project full of subscriptions of every kind, in a database that can be copied.
 *
 * @module
 */

import { equal } from "node:assert/strict";
import type { Service } from "../../lib/service/mod.ts";
import { openService, type TestService } from "./engine.ts";
import { BASE_URL } from "./harness.ts";

/** The moment at which the project's clock stands at first. */
export const START = Date.UTC(2027, 10, 30, 23, 30);

/** Opens the service on a database, at a moment that does not pass. */
export function serveAt(database: string): Promise<TestService> {
  return openService({ database, clock: () => START, adminSecret: "adm_x" });
}

/** Sends a request to the simulator. It must succeed. */
export async function tell(service: Service, path: string, body: unknown): Promise<{ id: string }> {
  const headers = { Authorization: "Bearer adm_x", "Content-Type": "application/json" };
  const address = `${BASE_URL}/_sim/projects/${service.projectId}${path}`;
  const request = new Request(address, { method: "POST", headers, body: JSON.stringify(body) });
  const response = await service.fetch(request);
  const text = await response.text();
  equal(response.ok, true, `${path}: ${text}`);
  return JSON.parse(text);
}

const PRODUCTS = ["notes.pro.monthly", "notes_pro:monthly", "notes_web_monthly"];

/** Sells subscriptions that go all the ways that a subscription can go. */
export async function fill(service: Service, count: number): Promise<void> {
  await tell(service, "/clock/freeze", {});
  for (let i = 0; i < count; i++) {
    const sale = {
      customer_id: `customer${i}`,
      product_id: i % 11 === 5 ? "notes.pro.annual" : PRODUCTS[i % 3],
      trial: i % 4 === 1 ? "P1W" : false,
      duration: i % 7 === 3 ? "P1W" : undefined,
      country: ["US", "DE", "JP"][i % 3],
      currency: ["USD", "EUR", "JPY"][i % 3],
    };
    const { id } = await tell(service, "/purchases", sale);
    const act = (action: string, body: unknown = {}) =>
      tell(service, `/subscriptions/${id}/${action}`, body);
    if (i % 5 === 2) await act("fail", { when: "renewal", grace: i % 2 === 0 ? null : "P16D" });
    if (i % 8 === 6) await act("cancel");
    if (i % 9 === 4 && i % 3 === 1) await act("pause", { for: "P20D" }).catch(() => {});
    if (i % 6 === 0 && i % 11 !== 5) {
      const product_id = "notes.pro.annual";
      await act("change_product", { product_id, when: "period_end" }).catch(() => {});
    }
    if (i % 12 === 9) await act("family_share", { customer_id: `relative${i}` });
    if (i % 3 === 2) await tell(service, "/clock/advance", { by: "PT7H" });
  }
}
