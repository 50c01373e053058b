/**
 * A chart as pictures: one for each unit of its measures, or for each measure if it has segments.
 *
 * @module
 */

import type { ChartMeasure } from "../../resources/charts.ts";
import {
  type ChartView,
  isCohort,
  numberText,
  periodText,
  quarterOf,
  rangeText,
  unitText,
} from "./view.ts";
import { fit, visible, wrap } from "../screen/display.ts";
import { drawPicture, type Picture, type PlotCanvas } from "./plot.ts";
import { drawShades } from "./plot_shades.ts";
import type { AxisPoint, Series } from "./series.ts";

/** The number of drawn segments; more are only listed. */
const MOST_SERIES = 6;

/** Draws a chart with its name above it. No line is wider than the canvas; none if it is too narrow. */
export function drawChart(view: ChartView, canvas: PlotCanvas): string[] {
  const pictures = isCohort(view)
    ? [drawShades(shadesOf(view), canvas)]
    : picturesOf(view).map((picture, _, all) =>
      drawPicture(picture, all.length > 1 ? { ...canvas, rows: 6 } : canvas)
    );
  const drawn = pictures.filter((lines) => lines.length > 0);
  if (drawn.length === 0) return [];
  return [...headOf(view, canvas), ...drawn.flatMap((lines) => ["", ...lines])];
}

/** The chart's name and description. */
function headOf(view: ChartView, { columns, color }: PlotCanvas): string[] {
  const { display_name, description } = view.chart;
  const bold = (text: string) => color ? `\x1b[1m${text}\x1b[22m` : text;
  const dim = (text: string) => color ? `\x1b[2m${text}\x1b[22m` : text;
  return [
    bold(fit(visible(display_name), columns)),
    ...description ? wrap(visible(description), columns).map(dim) : [],
    ...wrap(visible(rangeText(view)), columns).map(dim),
  ];
}

/** The pictures of a chart without cohorts. */
function picturesOf(view: ChartView): Picture[] {
  const { measures, segments, chart } = view;
  const drawn = measures.flatMap((measure, i) => measure.chartable === false ? [] : [i]);
  const style = chart.display_type === "bar" ? "bars" as const : "lines" as const;
  const common = { style, places: placesOf(view), strides: stridesOf(chart.resolution) };
  if (segments.length > 1) {
    return drawn.map((measure) => ({
      ...common,
      ...axisOf(view, [measure]),
      series: segmentsOf(view, measure),
    }));
  }
  const groups = Map.groupBy(drawn, (measure) => measures[measure]?.unit ?? "#");
  return [...groups.values()].map((group) => ({
    ...common,
    ...axisOf(view, group),
    series: group.map((measure) => seriesOf(view, measure, 0, measures[measure]?.display_name)),
  }));
}

/** The segments of a measure, without the total. */
function segmentsOf(view: ChartView, measure: number): Series[] {
  const name = view.measures[measure]?.display_name ?? "";
  const parts = view.segments.flatMap(({ display_name, is_total }, i) =>
    is_total ? [] : [seriesOf(view, measure, i, `${name}: ${display_name}`)]
  );
  return parts.length > 0 ? parts.slice(0, MOST_SERIES) : [seriesOf(view, measure, 0, name)];
}

/** One series with its summary. */
function seriesOf(
  view: ChartView,
  measure: number,
  segment: number,
  name: string | undefined,
): Series {
  const known = view.measures[measure];
  const values = view.periods.map((_, period) => view.value(period, measure, segment));
  const note = known && noteOf(view, known, segment === 0 ? undefined : values);
  return { name: name ?? "", values, note };
}

/**
 * The total or the average of a measure; for a segment the last value, as summaries do not cover
 * segments.
 */
