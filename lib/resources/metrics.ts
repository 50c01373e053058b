/**
 * The headline numbers of a project.
 *
 * @example Print them
 * ```ts ignore
 * import { connect, getMetricsOverview } from "../../mod.ts";
 *
 * const client = await connect();
 * const { metrics } = await getMetricsOverview(client);
 * for (const metric of metrics) console.log(metric.name, metric.value, metric.unit);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";

/** The headline numbers. */
export interface MetricsOverview {
  /** Always `overview_metrics`. */
  object: "overview_metrics";
  /** One entry per number. */
  metrics: OverviewMetric[];
}

/** One headline number. */
export interface OverviewMetric {
  /** Always `overview_metric`. */
  object: "overview_metric";
  /** Its identifier, such as `mrr`. */
  id: string;
  /** Its display name. */
  name: string;
  /** Its description. */
  description: string;
  /** `#` for a count, `$` for money in the chosen currency, `%` for a share. */
  unit: string;
  /** The time span, ISO 8601: `P0D` for now, `P28D` for the last 28 days. */
  period: string;
  /** The number; money in major units. */
  value: number;
  /** When it was last computed, in milliseconds since 1970, or null. */
  last_updated_at: number | null;
  /** The same time as text, or null. */
  last_updated_at_iso8601: string | null;
}

/** The query of the overview. */
export interface MetricsQuery {
  /** The currency of amounts, ISO 4217. Default `USD`. */
  currency?: string;
}

/** Reads the overview metrics. `GET /metrics/overview` */
export function getMetricsOverview(
  client: Client,
  query?: MetricsQuery,
): Promise<MetricsOverview> {
  return client.get(path`/metrics/overview`, { query });
}
