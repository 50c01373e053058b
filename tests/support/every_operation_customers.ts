/**
 * A request to each operation of customers and their purchases, by the project's team and by apps.
 * Each must succeed.
 *
 * @module
 */

import * as api from "../../mod.ts";
import { BUYER, NOBODY, SPARE, type Stock } from "./every_operation_stock.ts";

/** Sends those of the team. */
export async function requestCustomers(stock: Stock): Promise<void> {
  const { api: client, ids } = stock;
  await api.listCustomers(client);
  await api.getCustomer(client, SPARE);
  await api.setCustomerAttributes(client, SPARE, [{ name: "kind", value: null }]);
  await api.listCustomerAttributes(client, SPARE);
  await api.listActiveEntitlements(client, SPARE);
  await api.assignOffering(client, SPARE, { offering_id: "default" });
  const expires_at = Date.now() + 2e9;
  await api.grantEntitlement(client, SPARE, { entitlement_id: "pro", expires_at });
  await api.revokeGrantedEntitlement(client, SPARE, { entitlement_id: "pro" });
  await requestHoldings(stock);
  await api.transferCustomer(client, BUYER, { target_customer_id: "debtor" });
  await api.deleteCustomer(client, SPARE);
  await api.createCustomer(client, { id: SPARE });
  await api.getInvoice(client, ids.invoice);
}

async function requestHoldings({ api: client, ids }: Stock): Promise<void> {
  await api.listCustomerAliases(client, BUYER);
  await api.listCustomerInvoices(client, BUYER);
  await api.getInvoiceFile(client, BUYER, ids.invoice);
  await api.listCustomerPurchases(client, BUYER);
  await api.listCustomerSubscriptions(client, BUYER);
  const held = await api.getSubscription(client, ids.cancelled);
  await api.searchSubscriptions(client, held.store_subscription_identifier);
  await api.listSubscriptionEntitlements(client, ids.cancelled);
  await api.getManagementUrl(client, ids.cancelled);
  await api.cancelSubscription(client, ids.cancelled);
  await api.refundSubscription(client, ids.refunded);
  const { items: [payment] } = await api.listSubscriptionTransactions(client, ids.reversed);
  await api.refundTransaction(client, ids.reversed, payment?.id ?? "");
  const bought = await api.getPurchase(client, ids.webPurchase);
  await api.searchPurchases(client, bought.store_purchase_identifier);
  await api.listPurchaseEntitlements(client, ids.webPurchase);
  await api.refundPurchase(client, ids.webPurchase);
}

/** Sends those of apps with a public key. */
export async function requestOfApps({ sdk: { client }, token }: Stock): Promise<void> {
  const receipt = { app_user_id: BUYER, product_id: "annual", fetch_token: token };
  await api.postSdkReceipt(client, receipt);
  await api.getSdkSubscriber(client, BUYER);
  await api.getSdkOfferings(client, BUYER);
  await api.getSdkVirtualCurrencies(client, BUYER);
  const attributes = { kind: { value: "app", updated_at_ms: Date.now() } };
  await api.setSdkAttributes(client, BUYER, { attributes });
  await api.checkSdkIntroEligibility(client, BUYER, { product_identifiers: ["annual"] });
  await api.getSdkProductEntitlements(client);
  await api.listSdkProducts(client, BUYER, { id: ["annual"] });
  await api.getSdkBranding(client);
  await api.listSdkWorkflows(client, BUYER);
  await api.sendSdkEvents(client, { events: [] });
  await api.sendSdkDiagnostics(client, { entries: [] });
  await api.aliasSdkSubscriber(client, BUYER, { new_app_user_id: "other" });
  const identity = { app_user_id: NOBODY, new_app_user_id: SPARE };
  await api.identifySdkSubscriber(client, identity);
}