function noteOf(
  { chart }: ChartView,
  measure: ChartMeasure,
  values: readonly (number | null)[] | undefined,
): string | undefined {
  const unit = unitText(measure, chart.yaxis_currency);
  const text = (value: number, decimal_precision = measure.decimal_precision) =>
    `${numberText(value, { ...measure, decimal_precision }, chart.yaxis_currency)}${
      unit === "" ? "" : ` ${unit}`
    }`;
  const last = values?.findLast((value) => value !== null);
  if (values) return last === undefined || last === null ? undefined : `last ${text(last)}`;
  const told = (kind: string) => {
    const value = chart.summary?.[kind]?.[measure.display_name];
    if (typeof value !== "number") return [];
    // The average of whole numbers need not be whole.
    const digits = Math.max(measure.decimal_precision, kind === "average" ? 1 : 0);
    return [`${kind} ${text(value, digits)}`];
  };
  const notes = [...told("total"), ...told("average")];
  return notes.length > 0 ? notes.join(", ") : undefined;
}

/** The y axis for some measures of one unit. */
function axisOf(
  { measures, chart }: ChartView,
  group: readonly number[],
): Pick<Picture, "format" | "whole"> {
  const unit = measures[group[0] ?? 0]?.unit ?? "#";
  return {
    whole: unit === "#",
    format: (value, step) => axisText(value, step, unit, chart.yaxis_currency),
  };
}

/** A number on an axis, short: `$1.5K`, `20 %`, `300`. */
function axisText(value: number, step: number, unit: string, currency: string): string {
  const digits = step >= 1 ? 1 : Math.min(10, Math.ceil(-Math.log10(step)));
  const options = { notation: "compact", maximumFractionDigits: digits } as const;
  const plain = () => new Intl.NumberFormat("en", options).format(value);
  if (unit !== "$") return unit === "#" ? plain() : `${plain()} ${unit}`;
  try {
    return new Intl.NumberFormat("en", {
      ...options,
      style: "currency",
      currency,
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits: 0,
    }).format(value).replace("\u00a0", " ");
  } catch {
    // The service may name an unknown currency.
    return plain();
  }
}

/** The x axis. */
function placesOf({ periods, chart }: ChartView): AxisPoint[] {
  return periods.map(({ start, open }) => ({ ...placeOf(start, chart.resolution), open }));
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The label below a period. */
function placeOf(start: number, resolution: string): Pick<AxisPoint, "label" | "era"> {
  const day = new Date(start);
  const month = MONTHS[day.getUTCMonth()] ?? "";
  const era = String(day.getUTCFullYear());
  switch (resolution) {
    case "month":
      return { label: month, era };
    case "quarter":
      return { label: `Q${quarterOf(start)}`, era };
    case "year":
      return { label: era };
  }
  return { label: `${month} ${day.getUTCDate()}`, era };
}

/** The possible numbers of periods between two labels. */
function stridesOf(resolution: string): readonly number[] {
  const strides: Record<string, readonly number[]> = {
    day: [1, 2, 7, 14, 28, 91, 182, 364],
    week: [1, 2, 4, 8, 13, 26, 52],
    month: [1, 2, 3, 6, 12, 24, 60, 120],
    quarter: [1, 2, 4, 8, 20, 40],
  };
  return strides[resolution] ?? [1, 2, 5, 10, 20, 50, 100];
}

/** The cohorts of a chart: a row of shades for each. */
function shadesOf(view: ChartView): Parameters<typeof drawShades>[0] {
  const { periods, measures, chart } = view;
  const drawn = measures.flatMap((measure, i) => measure.chartable === false ? [] : [i]);
  const [first] = drawn.map((i) => measures[i]);
  const unit = first?.unit ?? "#";
  return {
    rows: periods.map(({ start }, period) => ({
      label: periodText(start, chart.resolution),
      values: drawn.map((measure) => view.value(period, measure, 0)),
    })),
    labels: drawn.map((_, offset) => `+${offset}`),
    caption: `${chart.resolution}s later`,
    format: (value) => axisText(value, value, unit, chart.yaxis_currency),
  };
}
