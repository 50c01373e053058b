/**
 * What a step can do: the fields of each deed, and the function of the library that does it, the same
 * as in `cli simulate`.
 *
 * @module
 */

import type { Deed } from "./deed.ts";
import { customerDeeds } from "./customers.ts";
import { faultDeeds } from "./faults.ts";
import { subscriptionDeeds } from "./subscriptions.ts";
import { purchase } from "./purchase.ts";

/** All deeds, by their names in a file. Moving the clock is no deed: the run does that itself. */
export const DEEDS: Readonly<Record<string, Deed>> = {
  purchase,
  ...subscriptionDeeds,
  ...customerDeeds,
  ...faultDeeds,
};
