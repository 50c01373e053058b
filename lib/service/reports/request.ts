/**
 * The query of a request for a chart.
 *
 * @module
 */

import { z } from "zod";
import type { ChartFilter } from "../../resources/charts.ts";
import { dayOf } from "../domain/calendar.ts";
import { invalid } from "../contract/errors.ts";
import { countUpTo, described } from "../contract/schemas.ts";
import { type Catalogue, columnValues } from "./catalogue.ts";
import { type Definition, MOST_OFFSETS } from "./definition.ts";
import { ALL_DIMENSIONS, type Dimension, filtersOf, segmentsOf } from "./dimensions.ts";
import type { Question, RevenueType } from "./figures.ts";
import {
  type Period,
  periodsBetween,
  periodsFrom,
  type Resolution,
  RESOLUTIONS,
  usualStart,
} from "./periods.ts";

/** The currencies for amounts. */
const REPORT_CURRENCIES = [
  "USD",
  "EUR",
  "GBP",
  "AUD",
  "CAD",
  "JPY",
  "BRL",
  "KRW",
  "CNY",
  "MXN",
  "SEK",
  "PLN",
] as const;

/** Schema of the currency in a query. */
export const currency = z.enum(REPORT_CURRENCIES).default("USD");

/** The most periods of a chart: ten years by day. */
const MOST_PERIODS = 4000;

const date = z.iso.date("must be a date such as 2026-11-23").optional();

const startDate = described(
  `The first day. A chart has at most ${MOST_PERIODS} periods: ten years by day.`,
  date,
);
const endDate = described("The last day; not before start_date.", date);

const lengths = RESOLUTIONS.flatMap((name, i) => [name, String(i)]);

// Gap: the specification has a `period` of a day, a week or a month. Quarters, years and the numbers
// are what the public service knows as `resolution`; here both parameters take all of them.
const period = described(
  "The length of a period: day, week or month. The values of resolution are also accepted, " +
    "such as quarter and year.",
  z.enum(lengths).optional(),
);
const resolution = described(
  "The length of a period by its public name, or its index, 0 to 4. If period is sent as " +
    "well, both must be the same.",
  z.enum(lengths).optional(),
);

/** A parameter that may be repeated. Its values are read from the URL. */
function valuesOf({ rule }: Dimension) {
  const values = z.string().transform((value) => [value]).pipe(z.array(z.string())).optional();
  return described(`A filter, which may be repeated.${rule ? ` Each value ${rule}.` : ""}`, values);
}

const filters = Object.fromEntries(ALL_DIMENSIONS.map((one) => [one.id, valuesOf(one)]));

/**
 * Any other parameter: in the OpenAPI document, an object in a query stands for a parameter per
 * field. A parameter with this name is a filter like others.
 */
const anyFilter = z.unknown().transform((): Record<string, string> | string | undefined =>
  undefined
)
  .pipe(z.union([z.record(z.string(), z.string()), z.string()]).optional()).optional();

/** Schema of the parameter for real-time numbers. All numbers here are real-time. */
export const realtime = described(
  "Whether the numbers are real-time. Here they always are.",
  z.enum(["true", "false"]).default("true"),
);

/** Schema of a chart's query. */
export const chartQuery = z.object({
  start_date: startDate,
  end_date: endDate,
  period,
  resolution,
  currency,
  segment: z.string().optional(),
  limit_num_segments: described(
    "The most segments to show. More than 100 count as 100.",
    countUpTo(100).default(10),
  ),
  aggregate: described(
    "Summaries in place of values: average, total, or both, each once, with a comma between.",
    z.string()
      .regex(
        /^(average|total)(,(?!\1$)(average|total))?$/,
        "must be average, total, or both, each once",
      )
      .optional(),
  ),
  filters: described(
    'Filters as a JSON list, such as [{"name":"store","values":["app_store"]}].',
    z.string().optional(),
  ),
  selectors: described(
    'Selectors as a JSON object, such as {"revenue_type":"proceeds"}.',
    z.string().optional(),
  ),
  realtime,
  ...filters,
  other_filters: anyFilter,
});

