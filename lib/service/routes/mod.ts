/**
 * All routes under `/v2`, on one page.
 *
 * @module
 */

import type { Route } from "../route.ts";
import { appRoutes } from "./apps.ts";
import { auditLogRoutes } from "./audit_logs.ts";
import { collaboratorRoutes } from "./collaborators.ts";
import { entitlementRoutes } from "./entitlements.ts";
import { offeringRoutes } from "./offerings.ts";
import { packageRoutes } from "./packages.ts";
import { paywallRoutes } from "./paywalls.ts";
import { productRoutes } from "./products.ts";
import { projectRoutes } from "./projects.ts";
import { storePushRoutes } from "./store_push.ts";
import { virtualCurrencyRoutes } from "./virtual_currencies.ts";

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
  ...auditLogRoutes,
];
