/**
 * A request to each operation of the simulator. Each must succeed.
 *
 * @module
 */

import * as catalogue from "../../lib/simulator/catalogue.ts";
import * as clock from "../../lib/simulator/clock.ts";
import * as customers from "../../lib/simulator/customers.ts";
import * as deliveries from "../../lib/simulator/deliveries.ts";
import * as events from "../../lib/simulator/events.ts";
import * as faults from "../../lib/simulator/faults.ts";
import * as history from "../../lib/simulator/history.ts";
import * as listeners from "../../lib/simulator/listeners.ts";
import * as population from "../../lib/simulator/population.ts";
import * as purchases from "../../lib/simulator/purchases.ts";
import * as service from "../../lib/simulator/service.ts";
import * as subscriptions from "../../lib/simulator/subscriptions.ts";
import * as webhooks from "../../lib/simulator/webhooks.ts";
import { BUYER, NOBODY, SPARE, SPARE_CURRENCY, type Stock } from "./every_operation_stock.ts";

/** Sends those that change subscriptions and purchases. */
export async function requestSales({ simulator, ids }: Stock): Promise<void> {
  await subscriptions.renewSubscription(simulator, ids.apple);
  await subscriptions.cancelSubscription(simulator, ids.apple);
  await subscriptions.uncancelSubscription(simulator, ids.apple);
  await subscriptions.extendSubscription(simulator, ids.apple, { by: "P1D" });
  await subscriptions.raisePrice(simulator, ids.apple, { price: 99 });
  await subscriptions.agreeToPrice(simulator, ids.apple);
  await subscriptions.shareSubscription(simulator, ids.apple, { customer_id: "debtor" });
  const change = { product_id: "notes.pro.annual", when: "period_end" } as const;
  await subscriptions.changeProduct(simulator, ids.apple, change);
  await subscriptions.refundSubscription(simulator, ids.apple);
  await subscriptions.reverseSubscriptionRefund(simulator, ids.apple);
  await subscriptions.expireSubscription(simulator, ids.apple);
  await subscriptions.failCharge(simulator, ids.google);
  await subscriptions.recoverCharge(simulator, ids.google);
  await subscriptions.pauseSubscription(simulator, ids.google, { for: "P1M" });
  await subscriptions.resumeSubscription(simulator, ids.google);
  const sale = { customer_id: BUYER, product_id: "kept", price: 1 };
  await purchases.buyProduct(simulator, sale);
  const paid = { product_id: "notes.pro.monthly", duration: "P1M" };
  await purchases.printReceipt(simulator, { ...sale, ...paid });
  await purchases.refundPurchase(simulator, ids.purchase);
  await purchases.reversePurchaseRefund(simulator, ids.purchase);
  await purchases.payInvoice(simulator, ids.debt);
}

/** Sends those about customers and the catalogue. */
export async function requestOfProject({ simulator, ids }: Stock): Promise<void> {
  await catalogue.createTestStoreApp(simulator, { name: "Again" });
  await catalogue.setProductPrice(simulator, ids.product, { price: 3 });
  await catalogue.changeSettings(simulator, { refund_window_days: 30 });
  await customers.listBalances(simulator, BUYER);
  const adjustments = { [SPARE_CURRENCY.code]: -1 };
  await customers.changeBalances(simulator, BUYER, { adjustments });
  await customers.signInCustomer(simulator, NOBODY, { alias: "alias" });
  await history.getCustomerHistory(simulator, BUYER);
}

/** Sends those about events and their ways out. */
export async function requestEvents({ simulator, ids }: Stock): Promise<void> {
  await webhooks.pingWebhook(simulator, ids.webhook);
  await webhooks.rotateWebhookSecret(simulator, ids.webhook);
  await webhooks.addDeliveryFaults(simulator, ids.webhook, { fault: "duplicate", count: 1 });
  await webhooks.listDeliveryFaults(simulator);
  await webhooks.clearWebhookFaults(simulator, ids.webhook);
  await webhooks.clearDeliveryFaults(simulator);
  await deliveries.listWebhookDeliveries(simulator, ids.webhook);
  await deliveries.getDelivery(simulator, ids.delivery);
  await deliveries.listDeliveryAttempts(simulator, ids.delivery);
  await events.listEvents(simulator);
  await events.getEvent(simulator, ids.event);
  await events.listEventDeliveries(simulator, ids.event);
  await events.resendEvent(simulator, ids.event);
  await events.recoverEvents(simulator, { since: Date.now() - 60_000 });
  await events.triggerEvent(simulator, { type: "renewal" });
  await listeners.listListeners(simulator);
  await listeners.getListenerSecret(simulator, SPARE);
  await listeners.rotateListenerSecret(simulator, SPARE);
  const { items: [event] } = await listeners.pullEvents(simulator, SPARE);
  await listeners.acknowledgeEvent(simulator, SPARE, { event_id: event?.id ?? "" });
  await listeners.deleteListener(simulator, SPARE);
  await listeners.openListener(simulator, SPARE);
}

/** Sends those that let time pass. */
export async function requestTime({ simulator }: Stock): Promise<void> {
  const { now } = await clock.freezeClock(simulator);
  await clock.getClock(simulator);
  await clock.previewAdvance(simulator, { by: "P1D" });
  await clock.advanceClock(simulator, { by: "P1D" });
  const start = await clock.startAdvance(simulator, { by: "P1D" });
  await clock.getArrival(simulator, start);
  await clock.getClockProgress(simulator);
  await clock.cancelAdvance(simulator);
  await clock.runClock(simulator);
  await population.previewPopulation(simulator);
  const small = { customers: 1, months: 1, seed: 1, confirmed: true };
  await population.startPopulation(simulator, small);
  await population.getPopulation(simulator);
  await population.cancelPopulation(simulator);
  await service.listProgress(simulator.client);
  await service.beginProject(simulator.client, { name: "Begun", now });
}

/** Sends those for the service as a whole. */
export async function requestOfService({ simulator: { client, project } }: Stock): Promise<void> {
  await service.issueTokens(client);
  const email = "new@example.com";
  await service.createAccount(client, { email, project_id: project, role: "read_only" });
  await service.listAccounts(client);
  await service.createPasswordLink(client, email);
  await service.deleteAccount(client, email);
  await service.registerClient(client, { id: "new", redirect_uris: ["https://example.com/new"] });
  await service.listClients(client);
  await service.deleteClient(client, "new");
  await faults.addRequestFault(client, { path: "/v2/nowhere", status: 500 });
  await faults.listRequestFaults(client);
  await faults.clearRequestFaults(client);
}
