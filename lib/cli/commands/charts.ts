/**
 * `cli charts …`
 *
 * @module
 */

import type { Client } from "../../client.ts";
import { ApiError, UsageError } from "../../errors.ts";
import {
  type Chart,
  CHART_NAMES,
  type ChartOptions,
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
import type { Column } from "../screen/output.ts";
import { quoted } from "../words/place.ts";
import { showOne } from "../words/plain.ts";

const NAME = argument(`The chart's name: ${CHART_NAMES.join(", ")}`);

const PERIODS = ["day", "week", "month", "quarter", "year"] as const;

const get = command({
  brief: "Show a chart",
  details:
    "On a terminal the numbers are followed by a picture of them. Days are UTC, and periods " +
    "are whole. Without days a chart shows the last 28 days, 12 weeks or 12 months. A filter that " +
    "is given twice lets both values through.",
  examples: [
    "cli charts get revenue --period month",
    "cli charts get mrr --start 2026-01-01 --end 2026-03-31 --segment store",
    "cli charts get churn --filter store=app_store --filter country=DE",
  ],
  args: { chart_name: NAME },
  flags: {
    filter: texts("Count only this; repeat it for more", { placeholder: "key=value" }),
    start: parsed("The first day", (day) => parseDate(day, "--start"), {
      placeholder: "YYYY-MM-DD",
    }),
    end: parsed("The last day", (day) => parseDate(day, "--end"), { placeholder: "YYYY-MM-DD" }),
    period: choice("How long a period is (default: day)", PERIODS),
    segment: text("Split the numbers by this, such as store", { placeholder: "key" }),
    currency: code("The currency of amounts (default: USD)"),
    selector: texts("What to show, such as revenue_type=proceeds", { placeholder: "key=value" }),
    plot: toggle("Draw a picture (default: on a terminal)", { on: true }),
  },
  async run(context, input) {
    checkDateRange(input.start, input.end);
    const { start: start_date, end: end_date, period, segment, currency } = input;
    const selectors = Object.fromEntries(parsePairs(input.selector, "--selector"));
    const query: ChartQuery = {
      ...filtersOf(input.filter),
      ...start_date !== undefined && { start_date },
      ...end_date !== undefined && { end_date },
      ...period !== undefined && { period },
      ...segment !== undefined && { segment },
      ...currency !== undefined && { currency },
      ...input.selector.length > 0 && { selectors: JSON.stringify(selectors) },
    };
    const client = await context.client();
    const name = input.chart_name;
    const chart = await knownChart(name, () => getChart(client, name, query));
    await checkKnown(client, chart, name);
    showChart(context, chart, input.plot);
  },
});

const options = command({
  brief: "Show what a chart can be asked for",
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

/** Parameters of a chart that have a flag of their own, or none here. */
const NO_FILTERS: Readonly<Record<string, string>> = {
  start_date: "--start",
  end_date: "--end",
  period: "--period",
  resolution: "--period",
  segment: "--segment",
  currency: "--currency",
  selectors: "--selector",
  aggregate: "--output json",
};

/** Filters as the query has them: one that is given several times has several values. */
function filtersOf(pairs: readonly string[]): Record<string, string[]> {
  const filters = new Map<string, string[]>();
  for (const [key, value] of parsePairs(pairs, "--filter")) {
    const flag = NO_FILTERS[key];
    if (flag !== undefined) {
      throw new UsageError(`Cannot filter by ${JSON.stringify(key)}: it is no filter`, {
        hint: `Pass it with ${flag}.`,
      });
    }
    filters.set(key, [...filters.get(key) ?? [], value]);
  }
  return Object.fromEntries(filters);
}

/**
 * Refuses a chart that has left out what it was asked for: other numbers are not an answer.
 *
 * Gap: the service answers all the same, and tells what it does not know.
 */
async function checkKnown(client: Client, chart: Chart, name: string): Promise<void> {
  const unknown = Object.entries(chart.unsupported_params ?? {});
  if (unknown.length === 0) return;
  const what = unknown.map(([kind, names]) =>
    `no ${kind.replace(/s$/, "")} ${[names].flat().map((one) => JSON.stringify(one)).join(", ")}`
  );
  const { filters, segments, user_selectors } = await getChartOptions(client, name);
  const known = {
    filters: filters.map(({ id }) => id),
    segment: segments.map(({ id }) => id),
    selectors: Object.keys(user_selectors),
  };
  const hints = Object.entries(known).flatMap(([kind, names]) =>
    unknown.some(([one]) => one === kind)
      ? [`--${kind.replace(/s$/, "")}: ${names.join(", ")}`]
      : []
  );
  throw new UsageError(`Cannot show the chart ${JSON.stringify(name)}: it has ${what.join(", ")}`, {
    hint: `It takes ${hints.join("; ")}. See: cli charts options ${quoted(name)}`,
  });
}

/** Shows a chart: a table and a picture, or the service's own JSON. */
function showChart(context: Context, chart: Chart, plot: boolean | undefined): void {
  const { out } = context;
  if (out.format === "json") return showOne(context, chart);
  const view = viewChart(chart);
  out.table(chartRows(view), chartColumns(view), { empty: "The chart is empty." });
  if (plot === false) return;
  out.picture((canvas) => drawChart(view, canvas), { always: plot === true });
}

/** Asks for a chart. If there is none of that name, says which there are. */
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

/** Something that a chart can be asked for: the words to type, and what they mean. */
interface Choice {
  /** The words. */
  flag: string;
  /** What they mean. */
  meaning: string;
}

const choiceColumns: Column<Choice>[] = [
  { header: "flag", value: ({ flag }) => flag, kind: "id" },
  { header: "meaning", value: ({ meaning }) => meaning },
];

/** Everything that a chart can be asked for, one choice after the other. */
function choicesIn(options: ChartOptions): Choice[] {
  const { resolutions, segments, filters, user_selectors } = options;
  const lengths = resolutions.flatMap(({ display_name }) => {
    const name = display_name.toLowerCase();
    const known = PERIODS.find((period) => period === name);
    return known ? [{ flag: `--period ${known}`, meaning: display_name }] : [];
  });
  return [
    ...lengths,
    ...segments.map(({ id, display_name }) => ({
      flag: `--segment ${quoted(id)}`,
      meaning: `By ${display_name}`,
    })),
    ...filters.flatMap((filter) =>
      filter.options.map(({ id, display_name }) => ({
        flag: `--filter ${pair(filter.id, id)}`,
        meaning: `${filter.display_name}: ${display_name}`,
      }))
    ),
    ...Object.entries(user_selectors).flatMap(([key, selector]) =>
      selector.options.map(({ id, display_name }) => ({
        flag: `--selector ${pair(key, id)}`,
        meaning: `${selector.display_name}: ${display_name}`,
      }))
    ),
  ];
}

/** A pair as a shell takes it. */
function pair(key: string, value: string): string {
  const plain = quoted(key) === key && quoted(value) === value;
  return plain ? `${key}=${value}` : quoted(`${key}=${value}`);
}
