/**
 * Everything that can happen to subscriptions and purchases, and the events that tell of it.
 *
 * @module
 */

import { equal } from "node:assert/strict";
import type { Desk } from "./harness.ts";
import { DAY, productNamed, simulate, type Simulation } from "./simulation.ts";

/** An action, and its events since the last check, in order. */
export interface Activity {
  /** Does it. */
  does(sim: Simulation, desk: Desk): Promise<void>;
  /** The events, in the words of `tell`. */
  told: string[];
}

const ONE: Record<string, Activity> = {
  "a trial starts and converts": {
    async does(sim) {
      await sim.subscribe({ product_id: "notes.pro.annual", trial: true });
      await sim.advance("P1W");
    },
    told: ["INITIAL_PURCHASE TRIAL 0", "RENEWAL NORMAL 79.99 converts"],
  },
  "a trial is cancelled": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.annual", trial: true });
      await sim.act(id, "cancel");
      await sim.advance("P1W");
    },
    told: ["INITIAL_PURCHASE TRIAL 0", "CANCELLATION UNSUBSCRIBE", "EXPIRATION UNSUBSCRIBE"],
  },
  "somebody comes back after a trial that ended": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.annual", trial: "P3D" });
      await sim.act(id, "cancel");
      await sim.advance("P1W");
      await sim.newEvents();
      await sim.subscribe({ product_id: "notes.pro.annual" });
    },
    told: ["RENEWAL NORMAL 79.99 converts"],
  },
  "somebody comes back after a paid period that ended": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.act(id, "expire");
      await sim.newEvents();
      await sim.subscribe({ product_id: "notes.pro.monthly" });
    },
    told: ["INITIAL_PURCHASE NORMAL 9.99"],
  },
  "a subscription renews, is cancelled and ends": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.advance("P1M");
      await sim.act(id, "cancel");
      await sim.advance("P1M");
    },
    told: [
      "INITIAL_PURCHASE NORMAL 9.99",
      "RENEWAL NORMAL 9.99",
      "CANCELLATION UNSUBSCRIBE",
      "EXPIRATION UNSUBSCRIBE",
    ],
  },
  "it is cancelled through the API": {
    async does(sim, desk) {
      const { id } = await sim.subscribe({ product_id: "notes_web_monthly" });
      await sim.newEvents();
      await desk.send("POST", `/v2/projects/${desk.projectId}/subscriptions/${id}/actions/cancel`);
      await sim.advance("P1M");
    },
    told: ["CANCELLATION DEVELOPER_INITIATED", "EXPIRATION DEVELOPER_INITIATED"],
  },
  "it is cancelled and switched on again": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.act(id, "cancel");
      await sim.act(id, "uncancel");
    },
    told: ["INITIAL_PURCHASE NORMAL 9.99", "CANCELLATION UNSUBSCRIBE", "UNCANCELLATION"],
  },
  "a charge fails without grace": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "fail", { when: "renewal", grace: null });
      await sim.advance("P3M");
    },
    told: ["BILLING_ISSUE", "CANCELLATION BILLING_ERROR", "EXPIRATION BILLING_ERROR"],
  },
  "a charge fails with grace, and recovers in it": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "fail");
      await sim.advance("P1D");
      await sim.act(id, "recover");
    },
    told: ["BILLING_ISSUE", "CANCELLATION BILLING_ERROR", "RENEWAL NORMAL 9.99"],
  },
  "grace ends, and the store gives up": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "fail");
      await sim.advance("P3M");
    },
    told: ["BILLING_ISSUE", "CANCELLATION BILLING_ERROR", "EXPIRATION BILLING_ERROR"],
  },
  "a pause": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes_pro:monthly" });
      await sim.newEvents();
      await sim.act(id, "pause", { for: "P1W" });
      await sim.advance("P2M");
    },
    told: ["SUBSCRIPTION_PAUSED", "EXPIRATION SUBSCRIPTION_PAUSED", "RENEWAL NORMAL 9.99"],
  },
  "an earlier payment is refunded": {
    async does(sim) {
      const { id, store_subscription_identifier: transaction_id } = await sim.subscribe({
        product_id: "notes.pro.monthly",
      });
      await sim.advance("P1M");
      await sim.newEvents();
      await sim.act(id, "refund", { transaction_id });
    },
    told: [],
  },
  "the latest payment is refunded, and the refund undone": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "refund");
      await sim.act(id, "reverse_refund");
      await sim.advance("P1M");
    },
    told: [
      "CANCELLATION CUSTOMER_SUPPORT -9.99",
      "EXPIRATION CUSTOMER_SUPPORT",
      "REFUND_REVERSED 9.99",
      "EXPIRATION UNSUBSCRIBE",
    ],
  },
  "another product at once, in the App Store": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "change_product", { product_id: "notes.pro.annual" });
    },
    told: ["PRODUCT_CHANGE notes.pro.monthly to notes.pro.annual", "RENEWAL NORMAL 79.99"],
  },
  "another product at once, in Google Play": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes_pro:monthly" });
      await sim.newEvents();
      await sim.act(id, "change_product", { product_id: "notes_pro:annual" });
    },
    told: ["PRODUCT_CHANGE notes_pro:monthly to notes_pro:annual", "INITIAL_PURCHASE NORMAL 79.99"],
  },
  "another product at the end of the period": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.annual" });
      await sim.newEvents();
      const change = { product_id: "notes.pro.monthly", when: "period_end" };
      await sim.act(id, "change_product", change);
      await sim.advance("P1Y");
    },
    told: ["PRODUCT_CHANGE notes.pro.annual to notes.pro.monthly", "RENEWAL NORMAL 9.99"],
  },
  "a one-time purchase and its refund": {
    async does(sim) {
      const { id } = await sim.purchase({ product_id: "notes.pro.lifetime" });
      await sim.post(`/purchases/${id}/refund`);
    },
    told: ["NON_RENEWING_PURCHASE NORMAL 199.99", "CANCELLATION CUSTOMER_SUPPORT -199.99"],
  },
  "a promotional grant that ends": {
    async does(sim, desk) {
      await grant(sim, desk, 2 * DAY);
      await sim.advance("P1W");
    },
    told: ["NON_RENEWING_PURCHASE PROMOTIONAL 0", "EXPIRATION UNSUBSCRIBE"],
  },
  "a promotional grant that is taken back": {
    async does(sim, desk) {
      await grant(sim, desk, 300 * DAY);
      await grant(sim, desk, 1000);
      await sim.advance("PT1M");
    },
    told: [
      "NON_RENEWING_PURCHASE PROMOTIONAL 0",
      "CANCELLATION DEVELOPER_INITIATED",
      "EXPIRATION DEVELOPER_INITIATED",
    ],
  },
  "an extension": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "extend", { by: "P1W" });
    },
    told: ["SUBSCRIPTION_EXTENDED"],
  },
  "an invoice that is paid later": {
    async does(sim) {
      await sim.subscribe({ product_id: "notes_web_monthly", paid: false });
      const [invoice] = await sim.rows("invoices");
      await sim.post(`/invoices/${invoice?.id}/pay`);
    },
    told: ["INVOICE_ISSUANCE", "INITIAL_PURCHASE NORMAL 9.99"],
  },
  "a higher price, and the customer's consent": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "raise_price", { price: 12.99 });
      await sim.act(id, "agree_to_price");
      await sim.advance("P1M");
    },
    told: [
      "PRICE_INCREASE_CONSENT_REQUIRED",
      "PRICE_INCREASE_CONSENT_APPROVED",
      "RENEWAL NORMAL 12.99",
    ],
  },
  "a higher price without consent": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.newEvents();
      await sim.act(id, "raise_price", { price: 12.99 });
      await sim.advance("P1M");
    },
    told: ["PRICE_INCREASE_CONSENT_REQUIRED", "EXPIRATION PRICE_INCREASE"],
  },
  "a store that cannot be reached, and is again": {
    async does(sim) {
      await sim.subscribe({ product_id: "notes.pro.monthly", verified: false });
      await sim.advance("PT1H");
      await sim.subscribe({ product_id: "notes.pro.monthly" });
    },
    told: ["TEMPORARY_ENTITLEMENT_GRANT", "INITIAL_PURCHASE NORMAL 9.99"],
  },
  "a store that cannot be reached for a day": {
    async does(sim) {
      await sim.subscribe({ product_id: "notes.pro.monthly", verified: false });
      await sim.advance("P2D");
    },
    told: ["TEMPORARY_ENTITLEMENT_GRANT", "EXPIRATION UNKNOWN"],
  },
  "changes of configuration and of customers": {
    async does(sim, desk) {
      const path = `/v2/projects/${desk.projectId}`;
      await sim.subscribe({ product_id: "notes_web_monthly" });
      await sim.newEvents();
      await desk.send("POST", `${path}/customers`, { id: "new" });
      await desk.send("POST", `${path}/entitlements/pro`, { display_name: "Everything" });
      await desk.send("DELETE", `${path}/customers/ada`);
    },
    told: [],
  },
};