/** The query, validated. */
export type ChartQuery = z.infer<typeof chartQuery>;

/** Parameters that are not filters. */
const PARAMETERS = new Set([
  ...Object.keys(chartQuery.shape).filter((name) => !(name in filters)),
  "expand",
]);

/** The query of a chart, resolved. */
export interface ChartRequest extends Pick<Question, "periods" | "laterPeriods" | "filters"> {
  /** The length of a period. */
  readonly resolution: Resolution;
  /** The dimension to segment by. */
  readonly segment: Dimension | undefined;
  /** The values of the segments in the total. Undefined for all. */
  readonly totalled: readonly string[] | undefined;
  /** The most segments to show, besides the total and "other". */
  readonly segmentLimit: number;
  /** The part of a payment that counts as revenue. */
  readonly revenue: RevenueType;
  /** The currency of amounts, ISO 4217. */
  readonly currency: string;
  /** The summaries to return instead of values, if any. */
  readonly aggregate: readonly string[] | undefined;
  /** The applied filters, as sent. */
  readonly asked: readonly ChartFilter[];
  /** The unknown filters and segment of the query, or null. */
  readonly unsupported: Record<string, unknown> | null;
}

/**
 * Resolves a query.
 *
 * @throws {Refusal} 400 for an invalid parameter.
 */
export function readRequest(
  definition: Definition,
  query: ChartQuery,
  url: URL,
  context: { now: number; catalogue: Catalogue },
): ChartRequest {
  const resolution = resolutionOf(query);
  const periods = periodsOf(query, resolution, context.now);
  const wanted = filtersIn(query, url);
  const segment = segmentsOf(definition.subject).find(({ id }) => id === query.segment);
  const known = filtersOf(definition.subject);
  const selected = selectorsIn(query.selectors);
  const unknown = {
    filters: [...wanted.keys()].filter((id) => !known.some((dimension) => dimension.id === id)),
    segment: segment ? undefined : query.segment,
    selectors: Object.keys(selected).filter((name) => name !== "revenue_type"),
  };
  return {
    resolution,
    periods,
    laterPeriods: periodsFrom(
      periods[0]?.starts ?? 0,
      resolution,
      periods.length + MOST_OFFSETS,
    ),
    filters: columnFilters(known, wanted, segment, context.catalogue),
    asked: known.flatMap(({ id }) => {
      const values = wanted.get(id);
      return values ? [{ name: id, values }] : [];
    }),
    segment,
    // The total is the same as without segments.
    totalled: segment?.id === "environment" && !wanted.has(segment.id)
      ? USUAL_ENVIRONMENT
      : undefined,
    segmentLimit: query.limit_num_segments,
    revenue: revenueType(selected.revenue_type),
    currency: query.currency,
    aggregate: query.aggregate?.split(","),
    unsupported: reported(unknown),
  };
}

/** The unknown filters and segment of a query, or null. */
function reported(
  { filters, segment, selectors }: {
    filters: string[];
    segment: string | undefined;
    selectors: string[];
  },
): Record<string, unknown> | null {
  const all = {
    ...filters.length > 0 && { filters },
    ...segment !== undefined && { segment },
    ...selectors.length > 0 && { selectors },
  };
  return Object.keys(all).length > 0 ? all : null;
}

/** The length of a period, by either of its parameters. */
function resolutionOf({ period, resolution }: ChartQuery): Resolution {
  const [one, other] = [period, resolution].map((text) =>
    RESOLUTIONS.find((name, i) => name === text || String(i) === text)
  );
  if (one === undefined || other === undefined || one === other) return one ?? other ?? "day";
  throw invalid("resolution", "'resolution' must be the same as 'period'; send one of them");
}

/**
 * The periods of a query.
 *
 * Gap: without days a chart shows the last 28 days, 12 weeks, 12 months, 8 quarters or 5 years.
 * Periods are always whole: a date within a period selects all of it.
 */
