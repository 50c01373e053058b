/**
 * A chart prepared for display: its numbers by period, and its texts.
 *
 * @module
 */

import type { Chart, ChartMeasure, ChartSegment, ChartValue } from "../../resources/charts.ts";
import { fractionDigits } from "../screen/amount.ts";
import { date } from "../screen/display.ts";

/** A prepared chart. */
export interface ChartView {
  /** The chart. */
  readonly chart: Chart;
  /** The periods, oldest first. */
  readonly periods: readonly PeriodView[];
  /** The measures. */
  readonly measures: readonly ChartMeasure[];
  /** The segments, the total first; a single one without a name if the chart has no segments. */
  readonly segments: readonly Pick<ChartSegment, "display_name" | "is_total">[];
  /** The number of a period, measure and segment, by their indexes; null for none. */
  value(period: number, measure: number, segment: number): number | null;
}

/** A period. */
interface PeriodView {
  /** Its start, in milliseconds since 1970. */
  readonly start: number;
  /** Whether it is incomplete. */
  readonly open: boolean;
}

/** Prepares a chart. */
export function viewChart(chart: Chart): ChartView {
  const numbers = new Map<string, number>();
  const open = new Map<number, boolean>();
  for (const { cohort, incomplete, measure = 0, value, segment } of valuesOf(chart)) {
    numbers.set(`${cohort} ${measure} ${segment ?? 0}`, value);
    // A cohort's later periods may still run after its own has ended.
    if (!open.has(cohort)) open.set(cohort, incomplete === true);
  }
  const cohorts = [...open.keys()].sort((a, b) => a - b);
  const measures = chart.measures?.map(completeMeasure) ?? [usualMeasure(chart)];
  const segments = chart.segments?.map((segment, i) => ({
    ...segment,
    display_name: segment.display_name ?? segment.id ?? `segment ${i + 1}`,
  }));
  const numberAt = (period: number, measure: number, segment: number) =>
    numbers.get(`${cohorts[period]} ${measure} ${segment}`) ?? null;
  // A share of zero is undefined, even if the service sends a number.
  const isShareOfNone = (period: number, measure: number, segment: number) =>
    chart.display_type === "cohort" && measures[measure]?.unit === "%" &&
    measures[0]?.unit === "#" && numberAt(period, 0, segment) === 0;
  return {
    chart: complete(chart),
    periods: cohorts.map((cohort) => ({ start: cohort * 1000, open: open.get(cohort) ?? false })),
    measures,
    segments: segments && segments.length > 0 ? segments : [{ display_name: "", is_total: true }],
    value: (period, measure, segment) =>
      isShareOfNone(period, measure, segment) ? null : numberAt(period, measure, segment),
  };
}

/** The numbers of a chart, without empty ones. */
function valuesOf(chart: Chart): ChartValue[] {
  return (chart.values ?? []).flatMap(asValues)
    .filter(({ cohort, value }) => Number.isFinite(cohort) && Number.isFinite(value));
}

/** A chart with defaults for optional fields. */
function complete(chart: Chart): Chart {
  return {
    ...chart,
    display_name: chart.display_name ?? "Chart",
    resolution: chart.resolution ?? "period",
    yaxis: chart.yaxis ?? "#",
    yaxis_currency: chart.yaxis_currency ?? "",
  };
}

/** A measure with defaults for optional fields. */
function completeMeasure(measure: ChartMeasure, i: number): ChartMeasure {
  return {
    ...measure,
    display_name: measure.display_name ?? `measure ${i + 1}`,
    unit: measure.unit ?? "#",
  };
}

/** The numbers in an entry. Older charts have rows: when a period starts, then a number per measure. */
function asValues(entry: ChartValue | readonly unknown[]): ChartValue[] {
  if (!isRow(entry)) return [entry];
  const [cohort, ...values] = entry.map(Number);
  return values.map((value, measure) => ({
    cohort: cohort ?? 0,
    incomplete: false,
    measure,
    value,
  }));
}

function isRow(entry: ChartValue | readonly unknown[]): entry is readonly unknown[] {
  return Array.isArray(entry);
}

/** The measure of a chart that names none. */
function usualMeasure(chart: Chart): ChartMeasure {
  const { description } = chart;
  const display_name = chart.display_name ?? "value";
  const yaxis = chart.yaxis ?? "#";
  const decimal_precision = yaxis === "#" ? 0 : 2;
  const shown = { chartable: true, tabulable: true };
  return { display_name, description, unit: yaxis, decimal_precision, ...shown };
}

/** Whether the measures of a chart are a cohort's later periods. */
export function isCohort({ chart }: ChartView): boolean {
  return chart.display_type === "cohort";
}

/** The unit of a measure beside numbers: `USD`, `%`, or nothing. */
export function unitText({ unit }: Pick<ChartMeasure, "unit">, currency: string): string {
  return unit === "$" ? currency : unit === "#" ? "" : unit;
}

/** A number of a measure, with its number of digits, but no more than its currency has. */
export function numberText(
  value: number,
  { decimal_precision, unit }: Pick<ChartMeasure, "decimal_precision" | "unit">,
  currency: string,
): string {
  const digits = Number.isInteger(decimal_precision)
    ? Math.min(20, Math.max(0, decimal_precision))
    : 2;
  return value.toFixed(unit === "$" ? Math.min(digits, fractionDigits(currency)) : digits);
}

/** A period by its name: `2026-01-31`, `2026-01`, `2026 Q1` or `2026`. */
export function periodText(start: number, resolution: string): string {
  const day = date(start);
  switch (resolution) {
    case "month":
      return day.slice(0, 7);
    case "quarter":
      return `${day.slice(0, 4)} Q${quarterOf(start)}`;
    case "year":
      return day.slice(0, 4);
  }
  return day;
}

/** The quarter of a year, 1 to 4. */
export function quarterOf(start: number): number {
  return Math.floor(new Date(start).getUTCMonth() / 3) + 1;
}

/** A chart's description in one line: time span, period, currency and averages. */
export function rangeText(view: ChartView): string {
  const { chart, periods, measures, segments } = view;
  const { resolution, summary } = chart;
  // Pictures of cohorts and of segments show none.
  const hasAverage = !isCohort(view) && segments.length === 1 && summary?.["average"];
  const [first, last] = [periods[0], periods.at(-1)];
  const parts = [
    ...first && last ? [spanText(first, last, resolution)] : [],
    `by ${resolution}`,
    ...measures.some(({ unit }) => unit === "$") ? [chart.yaxis_currency] : [],
    ...hasAverage && isPartlyOpen(periods) ? [`average of complete ${resolution}s`] : [],
  ];
  return parts.join(", ");
}

/** Whether some periods are complete and some are not: the average is that of the complete ones. */
function isPartlyOpen(periods: readonly PeriodView[]): boolean {
  return periods.some(({ open }) => open) && periods.some(({ open }) => !open);
}

function spanText(first: PeriodView, last: PeriodView, resolution: string): string {
  const [from, to] = [first, last].map(({ start }) => periodText(start, resolution));
  return from === to ? `${from}` : `${from} to ${to}`;
}
