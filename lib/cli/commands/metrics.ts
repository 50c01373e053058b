/**
 * `cli metrics …`
 *
 * @module
 */

import { showOne } from "../words/plain.ts";
import { getMetricsOverview, type OverviewMetric } from "../../resources/metrics.ts";
import { fractionDigits } from "../screen/amount.ts";
import { code, command, group } from "../words/command.ts";
import type { Column } from "../screen/output.ts";

const overview = command({
  brief: "Show the headline numbers",
  examples: ["cli metrics overview --currency EUR"],
  flags: { currency: code("The currency of amounts (default: USD)") },
  async run(context, { currency }) {
    const client = await context.client();
    const query = currency === undefined ? {} : { currency };
    const answer = await getMetricsOverview(client, query);
    const { out } = context;
    if (out.format === "json") return showOne(context, answer, "metrics");
    // The specification leaves the form open: unknown metrics are shown by their keys.
    if (!Array.isArray(answer.metrics)) return showOne(context, answer);
    out.table(answer.metrics, columnsIn(currency ?? "USD"));
  },
});

/** The headline numbers. */
export const metrics = group("The headline numbers", [], { overview });

function columnsIn(currency: string): Column<OverviewMetric>[] {
  return [
    { header: "metric", value: ({ name }) => name },
    { header: "value", value: (metric) => valueText(metric, currency), kind: "number" },
    { header: "period", value: ({ period }) => periodText(period) },
    { header: "about", value: ({ description }) => description, spare: true },
  ];
}

/** A number with its unit, rounded: the JSON has all digits. */
function valueText({ value, unit }: OverviewMetric, currency: string): string | undefined {
  if (typeof value !== "number") return undefined;
  if (unit === "$") return `${value.toFixed(Math.min(2, fractionDigits(currency)))} ${currency}`;
  return unit === "%" ? `${value.toFixed(2)} %` : String(value);
}

/** The time span of a number, in words. */
function periodText(period: string | null | undefined): string | null | undefined {
  const days = /^P(\d+)D$/.exec(period ?? "")?.[1];
  if (days === undefined) return period;
  return days === "0" ? "now" : `${days} days`;
}
