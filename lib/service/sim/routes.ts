/**
 * All routes of the simulator that belong to a project, on one page.
 *
 * @module
 */

import { balanceRoutes } from "./balances.ts";
import { catalogueRoutes } from "./catalogue.ts";
import { clockRoutes } from "./clock.ts";
import { customerRoutes } from "./customers.ts";
import { deliveryRoutes } from "./events/deliveries.ts";
import { eventRoutes } from "./events/events.ts";
import { listenerRoutes } from "./events/listeners.ts";
import { purchaseRoutes } from "./purchases.ts";
import type { SimRoute } from "./route.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import { triggerRoutes } from "./trigger/trigger.ts";
import { webhookRoutes } from "./events/webhooks.ts";

/** Every route below `/_sim/projects/{project_id}`. */
export const simRoutes: readonly SimRoute[] = [
  ...clockRoutes,
  ...purchaseRoutes,
  ...subscriptionRoutes,
  ...customerRoutes,
  ...balanceRoutes,
  ...catalogueRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...webhookRoutes,
  ...listenerRoutes,
  ...triggerRoutes,
];
