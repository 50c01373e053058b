/**
 * The filters of a chart: how they are sent, and how the answer is checked.
 *
 * @module
 */

import type { Client } from "../../../client.ts";
import { UsageError } from "../../../errors.ts";
import { type Chart, type ChartQuery, getChartOptions } from "../../../resources/charts.ts";
import type { Context } from "../../context.ts";
import { taggedApps } from "../../folder/tagged_apps.ts";
import { parsePairs } from "../../input/input.ts";
import { quoted } from "../../screen/command_lines.ts";

/** Values by the filter's name. */
type Filters = ReadonlyMap<string, readonly string[]>;

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

/** Reads `--filter`. A repeated filter has several values. */
export function readFilters(pairs: readonly string[]): Filters {
  const filters = new Map<string, string[]>();
  for (const [key, value] of parsePairs(pairs, "--filter")) {
    const flag = NO_FILTERS[key];
    if (flag !== undefined) {
      throw new UsageError(`Cannot filter by ${JSON.stringify(key)}: it is not a filter`, {
        hint: `Pass it with ${flag}.`,
      });
    }
    filters.set(key, [...filters.get(key) ?? [], value]);
  }
  return filters;
}

/**
 * `--filter app_id` without a value means the apps tagged in `cli.toml`: the pairs with that one
 * replaced by one pair for each app.
 *
 * @throws {UsageError} when no app is tagged.
 */
export async function withTaggedApps(
  context: Context,
  client: Client,
  pairs: readonly string[],
): Promise<readonly string[]> {
  if (!pairs.includes(APP_FILTER)) return pairs;
  const ids = await taggedApps(context, client);
  if (ids.length === 0) {
    throw new UsageError(
      `Cannot filter by "${APP_FILTER}": it has no value, and cli.toml tags no app of this project`,
      { hint: `Pass --filter ${APP_FILTER}=ID, or tag apps with: cli init --app-id ID` },
    );
  }
  return pairs.flatMap((pair) => pair === APP_FILTER ? ids.map((id) => `${pair}=${id}`) : [pair]);
}

/** The filter by app. */
const APP_FILTER = "app_id";

/**
 * The filters of a query, in both forms: a parameter for each, as in the API document, and the JSON
 * of the public API. Each service ignores the other form.
 */
export function filterQuery(filters: Filters): ChartQuery {
  if (filters.size === 0) return {};
  const list = [...filters].map(([name, values]) => ({ name, values }));
  return {
    ...Object.fromEntries([...filters].map(([name, values]) => [name, [...values]])),
    filters: JSON.stringify(list),
  };
}

/** The request of a chart. */
interface Asked {
  /** The chart's name. */
  readonly name: string;
  /** The filters. */
  readonly filters: Filters;
  /** The length of a period. */
  readonly period: string | undefined;
  /** The segment. */
  readonly segment: string | undefined;
  /** The currency of amounts. */
  readonly currency: string | undefined;
  /** Selectors by name. */
  readonly selectors: Readonly<Record<string, string>>;
}

/**
 * Refuses a chart that ignores a part of the request: numbers without the filter are wrong numbers.
 *
 * Gap: the service answers with 200 in this case. It lists unknown parts in `unsupported_params`,
 * and repeats period, currency and selectors.
 */
export async function checkAnswer(client: Client, chart: Chart, asked: Asked): Promise<void> {
  const unknown = unsupportedIn(chart);
  const ignored = unknown.length > 0 ? [] : await ignoredIn(client, chart, asked);
  if (unknown.length + ignored.length === 0) return;
  const what = unknown.map(([kind, names]) =>
    `no ${kind.replace(/s$/, "")} ${names.map((one) => JSON.stringify(one)).join(", ")}`
  );
  const why = unknown.length > 0
    ? `it has ${what.join(", ")}`
    : `the answer ignores ${ignored.join(", ")}`;
  throw new UsageError(`Cannot show the chart ${JSON.stringify(asked.name)}: ${why}`, {
    hint: await whatItTakes(client, asked.name, unknown.map(([kind]) => kind)),
  });
}

/** The parts that the service does not know, by kind. */
function unsupportedIn({ unsupported_params }: Chart): [string, unknown[]][] {
  return Object.entries(unsupported_params ?? {}).flatMap(
    ([kind, names]): [string, unknown[]][] => {
      const told = [names].flat().filter((one) => one !== null && one !== undefined && one !== "");
      return told.length > 0 ? [[kind, told]] : [];
    },
  );
}

/** The flags that the answer does not confirm. */
async function ignoredIn(client: Client, chart: Chart, asked: Asked): Promise<string[]> {
  const { period, segment, currency, selectors } = asked;
  const differs = (echo: unknown, wanted: string | undefined) =>
    wanted !== undefined && typeof echo === "string" && echo !== wanted;
  return [
    ...differs(chart.resolution, period) ? [`--period ${period}`] : [],
    ...differs(chart.yaxis_currency, currency) ? [`--currency ${currency}`] : [],
    ...segment !== undefined && chart.segments === null ? [`--segment ${segment}`] : [],
    ...Object.entries(selectors).flatMap(([name, value]) =>
      differs(chart.user_selectors?.[name], value) ? [`--selector ${name}=${value}`] : []
    ),
    ...await ignoredFilters(client, chart, asked),
  ];
}

/** The filters that the answer does not confirm. */
async function ignoredFilters(
  client: Client,
  chart: Chart,
  { name, filters }: Asked,
): Promise<string[]> {
  if (filters.size === 0) return [];
  const flags = [...filters.keys()].map((key) => `--filter ${key}`);
  if (chart.filtering_allowed === false) return flags;
  if (Array.isArray(chart.filters)) {
    const echoed = new Set(chart.filters.map((filter) => filter?.name));
    return [...filters.keys()].flatMap((key) => echoed.has(key) ? [] : [`--filter ${key}`]);
  }
  // With this field the service confirms every filter that it received.
  if (chart.unsupported_params !== undefined) return [];
  const options = await getChartOptions(client, name);
  const known = new Set((options.filters ?? []).map(({ id }) => id));
  return [...filters.keys()].flatMap((key) => known.has(key) ? [] : [`--filter ${key}`]);
}

/** A hint with the chart's names of the wrong kinds. */
async function whatItTakes(
  client: Client,
  name: string,
  kinds: readonly string[],
): Promise<string> {
  const { filters, segments, user_selectors } = await getChartOptions(client, name);
  const known: Record<string, readonly string[]> = {
    filters: (filters ?? []).map(({ id }) => id),
    segment: (segments ?? []).map(({ id }) => id),
    selectors: Object.keys(user_selectors ?? {}),
  };
  const lists = kinds.flatMap((kind) => {
    const names = known[kind] ?? [];
    return names.length > 0 ? [`--${kind.replace(/s$/, "")}: ${names.join(", ")}`] : [];
  });
  const takes = lists.length > 0 ? `It takes ${lists.join("; ")}. ` : "";
  return `${takes}See: cli charts options ${quoted(name)}`;
}
