/**
 * All routes of the simulator, on one page.
 *
 * @module
 */

import { accountRoutes } from "./accounts.ts";
import { balanceRoutes } from "./balances.ts";
import { catalogueRoutes } from "./catalogue.ts";
import { clientRoutes } from "./clients.ts";
import { clockRoutes } from "./clock.ts";
import { customerRoutes } from "./customers.ts";
import { deliveryRoutes } from "./events/deliveries.ts";
import { documentRoutes } from "./document.ts";
import { eventRoutes } from "./events/events.ts";
import { historyRoutes } from "./history/history.ts";
import { listenerRoutes } from "./events/listeners.ts";
import { faultRoutes } from "./fault_routes.ts";
import { populationRoutes, previewRoute } from "./people/routes.ts";
import { progressRoutes } from "./progress.ts";
import { simProjectRoutes } from "./projects.ts";
import { purchaseRoutes } from "./purchases.ts";
import { receiptRoutes } from "./receipts.ts";
import type { AdminRoute, SimRoute } from "./route.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import { tokenRoutes } from "./tokens.ts";
import { triggerRoutes } from "./trigger/trigger.ts";
import { webhookRoutes } from "./events/webhooks.ts";

/** Every route below `/_sim/projects/{project_id}`. */
export const simRoutes: readonly SimRoute[] = [
  ...clockRoutes,
  ...purchaseRoutes,
  ...receiptRoutes,
  ...subscriptionRoutes,
  ...customerRoutes,
  ...historyRoutes,
  ...balanceRoutes,
  ...catalogueRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...webhookRoutes,
  ...listenerRoutes,
  ...triggerRoutes,
  previewRoute,
];

/** Every route below `/_sim` outside of projects. */
export const adminRoutes: readonly AdminRoute[] = [
  ...simProjectRoutes,
  ...tokenRoutes,
  ...accountRoutes,
  ...clientRoutes,
  ...progressRoutes,
  ...populationRoutes,
  ...faultRoutes,
  ...documentRoutes,
];
