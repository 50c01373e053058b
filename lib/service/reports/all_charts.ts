/**
 * All charts.
 *
 * @module
 */

import { customerCharts } from "./customer_charts.ts";
import type { Definition } from "./definition.ts";
import { moneyCharts } from "./money_charts.ts";
import { subscriptionCharts } from "./subscription_charts.ts";

/** The charts by name. */
export const CHARTS: ReadonlyMap<string, Definition> = new Map(
  [...subscriptionCharts, ...moneyCharts, ...customerCharts]
    .map((chart): [string, Definition] => [chart.name, chart])
    .sort(([a], [b]) => a < b ? -1 : 1),
);
