/**
 * Computes a chart from its definition and its sums.
 *
 * @module
 */

import type { Chart, ChartMeasure, ChartSegment, ChartValue } from "../../resources/charts.ts";
import { convert, fromMicros } from "../domain/money.ts";
import type { Call } from "../contract/route.ts";
import { type Catalogue, readCatalogue, segmentOf } from "./catalogue.ts";
import { readLater } from "./cohort_figures.ts";
import { readCustomers } from "./customer_figures.ts";
import { addsUp, type Definition, type Measure, MOST_OFFSETS } from "./definition.ts";
import { type Figures, type Question, readLedger, type Series } from "./figures.ts";
import type { Period } from "./periods.ts";
import { type ChartQuery, type ChartRequest, readRequest } from "./request.ts";
import { amountOf, isRevenue, nameOfSum, type Sum, sumsIn } from "./sums.ts";

/** Computes the chart that a call requests. */
export async function computeChart(
  call: Pick<Call<string, ChartQuery>, "tx" | "project" | "now" | "query" | "url">,
  definition: Definition,
): Promise<Chart> {
  const { tx, project, now, query, url } = call;
  const catalogue = await readCatalogue(call);
  const request = readRequest(definition, query, url, { now, catalogue });
  const measures = definition.measures(offsetsIn(request, now));
  const figures = await readFigures(
    { tx, project, ...request },
    sumsIn(measures.flatMap(({ value, per = [] }) => [value, per])),
  );
  const parts = partsOf(figures, request, catalogue, measures);
  const cells: Cells = { ...request, measures, now };
  return {
    ...headOf(definition, request, measures),
    last_computed_at: now,
    values: request.aggregate ? [] : valuesOf(parts, cells),
    summary: summaryOf(parts[0]?.series ?? new Map(), cells),
    segments: request.segment ? parts.map(({ segment }) => segment) : null,
  };
}

/** Reads each sum from its source. */
export async function readFigures(question: Question, sums: readonly Sum[]): Promise<Figures> {
  const figures: Figures = new Map();
  await readLedger(figures, question, sums.filter((sum) => sum.from === "ledger"));
  await readCustomers(figures, question, sums.filter((sum) => sum.from === "customers"));
  await readLater(figures, question, sums.filter((sum) => sum.from === "later"));
  return figures;
}

/** The number of later periods that the first cohort has reached. */
function offsetsIn({ laterPeriods }: ChartRequest, now: number): number {
  const begun = laterPeriods.filter(({ starts }) => starts <= now).length;
  return Math.max(0, Math.min(begun - 1, MOST_OFFSETS));
}

/** What happens to deleted customers in the charts that count customers. */
const WITHOUT_DELETED =
  "Deleted customers and their payments do not count here; charts of revenue " +
  "and subscriptions keep them.";

/** Everything about a chart but its numbers. */
function headOf(
  definition: Definition,
  request: ChartRequest,
  measures: readonly Measure[],
): Omit<Chart, "last_computed_at" | "values" | "summary" | "segments"> {
  const { periods, segment } = request;
  const drawn = measures.find(({ chartable }) => chartable);
  const { category, display_type, display_name, description, subject } = definition;
  return {
    object: "chart_data",
    category,
    display_type,
    display_name,
    description: `${description}.${subject === "ledger" ? "" : ` ${WITHOUT_DELETED}`}`,
    // Gap: the public service links to a documentation page; there is none here.
    documentation_link: null,
    start_date: seconds(periods[0]),
    end_date: seconds(periods.at(-1)),
    yaxis_currency: request.currency,
    filters: [...request.asked],
    filtering_allowed: true,
    segmenting_allowed: true,
    resolution: request.resolution,
    yaxis: drawn?.unit ?? "#",
    segments_limit: segment ? request.segmentLimit : null,
    measures: measures.map(showMeasure),
    user_selectors: hasRevenue(measures) ? { revenue_type: request.revenue } : null,
    unsupported_params: request.unsupported,
  };
}

/** Whether the revenue type applies to a chart. */
export function hasRevenue(measures: readonly Measure[]): boolean {
  return measures.some(({ value }) => isRevenue(value));
}

function showMeasure(measure: Measure): ChartMeasure {
  const { display_name, description, unit, decimal_precision, chartable } = measure;
  return {
    display_name,
    description: `${description}.`,
    unit,
    decimal_precision,
    chartable,
    tabulable: true,
  };
}

function seconds(period: Period | undefined): number {
  return (period?.starts ?? 0) / 1000;
}

/** A segment and its sums. */
interface Part {
  /** The segment in the answer. */
  segment: ChartSegment;
  /** Its sums by name. */
  series: Map<string, Series>;
}

