/**
 * All routes, on one page.
 *
 * @module
 */

import type { Operation, Route } from "../contract/route.ts";
import { sdkRoutes } from "../sdk/routes.ts";
import { appRoutes } from "./apps.ts";
import { assignedOfferingRoutes } from "./assigned_offerings.ts";
import { attributeRoutes } from "./attributes.ts";
import { auditLogRoutes } from "./audit_logs.ts";
import { balanceRoutes } from "./balances.ts";
import { chartRoutes } from "./charts.ts";
import { collaboratorRoutes } from "./collaborators.ts";
import { customerRoutes } from "./customers.ts";
import { entitlementRoutes } from "./entitlements.ts";
import { grantRoutes } from "./grants.ts";
import { holdingRoutes } from "./holdings.ts";
import { invoiceFileRoutes } from "./invoice_files.ts";
import { invoiceRoutes } from "./invoices.ts";
import { metricsRoutes } from "./metrics.ts";
import { offeringRoutes } from "./offerings.ts";
import { packageRoutes } from "./packages.ts";
import { paywallRoutes } from "./paywalls.ts";
import { productRoutes } from "./products.ts";
import { projectRoutes } from "./projects.ts";
import { purchaseRoutes } from "./purchases.ts";
import { storePushRoutes } from "./store_push.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import { transactionRoutes } from "./transactions.ts";
import { transferRoutes } from "./transfer.ts";
import { virtualCurrencyRoutes } from "./virtual_currencies.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Every route of the management API. */
export const routes: readonly Route[] = [
  ...projectRoutes,
  ...appRoutes,
  ...collaboratorRoutes,
  ...entitlementRoutes,
  ...offeringRoutes,
  ...packageRoutes,
  ...productRoutes,
  ...storePushRoutes,
  ...paywallRoutes,
  ...virtualCurrencyRoutes,
  ...webhookRoutes,
  ...customerRoutes,
  ...attributeRoutes,
  ...holdingRoutes,
  ...grantRoutes,
  ...transferRoutes,
  ...assignedOfferingRoutes,
  ...subscriptionRoutes,
  ...transactionRoutes,
  ...purchaseRoutes,
  ...invoiceRoutes,
  ...invoiceFileRoutes,
  ...metricsRoutes,
  ...chartRoutes,
  ...auditLogRoutes,
];

/** Routes that only the public dialect has. */
export const publicRoutes: readonly Route[] = balanceRoutes;

/** All operations of the service. */
export const operations: readonly Operation[] = [...routes, ...sdkRoutes];
