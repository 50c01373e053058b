/**
 * Charts: series of numbers over time.
 *
 * @example Revenue by month
 * ```ts ignore
 * import { connect, getChart } from "../../mod.ts";
 *
 * const client = await connect();
 * const chart = await getChart(client, "revenue", { period: "month", start_date: "2026-01-01" });
 * for (const { cohort, value } of chart.values) console.log(new Date(cohort * 1000), value);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";

/** The names of the charts that every project has. */
export const CHART_NAMES = [
  "actives",
  "actives_movement",
  "actives_new",
  "arr",
  "churn",
  "cohort_explorer",
  "conversion_to_paying",
  "customers_active",
  "customers_new",
  "ltv_per_customer",
  "ltv_per_paying_customer",
  "mrr",
  "mrr_movement",
  "refund_rate",
  "revenue",
  "subscription_retention",
  "subscription_status",
  "trial_conversion_rate",
  "trials",
  "trials_movement",
  "trials_new",
] as const;

/** The name of a chart. */
export type ChartName = typeof CHART_NAMES[number] | (string & Record<never, never>);

/** A chart's data. */
export interface Chart {
  /** Always `chart_data`. */
  object: "chart_data";
  /** The chart's group, such as `revenue`. */
  category: string;
  /** The recommended kind of drawing. */
  display_type: string;
  /** Its display name. */
  display_name: string;
  /** The description. */
  description: string;
  /** The address of its documentation, or null. */
  documentation_link: string | null;
  /** When it was computed, or null. */
  last_computed_at: number | null;
  /** The start of the first period, in seconds since 1970. */
  start_date: number | null;
  /** The start of the last period, in seconds since 1970. */
  end_date: number | null;
  /** The currency of amounts, ISO 4217. */
  yaxis_currency: string;
  /** The filters in force, as requested. Other services may omit this. */
  filters?: ChartFilter[];
  /** Whether filters are accepted. */
  filtering_allowed: boolean;
  /** Whether a segment is accepted. */
  segmenting_allowed: boolean;
  /** The length of a period. */
  resolution: "day" | "week" | "month" | "quarter" | "year" | (string & Record<never, never>);
  /** The numbers. */
  values: ChartValue[];
  /** Sums or averages over all periods, by kind and measure, or null. */
  summary: Record<string, Record<string, number>> | null;
  /** The unit of the y axis: `$`, `#` or `%`. */
  yaxis: string;
  /** The segments; the first one is the total. Null without a segment. */
  segments: ChartSegment[] | null;
  /** The most segments that are shown, or null. */
  segments_limit: number | null;
  /** The measures, in the order of the `measure` indexes. */
  measures: ChartMeasure[] | null;
  /** The selectors in force. */
  user_selectors: Record<string, string> | null;
  /** The parts of the request that could not be applied, or null. */
  unsupported_params: Record<string, unknown> | null;
}

/** A filter of a chart's numbers: only those with one of these values. */
export interface ChartFilter {
  /** The filter's name, such as `store`. */
  name: string;
  /** The values. */
  values: string[];
}

/** The query of a chart's options. */
export interface ChartOptionsQuery {
  /** Whether to request current numbers, for services that also have older ones. */
  realtime?: boolean;
}

/** One number of a chart. */
export interface ChartValue {
  /** The start of the period, in seconds since 1970, UTC. */
  cohort: number;
  /** Whether the period is incomplete. */
  incomplete: boolean;
  /** The index of its measure in `measures`. */
  measure: number;
  /** The number; money in major units. */
  value: number;
  /** The index of its segment in `segments`. */
  segment?: number;
}

/** One segment of a chart. */
export interface ChartSegment {
  /** Its identifier. */
  id: string;
  /** Its display name. */
  display_name: string;
  /** Whether it is the sum of all others. */
  is_total: boolean;
  /** Whether to draw it. */
  chartable: boolean;
}

/** One measure of a chart. */
export interface ChartMeasure {
  /** Its display name. */
  display_name: string;
  /** Its description. */
  description: string;
  /** `$`, `#` or `%`. */
  unit: string;
  /** Digits after the decimal point. */
  decimal_precision: number;
  /** Whether to draw it. */
  chartable: boolean;
  /** Whether to list it. */
  tabulable: boolean;
}

/** The query of a chart. Any other name is a filter; an array matches any of its values. */
export interface ChartQuery {
  /** The first day, `YYYY-MM-DD`, UTC. */
  start_date?: string;
  /** The last day, `YYYY-MM-DD`, UTC. */
  end_date?: string;
  /** The length of a period. */
  period?: "day" | "week" | "month" | (string & Record<never, never>);
  /** The currency of amounts, ISO 4217. Default `USD`. */
  currency?: string;
  /** The segment to split the numbers by, such as `store`. */
  segment?: string;
  /** A filter, such as `store`. */
  [filter: string]: string | string[] | undefined;
}

/** The available options of a chart. */
export interface ChartOptions {
  /** Always `chart_options`. */
  object: "chart_options";
  /** Lengths of a period. */
  resolutions: ChartChoice[];
  /** The available segments. */
  segments: ChartSegmentOption[];
  /** The available filters. */
  filters: ChartFilterOption[];
  /** Selectors by name. */
  user_selectors: Record<string, ChartSelector>;
}

/** One choice. */
export interface ChartChoice {
  /** Its identifier. */
  id: string;
  /** Its display name. */
  display_name: string;
}

/** A segment of a chart. */
export interface ChartSegmentOption extends ChartChoice {
  /** Always `chart_segment_option`. */
  object: "chart_segment_option";
  /** The group to show it in, or null. */
  group_display_name: string | null;
}

/** A filter of a chart. */
export interface ChartFilterOption extends ChartChoice {
  /** Always `chart_filter_option`. */
  object: "chart_filter_option";
  /** The group to show it in, or null. */
  group_display_name: string | null;
  /** The accepted values. */
  options: ChartChoice[];
}

/** A selector of a chart. */
export interface ChartSelector {
  /** The default choice. */
  default: string;
  /** Its display name. */
  display_name: string;
  /** The choices. */
  options: ChartChoice[];
}

/** Reads a chart. `GET /charts/{name}` */
export function getChart(client: Client, name: ChartName, query?: ChartQuery): Promise<Chart> {
  return client.get(path`/charts/${name}`, { query });
}

/** Lists a chart's filters and segments. `GET /charts/{name}/options` */
export function getChartOptions(
  client: Client,
  name: ChartName,
  query?: ChartOptionsQuery,
): Promise<ChartOptions> {
  return client.get(path`/charts/${name}/options`, { query });
}