/** The total, then the largest segments, then one for all others. */
function partsOf(
  figures: Figures,
  request: ChartRequest,
  catalogue: Catalogue,
  measures: readonly Measure[],
): Part[] {
  const { segment: dimension, segmentLimit, totalled } = request;
  const counted = [...figures].filter(([value]) => totalled?.includes(value) ?? true);
  const total = part("total", "Total", counted.map(([, series]) => series));
  total.segment.is_total = true;
  if (!dimension) return [total];
  const named = [...figures].map(([value, series]) => ({
    ...segmentOf(dimension, value, catalogue),
    series,
  }));
  const all = [...Map.groupBy(named, ({ id }) => id).values()].flatMap((same) => {
    const [first] = same;
    return first ? [part(first.id, first.display_name, same.map(({ series }) => series))] : [];
  });
  const size = ({ series }: Part) => sizeOf(series, measures);
  const ordered = all.filter(({ series }) => hasFigures(series))
    .sort((a, b) => size(b) - size(a) || (a.segment.id < b.segment.id ? -1 : 1));
  const rest = ordered.slice(segmentLimit);
  const others = rest.length === 0
    ? []
    : [part("other", "Other", rest.map(({ series }) => series))];
  return [total, ...ordered.slice(0, segmentLimit), ...others];
}

/** The sum of several segments. */
function part(
  id: string,
  display_name: string,
  others: readonly ReadonlyMap<string, Series>[],
): Part {
  const series = new Map<string, Series>();
  for (const [name, values] of others.flatMap((other) => [...other])) {
    const known = series.get(name);
    series.set(name, known ? known.map((value, i) => value + (values[i] ?? 0)) : [...values]);
  }
  return { segment: { id, display_name, is_total: false, chartable: true }, series };
}

function hasFigures(series: ReadonlyMap<string, Series>): boolean {
  return [...series.values()].some((values) => values.some((value) => value !== 0));
}

/** A segment's size by the first measure. */
function sizeOf(series: ReadonlyMap<string, Series>, [first]: readonly Measure[]): number {
  const quantity = first?.value ?? [];
  return quantity.reduce((size, { sum, times }) => {
    const values = series.get(nameOfSum(sum)) ?? [];
    return size + Math.abs(times * values.reduce((total, value) => total + value, 0));
  }, 0);
}

/** The data to compute values from sums. */
interface Cells
  extends Pick<ChartRequest, "periods" | "laterPeriods" | "currency" | "aggregate" | "segment"> {
  /** The measures. */
  measures: readonly Measure[];
  /** The project's time. */
  now: number;
}

/** The value of a measure over some periods. */
function valueOf(
  { value, per, unit }: Measure,
  series: ReadonlyMap<string, Series>,
  periods: readonly number[],
  currency: string,
): number {
  const whole = per && amountOf(per, series, periods);
  const part = amountOf(value, series, periods);
  const shown = unit === "$" ? fromMicros(convert(part, "USD", currency)) : part;
  if (whole === undefined) return shown;
  return whole === 0 ? 0 : shown / whole * (unit === "%" ? 100 : 1);
}

/** The period from which on a measure is known: the same one or a later one. */
function known(cells: Cells, period: number, { offset }: Measure): Period | undefined {
  const later = cells.laterPeriods[period + offset];
  // A cohort's later periods appear once they have started.
  return later && (offset === 0 || later.starts <= cells.now) ? later : undefined;
}

/** All numbers: by period, then by measure, then by segment. */
function valuesOf(parts: readonly Part[], cells: Cells): ChartValue[] {
  const { periods, measures, currency, now } = cells;
  const split = cells.segment !== undefined;
  return periods.flatMap((period, i) =>
    measures.flatMap((measure, m) => {
      const until = known(cells, i, measure);
      if (!until) return [];
      return parts.map(({ series }, segment): ChartValue => ({
        cohort: seconds(period),
        incomplete: until.ends > now,
        measure: m,
        value: valueOf(measure, series, [i], currency),
        ...split && { segment },
      }));
    })
  );
}

/**
 * Averages and totals by measure.
 *
 * Gap: an average covers the complete periods, if there are any. The average of a share is the share
 * over all of them together. A total covers all periods and exists only for quantities that add up.
 */
function summaryOf(
  series: ReadonlyMap<string, Series>,
  cells: Cells,
): Record<string, Record<string, number>> {
  const { measures, currency, aggregate = ["average", "total"] } = cells;
  const summary: Record<string, Record<string, number>> = {};
  for (const kind of aggregate) {
    const entries = measures.flatMap((measure): [string, number][] => {
      const all = knownPeriods(cells, measure);
      if (kind === "total") {
        return addsUp(measure)
          ? [[measure.display_name, valueOf(measure, series, all, currency)]]
          : [];
      }
      const over = all.filter((i) => (known(cells, i, measure)?.ends ?? Infinity) <= cells.now);
      const counted = over.length > 0 ? over : all;
      const value = valueOf(measure, series, counted, currency);
      return [[measure.display_name, measure.per ? value : value / counted.length]];
    });
    summary[kind] = Object.fromEntries(entries);
  }
  return summary;
}

/** The periods for which a measure is known. */
function knownPeriods(cells: Cells, measure: Measure): number[] {
  return cells.periods.flatMap((_, i) => known(cells, i, measure) ? [i] : []);
}
