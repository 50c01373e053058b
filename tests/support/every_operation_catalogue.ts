/**
 * A request to each operation of projects and what they sell. Each must succeed.
 *
 * @module
 */

import * as api from "../../mod.ts";
import {
  choiceOf,
  SPARE,
  SPARE_CURRENCY,
  SPARE_OBJECT,
  type Stock,
} from "./every_operation_stock.ts";

/** Sends them. Whatever is deleted is made again under its key, where it has one. */
export async function requestCatalogue(stock: Stock): Promise<void> {
  await requestProjects(stock);
  await requestApps(stock);
  await requestProducts(stock);
  await requestEntitlements(stock);
  await requestPackages(stock);
  await requestOfferings(stock);
  await requestCurrencies(stock);
  await requestWebhooks(stock);
}

async function requestProjects({ api: client, simulator: { project } }: Stock): Promise<void> {
  await api.listProjects(client);
  await api.getProject(client, project);
  await api.createProject(client, { name: "New" });
  await api.listCollaborators(client);
  await api.listAuditLogs(client);
  await api.getMetricsOverview(client);
  await api.getChart(client, "revenue");
  await api.getChartOptions(client, "revenue");
}

async function requestApps({ api: client, ids }: Stock): Promise<void> {
  await api.listApps(client);
  await api.getApp(client, ids.app);
  await api.listAppPublicKeys(client, ids.app);
  await api.getAppStoreKitConfig(client, ids.app);
  await api.updateApp(client, ids.app, { name: "Renamed" });
  await api.deleteApp(client, ids.spareApp);
  const amazon = { package_name: "com.example.spare" };
  await api.createApp(client, { name: "Spare", type: "amazon", amazon });
}

async function requestProducts({ api: client, ids }: Stock): Promise<void> {
  await api.listProducts(client);
  await api.getProduct(client, ids.spareProduct);
  await api.updateProduct(client, ids.spareProduct, { display_name: "Renamed" });
  await api.archiveProduct(client, ids.spareProduct);
  await api.unarchiveProduct(client, ids.spareProduct);
  await api.pushProductToStore(client, ids.product);
  await api.deleteProduct(client, ids.spareProduct);
  const again = { app_id: ids.app, store_identifier: SPARE, type: "consumable" } as const;
  await api.createProduct(client, again);
}

async function requestEntitlements({ api: client, ids }: Stock): Promise<void> {
  await api.listEntitlements(client);
  await api.getEntitlement(client, SPARE);
  await api.updateEntitlement(client, SPARE, { display_name: "Renamed" });
  await api.listEntitlementProducts(client, SPARE);
  await api.detachEntitlementProducts(client, SPARE, [ids.product]);
  await api.attachEntitlementProducts(client, SPARE, [ids.product]);
  await api.archiveEntitlement(client, SPARE);
  await api.unarchiveEntitlement(client, SPARE);
  await api.deleteEntitlement(client, SPARE);
  await api.createEntitlement(client, SPARE_OBJECT);
}

async function requestPackages({ api: client, ids }: Stock): Promise<void> {
  await api.listPackages(client, SPARE);
  await api.getPackage(client, ids.package);
  await api.updatePackage(client, ids.package, { display_name: "Renamed" });
  await api.listPackageProducts(client, ids.package);
  await api.detachPackageProducts(client, ids.package, [ids.product]);
  await api.attachPackageProducts(client, ids.package, [choiceOf(ids.product)]);
  await api.deletePackage(client, ids.package);
  await api.createPackage(client, { ...SPARE_OBJECT, offering_id: SPARE });
}

async function requestOfferings({ api: client, ids }: Stock): Promise<void> {
  await api.listPaywalls(client);
  await api.getPaywall(client, ids.paywall);
  await api.setOfferingPaywall(client, SPARE, { title: "Spare" });
  await api.deletePaywall(client, ids.paywall);
  await api.createPaywall(client, { offering_id: SPARE });
  await api.listOfferings(client);
  await api.getOffering(client, SPARE);
  await api.updateOffering(client, SPARE, { is_current: true });
  await api.updateOffering(client, "default", { is_current: true });
  await api.archiveOffering(client, SPARE);
  await api.unarchiveOffering(client, SPARE);
  await api.deleteOffering(client, SPARE);
  await api.createOffering(client, SPARE_OBJECT);
}

async function requestCurrencies({ api: client }: Stock): Promise<void> {
  const { code } = SPARE_CURRENCY;
  await api.listVirtualCurrencies(client);
  await api.getVirtualCurrency(client, code);
  await api.updateVirtualCurrency(client, code, { name: "Renamed" });
  await api.archiveVirtualCurrency(client, code);
  await api.unarchiveVirtualCurrency(client, code);
  await api.deleteVirtualCurrency(client, code);
  await api.createVirtualCurrency(client, SPARE_CURRENCY);
}

async function requestWebhooks({ api: client, ids }: Stock): Promise<void> {
  await api.listWebhooks(client);
  const { name, url } = await api.getWebhook(client, ids.webhook);
  await api.updateWebhook(client, ids.webhook, { name: "Renamed" });
  await api.deleteWebhook(client, ids.webhook);
  await api.createWebhook(client, { name, url, event_types: ["renewal"] });
}
