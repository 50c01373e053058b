/**
 * The headline numbers of a project.
 *
 * @module
 */

import type { MetricsOverview, OverviewMetric } from "../../resources/metrics.ts";
import { DAY_MS, dayOf } from "../domain/calendar.ts";
import { convert, fromMicros } from "../domain/money.ts";
import type { Call } from "../contract/route.ts";
import { readFigures } from "./chart.ts";
import { environment } from "./dimensions.ts";
import { amountOf, customers, level, moved, type Quantity, sumsIn } from "./sums.ts";

/** The definition of a number. */
interface Metric extends Pick<OverviewMetric, "id" | "name" | "description" | "unit" | "period"> {
  /** The quantity. Sums of money are micros of US dollars. */
  value: Quantity;
  /** The divisor, for a share; 0 divided by 0 is 0. */
  per?: Quantity;
}

const now = { period: "P0D" };
const recently = { period: "P28D" };

/**
 * The numbers.
 *
 * Gap: only production purchases count. The last 28 days are UTC days including today, so a chart
 * without dates has the same sum.
 */
const METRICS: readonly Metric[] = [
  {
    ...now,
    id: "active_trials",
    name: "Active Trials",
    description: "In total",
    unit: "#",
    value: level("trials_delta"),
  },
  {
    ...now,
    id: "active_subscriptions",
    name: "Active Subscriptions",
    description: "In total",
    unit: "#",
    value: level("actives_delta"),
  },
  {
    ...recently,
    id: "mrr",
    name: "MRR",
    description: "Monthly recurring revenue",
    unit: "$",
    value: level("mrr_delta_micros"),
  },
  {
    ...recently,
    id: "revenue",
    name: "Revenue",
    description: "Last 28 days",
    unit: "$",
    value: moved("money"),
  },
  {
    ...recently,
    id: "new_customers",
    name: "New Customers",
    description: "Last 28 days",
    unit: "#",
    value: customers("new"),
  },
  {
    ...recently,
    id: "active_users",
    name: "Active Customers",
    description: "Last 28 days",
    unit: "#",
    value: customers("active"),
  },
  {
    ...now,
    id: "lifetime_revenue",
    name: "Lifetime Revenue",
    description: "Since the beginning",
    unit: "$",
    value: level("money"),
  },
  {
    ...recently,
    id: "conversion",
    name: "Conversion",
    description: "New customers of the last 28 days who have paid",
    unit: "%",
    value: customers("paying"),
    per: customers("new"),
  },
];

const DAYS = 28;

/** Computes the headline numbers in a currency. */
export async function computeOverview(
  call: Pick<Call, "tx" | "project" | "now">,
  currency: string,
): Promise<MetricsOverview> {
  const { tx, project } = call;
  const ends = dayOf(call.now) + DAY_MS;
  const periods = [{ starts: ends - DAYS * DAY_MS, ends }];
  const filters = new Map([[environment, ["production"]]]);
  const figures = await readFigures(
    {
      tx,
      project,
      periods,
      laterPeriods: periods,
      filters,
      segment: undefined,
      revenue: "revenue",
    },
    sumsIn(METRICS.flatMap(({ value, per = [] }) => [value, per])),
  );
  const series = figures.get("") ?? new Map();
  const amount = (quantity: Quantity) => amountOf(quantity, series, [0]);
  return {
    object: "overview_metrics",
    metrics: METRICS.map((metric) => showMetric(metric, amount, currency, call.now)),
  };
}

/** A number as the API shows it. */
function showMetric(
  { value, per, ...rest }: Metric,
  amount: (quantity: Quantity) => number,
  currency: string,
  at: number,
): OverviewMetric {
  const { id, name, description, unit, period } = rest;
  const whole = per ? amount(per) : 1;
  const part = amount(value);
  return {
    object: "overview_metric",
    id,
    name,
    description,
    unit,
    period,
    value: unit === "$"
      ? fromMicros(convert(part, "USD", currency))
      : unit === "%"
      ? whole === 0 ? 0 : part / whole * 100
      : part,
    last_updated_at: at,
    last_updated_at_iso8601: new Date(at).toISOString().replace("T", " ")
      .replace("Z", "000+00:00"),
  };
}
