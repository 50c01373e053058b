/**
 * A chart as a table: a row for each period, and for each segment of it.
 *
 * @module
 */

import type { ChartMeasure } from "../../resources/charts.ts";
import { type ChartView, isCohort, numberText, periodText, unitText } from "./view.ts";
import type { Column } from "../screen/output.ts";

/** A row: a period and a segment, by their indexes in the view. */
interface ChartRow {
  /** The period. */
  readonly period: number;
  /** The segment. */
  readonly segment: number;
}

/** The rows of a chart. */
export function chartRows({ periods, segments }: ChartView): ChartRow[] {
  return periods.flatMap((_, period) => segments.map((_, segment) => ({ period, segment })));
}

/** The columns of a chart. If there is little room, the last ones are left out. */
export function chartColumns(view: ChartView): Column<ChartRow>[] {
  const { chart, periods, measures, segments } = view;
  const { resolution } = chart;
  const split = segments.length > 1 || segments[0]?.display_name !== "";
  return [
    {
      header: resolution,
      value: ({ period }) => periodText(periods[period]?.start ?? NaN, resolution),
      kind: "id",
    },
    ...split
      ? [{
        header: "segment",
        value: ({ segment }: ChartRow) => segments[segment]?.display_name,
        kind: "id" as const,
      }]
      : [],
    ...measures.flatMap((measure, i) =>
      measure.tabulable === false ? [] : [{
        header: headerOf(view, measure),
        value: ({ period, segment }: ChartRow) => {
          const value = view.value(period, i, segment);
          return value === null ? null : numberText(value, measure, chart.yaxis_currency);
        },
        kind: "number" as const,
        spare: isCohort(view) && i > 1,
      }]
    ),
    {
      header: "complete",
      value: ({ period }) => !periods[period]?.open,
      spare: true,
    },
  ];
}

/** The name of a measure and its unit. Periods of cohorts are many, so their names are short. */
function headerOf(view: ChartView, measure: ChartMeasure): string {
  const unit = unitText(measure, view.chart.yaxis_currency);
  const name = isCohort(view)
    ? measure.display_name.replace(/^Period (?=\d)/, "+")
    : measure.display_name;
  return unit === "" ? name : `${name} (${unit})`;
}
