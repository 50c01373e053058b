/**
 * `cli charts …`
 *
 * @module
 */

import { showOne } from "../words/plain.ts";
import { ApiError, UsageError } from "../../errors.ts";
import {
  type Chart,
  CHART_NAMES,
  type ChartQuery,
  getChart,
  getChartOptions,
} from "../../resources/charts.ts";
import { drawChart } from "../charts/picture.ts";
import { chartColumns, chartRows } from "../charts/table.ts";
import { viewChart } from "../charts/view.ts";
import {
  argument,
  choice,
  code,
  command,
  group,
  parsed,
  text,
  texts,
  toggle,
} from "../words/command.ts";
import type { Context } from "../context.ts";
import { checkDateRange, parseDate, parsePairs } from "../input/input.ts";
import { choiceColumns, choicesIn, PERIODS } from "./charts/choices.ts";
import { checkAnswer, filterQuery, readFilters, withTaggedApps } from "./charts/filters.ts";

const NAME = argument(`The chart's name: ${CHART_NAMES.join(", ")}`);

const get = command({
  brief: "Show a chart",
  details:
    "On a terminal a picture follows the numbers. Days are in UTC, and periods are complete. " +
    "Without days a chart shows the last 28 days, 12 weeks or 12 months. Repeat a filter to " +
    "let several values through. --filter app_id means the apps tagged in cli.toml. The payments " +
    "of deleted customers stay in charts of revenue and subscriptions, and leave those that count " +
    "customers: cohorts, conversion, lifetime value.",
  examples: [
    "cli charts get revenue --period month",
    "cli charts get mrr --start 2026-01-01 --end 2026-03-31 --segment store",
    "cli charts get churn --filter store=app_store --filter country=DE",
  ],
  args: { chart_name: NAME },
  flags: {
    filter: texts("A filter; repeat it for more", { placeholder: "key=value" }),
    start: parsed("The first day", (day) => parseDate(day, "--start"), {
      placeholder: "YYYY-MM-DD",
    }),
    end: parsed("The last day", (day) => parseDate(day, "--end"), { placeholder: "YYYY-MM-DD" }),
    period: choice("The length of a period (default: day)", PERIODS),
    segment: text("Split the numbers by a segment, such as store", { placeholder: "key" }),
    currency: code("The currency of amounts (default: USD)"),
    selector: texts("A selector, such as revenue_type=proceeds", { placeholder: "key=value" }),
    plot: toggle("Draw a picture (default: on a terminal)", { on: true }),
  },
  params: { start_date: "--start (start_date)", end_date: "--end (end_date)" },
  async run(context, input) {
    checkDateRange(input.start, input.end);
    const { start: start_date, end: end_date, period, segment, currency } = input;
    const selectors = Object.fromEntries(parsePairs(input.selector, "--selector"));
    const client = await context.client();
    const filters = readFilters(await withTaggedApps(context, client, input.filter));
    const query: ChartQuery = {
      ...filterQuery(filters),
      ...start_date !== undefined && { start_date },
      ...end_date !== undefined && { end_date },
      ...period !== undefined && { period, resolution: period },
      ...segment !== undefined && { segment },
      ...currency !== undefined && { currency },
      ...input.selector.length > 0 && { selectors: JSON.stringify(selectors) },
    };
    const name = input.chart_name;
    const chart = await knownChart(name, () => getChart(client, name, query));
    await checkAnswer(client, chart, { name, filters, period, segment, currency, selectors });
    showChart(context, chart, input.plot);
  },
});

const options = command({
  brief: "Show a chart's periods, segments, filters and selectors",
  args: { chart_name: NAME },
  async run(context, { chart_name }) {
    const client = await context.client();
    const answer = await knownChart(chart_name, () => getChartOptions(client, chart_name));
    const { out } = context;
    if (out.format === "json") return showOne(context, answer);
    out.table(choicesIn(answer), choiceColumns);
  },
});

/** Charts: series of numbers over time. */
export const charts = group("Charts: numbers over time", [], { get, options });

/** Shows a chart: a table and a picture, or the service's own JSON. */
function showChart(context: Context, chart: Chart, plot: boolean | undefined): void {
  const { out } = context;
  if (out.format === "json") return showOne(context, chart, "values");
  const view = viewChart(chart);
  out.table(chartRows(view), chartColumns(view), { empty: "The chart is empty." });
  if (plot === false) return;
  out.picture((canvas) => drawChart(view, canvas), { always: plot === true });
}

/** Requests a chart. If there is none of that name, it lists the existing ones. */
async function knownChart<T>(name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const unknown = error instanceof ApiError &&
      (error.param === "chart_name" || error.status === 404);
    if (!unknown || isKnown(name)) throw error;
    throw new UsageError(`Cannot show the chart ${JSON.stringify(name)}: there is no such chart`, {
      hint: `The charts are: ${CHART_NAMES.join(", ")}.`,
      cause: error,
    });
  }
}

function isKnown(name: string): boolean {
  return CHART_NAMES.some((known) => known === name);
}
