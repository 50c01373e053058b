/**
 * All routes for apps, on one page.
 *
 * @module
 */

import type { SdkRoute } from "../contract/sdk.ts";
import { appRoutes } from "./apps.ts";
import { attributeRoutes } from "./attributes.ts";
import { currencyRoutes } from "./currencies.ts";
import { getSdkOfferings } from "./offerings.ts";
import { productRoutes } from "./products.ts";
import { receiptRoutes } from "./receipts.ts";
import { subscriberRoutes } from "./subscribers.ts";

/** Every route for apps. */
export const sdkRoutes: readonly SdkRoute[] = [
  getSdkOfferings,
  ...subscriberRoutes,
  ...attributeRoutes,
  ...currencyRoutes,
  ...receiptRoutes,
  ...productRoutes,
  ...appRoutes,
];
