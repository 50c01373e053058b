/**
 * Runs actions on subscriptions, purchases, grants and the clock, and compares the service with a
 * small model after every step.
 *
 * `STATE_MODEL_RUNS` is the number of histories, 8 without it.
 *
 * @module
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { frozen } from "../../support/activities.ts";
import { apiOf } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";
import { CUSTOMERS, type Deed, deeds, type Real } from "../../support/state_deeds.ts";
import {
  accessOf,
  heldBy,
  isOpen,
  type Model,
  newModel,
  Refused,
} from "../../support/subscription_model.ts";

const RUNS = Number(Deno.env.get("STATE_MODEL_RUNS") ?? 8);

/** The part of a subscriber's answer about access. */
interface SubscriberAnswer {
  /** The moment of the answer. */
  request_date_ms: number;
  /** The customer's current and past entitlements. */
  subscriber: {
    entitlements: Record<string, SubscriberEntitlement>;
    subscriptions: Record<string, unknown>;
    non_subscriptions: Record<string, unknown>;
  };
}

/** An entitlement, active or ended. */
interface SubscriberEntitlement {
  /** Its end, or null for never. */
  expires_date: string | null;
  /** The end of grace, during grace. */
  grace_period_expires_date: string | null;
  /** Its product. */
  product_identifier: string;
}

/** The service, and the SDK's view of it. */
interface Watched extends Real {
  /** Reads a customer as an app does, in the project's own time. */
  subscriberOf(customer: string): Promise<SubscriberAnswer>;
}

/** An action as a command of the test library. */
function commandOf(deed: Deed): fc.AsyncCommand<Model, Watched> {
  return {
    check: (model) => !deed.valid || allows(deed, model),
    async run(model, real) {
      const allowed = allows(deed, model);
      const { status } = await deed.real(real, model);
      equal(status < 300, allowed, `${deed.name} was answered ${status}`);
      ok(allowed || status === 422 || status === 404 || status === 400, String(status));
      if (allowed) deed.model(model);
      await compare(model, real);
    },
    toString: () => deed.name,
  };
}

/** Whether the model allows an action. */
function allows(deed: Deed, model: Model): boolean {
  try {
    deed.model(structuredClone(model));
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

/** Compares the service with the model. */
async function compare(model: Model, { api, products, subscriberOf }: Watched): Promise<void> {
  for (const customer of CUSTOMERS) {
    const path = `/customers/${encodeURIComponent(customer)}`;
    const { items } = await api.get(`${path}/subscriptions?limit=100`);
    const shown = items.filter((item) => item["store"] !== "promotional");
    const held = heldBy(model, customer);
    deepEqual(
      shown.map((item) => ({
        product: products.get(String(item["product_id"])),
        paid: item["ownership"] === "purchased",
        status: item["status"],
        auto: item["auto_renewal_status"],
        access: item["gives_access"],
        end: item["current_period_ends_at"],
        ends: item["ends_at"],
        waits: item["pending_payment"],
      })),
      held.map(({ one, shared }) => ({
        product: one.product,
        paid: !shared,
        status: one.status,
        auto: one.auto,
        access: isOpen(one),
        end: one.end,
        ends: one.paidUntil ?? one.end,
        waits: ["in_grace_period", "in_billing_retry"].includes(one.status),
      })),
    );
    held.forEach(({ one, shared }, i) => {
      if (!shared) one.id = shown[i]?.id ?? "";
    });
    const owned = (await api.get(`${path}/purchases?limit=100`)).items;
    const bought = model.purchases.filter((one) => one.customer === customer);
    deepEqual(
      owned.map((item) => item["status"]),
      bought.map(({ refunded }) => refunded ? "refunded" : "owned"),
    );
    bought.forEach((one, i) => one.id = owned[i]?.id ?? "");
    const active = (await api.get(`${path}/active_entitlements`)).items.map((item) => [
      products.get(String(item["entitlement_id"])),
      item["expires_at"],
    ]);
    const access = accessOf(model, customer);
    deepEqual(Object.fromEntries(active), access, `access of ${customer}`);
    compareSdk(await subscriberOf(customer), Object.keys(access), customer);
  }
}

/** Compares an app's view with the actual access, by the SDK's own rule. */
function compareSdk(answer: SubscriberAnswer, access: readonly string[], customer: string): void {
  const { request_date_ms: now, subscriber } = answer;
  const open: string[] = [];
  for (const [name, entitlement] of Object.entries(subscriber.entitlements)) {
    const { expires_date: end, product_identifier } = entitlement;
    if (end === null || Date.parse(end) > now) open.push(name);
    const isKnown = product_identifier in subscriber.subscriptions ||
      product_identifier in subscriber.non_subscriptions;
    ok(isKnown, `${name} of ${customer} comes from ${product_identifier}, which is not listed`);
    for (const date of [end, entitlement.grace_period_expires_date]) {
      if (date !== null) match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    }
  }
  deepEqual(open.toSorted(), [...access].sort(), `what the app of ${customer} sees`);
}

Deno.test("after random actions in random order, the service agrees with the model", async () => {
  const commands = fc.commands(deeds.map((deed) => deed.map(commandOf)), {
    maxCommands: 40,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      await using desk = await openDesk({ clock: () => Date.UTC(2027, 11, 31, 20) });
      const sim = await frozen(desk);
      const api = apiOf(desk);
      const products = new Map<string, string>();
      for (const { id, store_identifier } of (await api.get("/products?limit=100")).items) {
        products.set(String(store_identifier), id).set(id, String(store_identifier));
      }
      for (const { id, lookup_key } of (await api.get("/entitlements")).items) {
        products.set(id, lookup_key);
      }
      const [app] = (await api.get("/apps")).items;
      const [key] = (await api.get(`/apps/${app?.id}/public_api_keys`)).items;
      const headers = {
        Authorization: `Bearer ${key?.["key"]}`,
        "X-Platform": "ios",
        "X-Dates": "project",
      };
      const subscriberOf = async (customer: string) => {
        const path = `/v1/subscribers/${encodeURIComponent(customer)}`;
        return await (await desk.send("GET", path, undefined, headers)).json();
      };
      const now = await sim.now();
      const real = { sim, api, products, subscriberOf };
      const setup = () => ({ model: newModel(now), real });
      await fc.asyncModelRun(setup, history);
    }),
    { numRuns: RUNS },
  );
});