function periodsOf(
  { start_date, end_date }: ChartQuery,
  resolution: Resolution,
  now: number,
): Period[] {
  const start = start_date === undefined ? undefined : Date.parse(start_date);
  const end = end_date === undefined ? Math.max(start ?? 0, dayOf(now)) : Date.parse(end_date);
  const first = start ?? usualStart(end, resolution);
  if (end < first) throw invalid("end_date", "'end_date' must not be before 'start_date'");
  const periods = periodsBetween(first, end, resolution, MOST_PERIODS + 1);
  if (periods.length <= MOST_PERIODS) return periods;
  throw invalid(
    "start_date",
    `'start_date' must be at most ${MOST_PERIODS} periods before the end`,
  );
}

/**
 * The filters of a query by name: one parameter for each, or all of them as JSON. Sent in both forms
 * they are the same filters once.
 */
function filtersIn({ filters }: ChartQuery, url: URL): Map<string, string[]> {
  const wanted = new Map<string, string[]>();
  const add = (name: string, more: readonly string[]) =>
    wanted.set(name, [...new Set([...wanted.get(name) ?? [], ...more])]);
  for (const [name, value] of url.searchParams) {
    if (!PARAMETERS.has(name)) add(name, [value]);
  }
  for (const { name, values } of parsed("filters", filters, filterList) ?? []) add(name, values);
  return wanted;
}

const filterList = z.array(z.object({ name: z.string(), values: z.array(z.string()) }));

function selectorsIn(text: string | undefined): Record<string, string> {
  return parsed("selectors", text, z.record(z.string(), z.string())) ?? {};
}

/** The JSON value of a parameter, if it is present. */
function parsed<T>(param: string, text: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (text === undefined) return undefined;
  const example = param === "filters"
    ? 'a JSON list such as [{"name":"store","values":["app_store"]}]'
    : 'a JSON object such as {"revenue_type":"proceeds"}';
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw invalid(param, `'${param}' must be ${example}`);
  }
}

/** The parts of a payment that a chart can show. */
export const REVENUE_TYPES: Readonly<Record<RevenueType, string>> = {
  revenue: "Revenue",
  revenue_net_of_taxes: "Revenue net of taxes",
  proceeds: "Proceeds",
};

function revenueType(text: string | undefined): RevenueType {
  switch (text) {
    case undefined:
    case "revenue":
      return "revenue";
    case "revenue_net_of_taxes":
    case "proceeds":
      return text;
  }
  const known = Object.keys(REVENUE_TYPES).join(", ");
  throw invalid("selectors", `'selectors.revenue_type' must be one of ${known}`);
}

/** The default environment. */
const USUAL_ENVIRONMENT: readonly string[] = ["production"];

/** The most values of one filter. */
const MOST_VALUES = 500;

/**
 * The allowed column values. Without an environment filter, only production counts.
 *
 * Gap: an impossible value is refused, since a typing error would look like a bad month.
 */
function columnFilters(
  known: readonly Dimension[],
  wanted: ReadonlyMap<string, readonly string[]>,
  segment: Dimension | undefined,
  catalogue: Catalogue,
): Map<Dimension, readonly string[]> {
  const filters = new Map<Dimension, readonly string[]>();
  for (const dimension of known) {
    const { id, rule, without, own = (value) => value } = dimension;
    const values = wanted.get(id);
    const bad = values?.find((one) => one !== without?.id && !dimension.accepts(own(one)));
    if (bad !== undefined) throw invalid(id, `'${id}' ${rule}`);
    const usual = id === "environment" && segment?.id !== id ? USUAL_ENVIRONMENT : undefined;
    const chosen = values ?? usual;
    if (!chosen) continue;
    if (chosen.length > MOST_VALUES) {
      throw invalid(id, `'${id}' takes at most ${MOST_VALUES} values`);
    }
    filters.set(dimension, chosen.flatMap((value) => columnValues(dimension, value, catalogue)));
  }
  return filters;
}
