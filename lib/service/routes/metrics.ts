/**
 * The headline numbers.
 *
 * @module
 */

import { z } from "zod";
import type { MetricsOverview } from "../../resources/metrics.ts";
import { computeOverview } from "../reports/overview.ts";
import { currency } from "../reports/request.ts";
import { route } from "../contract/route.ts";
import { component, millis } from "../contract/schemas.ts";

const overviewSchema: z.ZodType<MetricsOverview> = component(
  "MetricsOverview",
  z.object({
    object: z.literal("overview_metrics"),
    metrics: z.array(z.object({
      object: z.literal("overview_metric"),
      id: z.string(),
      name: z.string(),
      description: z.string(),
      unit: z.enum(["#", "$", "%"]),
      period: z.enum(["P0D", "P28D"]),
      value: z.number(),
      last_updated_at: millis.nullable(),
      last_updated_at_iso8601: z.string().nullable(),
    })),
  }),
);

const getMetricsOverview = route({
  name: "getMetricsOverview",
  summary: "Reads the overview metrics.",
  method: "GET",
  path: "/metrics/overview",
  scope: "charts_metrics:overview:read",
  query: z.object({ currency }),
  response: overviewSchema,
}, (call) => computeOverview(call, call.query.currency));

/** The routes of the headline numbers. */
export const metricsRoutes = [getMetricsOverview];