/** Activities for the types that are left. */
const MORE: Record<string, Activity> = {
  "a transfer": {
    async does(sim, desk) {
      await sim.subscribe({ product_id: "notes.pro.monthly" });
      const path = `/v2/projects/${desk.projectId}/customers/ada/actions/transfer`;
      equal((await desk.send("POST", path, { target_customer_id: "grace" })).status, 200);
    },
    told: ["INITIAL_PURCHASE NORMAL 9.99", "TRANSFER"],
  },
  "a purchase that brings virtual currency, and its refund": {
    async does(sim, desk) {
      const { id } = await productNamed(desk, "notes.pro.lifetime");
      const product_grants = [{ product_ids: [id], amount: 100 }];
      const path = `/v2/projects/${desk.projectId}/virtual_currencies`;
      await desk.send("POST", path, { code: "GEM", name: "Gems", product_grants });
      const bought = await sim.purchase({ product_id: id, quantity: 2 });
      await sim.post(`/purchases/${bought.id}/refund`);
    },
    told: [
      "NON_RENEWING_PURCHASE NORMAL 399.98",
      "VIRTUAL_CURRENCY_TRANSACTION +200 GEM",
      "CANCELLATION CUSTOMER_SUPPORT -399.98",
      "VIRTUAL_CURRENCY_TRANSACTION -200 GEM",
    ],
  },
  "a subscription shared in a family": {
    async does(sim) {
      const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
      await sim.act(id, "family_share", { customer_id: "grace" });
      await sim.newEvents();
      await sim.advance("P1M");
      await sim.act(id, "expire");
    },
    told: [
      "RENEWAL NORMAL 9.99",
      "RENEWAL NORMAL 0 shared",
      "EXPIRATION UNKNOWN",
      "EXPIRATION UNKNOWN shared",
    ],
  },
};

/** All activities, by name. */
export const ACTIVITIES: Readonly<Record<string, Activity>> = { ...ONE, ...MORE };

/** A simulator with a standing clock and without a past. */
export async function frozen(desk: Desk): Promise<Simulation> {
  const sim = simulate(desk);
  await sim.post("/clock/freeze");
  await sim.newEvents();
  return sim;
}

/** Grants Ada the entitlement `pro` for a while. */
async function grant(sim: Simulation, desk: Desk, ms: number): Promise<void> {
  const body = { entitlement_id: "pro", expires_at: await sim.now() + ms };
  const path = `/v2/projects/${desk.projectId}/customers/ada/actions/grant_entitlement`;
  equal((await desk.send("POST", path, body)).status, 201);
}
