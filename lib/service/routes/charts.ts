/**
 * Charts and their options.
 *
 * @module
 */

import { z } from "zod";
import type { Chart, ChartOptions } from "../../resources/charts.ts";
import { invalid } from "../contract/errors.ts";
import { computeChart } from "../reports/chart.ts";
import type { Definition } from "../reports/definition.ts";
import { CHARTS } from "../reports/all_charts.ts";
import { chartOptions } from "../reports/options.ts";
import { RESOLUTIONS } from "../reports/periods.ts";
import { chartQuery, realtime } from "../reports/request.ts";
import { route } from "../contract/route.ts";
import { component, millis } from "../contract/schemas.ts";

const unit = z.enum(["#", "$", "%"]);

const chartSchema: z.ZodType<Chart> = component(
  "Chart",
  z.object({
    object: z.literal("chart_data"),
    category: z.string(),
    display_type: z.string(),
    display_name: z.string(),
    description: z.string(),
    documentation_link: z.string().nullable(),
    last_computed_at: millis.nullable(),
    start_date: z.int().nullable(),
    end_date: z.int().nullable(),
    yaxis_currency: z.string(),
    filters: z.array(z.object({ name: z.string(), values: z.array(z.string()) })).exactOptional(),
    filtering_allowed: z.boolean(),
    segmenting_allowed: z.boolean(),
    resolution: z.enum(RESOLUTIONS),
    values: z.array(z.object({
      cohort: z.int(),
      incomplete: z.boolean(),
      measure: z.int().min(0),
      value: z.number(),
      segment: z.int().min(0).exactOptional(),
    })),
    summary: z.record(z.string(), z.record(z.string(), z.number())).nullable(),
    yaxis: unit,
    segments: z.array(z.object({
      id: z.string(),
      display_name: z.string(),
      is_total: z.boolean(),
      chartable: z.boolean(),
    })).nullable(),
    segments_limit: z.int().nullable(),
    measures: z.array(z.object({
      display_name: z.string(),
      description: z.string(),
      unit,
      decimal_precision: z.int().min(0),
      chartable: z.boolean(),
      tabulable: z.boolean(),
    })).nullable(),
    user_selectors: z.record(z.string(), z.string()).nullable(),
    unsupported_params: z.record(z.string(), z.unknown()).nullable(),
  }),
);

const choice = z.object({ id: z.string(), display_name: z.string() });
const group_display_name = z.string().nullable();

const chartOptionsSchema: z.ZodType<ChartOptions> = component(
  "ChartOptions",
  z.object({
    object: z.literal("chart_options"),
    resolutions: z.array(choice),
    segments: z.array(choice.extend({
      object: z.literal("chart_segment_option"),
      group_display_name,
    })),
    filters: z.array(choice.extend({
      object: z.literal("chart_filter_option"),
      group_display_name,
      options: z.array(choice),
    })),
    user_selectors: z.record(
      z.string(),
      z.object({ default: z.string(), display_name: z.string(), options: z.array(choice) }),
    ),
  }),
);

const SCOPE = "charts_metrics:charts:read";

/** The names of all charts, for the document. */
const CHART_NAME = { enum: [...CHARTS.keys()] };

const getChart = route({
  name: "getChart",
  summary: "Reads a chart. Any other query parameter is a filter.",
  method: "GET",
  path: "/charts/{name}",
  pathSchemas: { name: CHART_NAME },
  scope: SCOPE,
  query: chartQuery,
  response: chartSchema,
}, (call) => computeChart(call, findChart(call.params.name)));

const getChartOptions = route({
  name: "getChartOptions",
  summary: "Lists a chart's filters and segments.",
  method: "GET",
  path: "/charts/{name}/options",
  pathSchemas: { name: CHART_NAME },
  scope: SCOPE,
  query: z.object({ realtime }),
  response: chartOptionsSchema,
}, (call) => chartOptions(call, findChart(call.params.name)));

/** The routes of charts. */
export const chartRoutes = [getChart, getChartOptions];

/** The chart of a name. An unknown name is an invalid parameter, as in the public API. */
function findChart(name: string): Definition {
  const found = CHARTS.get(name);
  if (found) return found;
  throw invalid("chart_name", `'chart_name' must be one of ${[...CHARTS.keys()].join(", ")}`);
}
