import { equal } from "node:assert/strict";
import { drawChart } from "../../../lib/cli/charts/picture.ts";
import { viewChart } from "../../../lib/cli/charts/view.ts";

/** The first day of a period, by its number. */
const BEGINNINGS: Record<string, (i: number) => number> = {
  day: (i) => Date.UTC(2024, 0, 1 + i),
  week: (i) => Date.UTC(2024, 0, 1 + 7 * i),
  month: (i) => Date.UTC(2000, i, 1),
  quarter: (i) => Date.UTC(2000, 3 * i, 1),
  year: (i) => Date.UTC(2000 + i, 0, 1),
};

/** The first two labels below a chart of so many periods, each with its year as far as it shows. */
function labelsOf(resolution: string, count: number): string {
  const view = viewChart({
    object: "chart_data",
    category: "x",
    display_type: "line",
    display_name: "X",
    description: "",
    documentation_link: null,
    last_computed_at: null,
    start_date: null,
    end_date: null,
    yaxis_currency: "USD",
    filtering_allowed: false,
    segmenting_allowed: false,
    resolution,
    values: Array.from({ length: count }, (_, value) => ({
      cohort: (BEGINNINGS[resolution]?.(value) ?? 0) / 1000,
      incomplete: false,
      measure: 0,
      segment: 0,
      value,
    })),
    summary: null,
    yaxis: "#",
    segments: null,
    segments_limit: null,
    measures: [{
      display_name: "M",
      description: "",
      unit: "#",
      decimal_precision: 0,
      chartable: true,
      tabulable: true,
    }],
    user_selectors: null,
    unsupported_params: null,
  });
  const lines = drawChart(view, { columns: 60, color: false, rows: 4 });
  const axis = lines.findIndex((line) => line.includes("┼"));
  const [labels = "", years = ""] = lines.slice(axis + 1);
  const [first = 0, second = 0] = [...labels.matchAll(/\S+(?: \d+)?/g)].map(({ index }) => index);
  return [first, second].map((at) => {
    const [label = ""] = labels.slice(at).split("  ");
    const [year = ""] = /^\d{4}/.exec(years.slice(at)) ?? [];
    return `${label} ${year}`.trim();
  }).join(", ");
}

/** Numbers of periods of each resolution, and the first two labels of their chart. */
const LABELS: Record<string, [count: number, labels: string][]> = {
  day: [
    [5, "Jan 1 2024, Jan 2"],
    [9, "Jan 1 2024, Jan 3"],
    [15, "Jan 1 2024, Jan 8"],
    [50, "Jan 1 2024, Jan 15"],
    [97, "Jan 1 2024, Jan 29"],
    [201, "Jan 1 2024, Apr 1"],
    [638, "Jan 1 2024, Jul 1"],
    [1334, "Jan 1 2024, Dec 30"],
  ],
  week: [
    [5, "Jan 1 2024, Jan 8"],
    [8, "Jan 1 2024, Jan 15"],
    [15, "Jan 1 2024, Jan 29"],
    [29, "Jan 1 2024, Feb 26"],
    [56, "Jan 1 2024, Apr 1"],
    [92, "Jan 1 2024, Jul 1"],
    [181, "Jan 1 2024, Dec 30"],
  ],
  month: [
    [5, "Jan 2000, Feb"],
    [12, "Jan 2000, Mar"],
    [23, "Jan 2000, Apr"],
    [35, "Jan 2000, Jul"],
    [70, "Jan 2000, Jan 2001"],
    [133, "Jan 2000, Jan 2002"],
    [273, "Jan 2000, Jan 2005"],
    [670, "Jan 2000, Jan 2010"],
  ],
  quarter: [
    [5, "Q1 2000, Q2"],
    [15, "Q1 2000, Q3"],
    [29, "Q1 2000, Q1 2001"],
    [56, "Q1 2000, Q1 2002"],
    [114, "Q1 2000, Q1 2005"],
    [287, "Q1 2000, Q1 2010"],
  ],
  year: [
    [5, "2000, 2001"],
    [10, "2000, 2002"],
    [19, "2000, 2005"],
    [47, "2000, 2010"],
    [92, "2000, 2020"],
    [191, "2000, 2050"],
    [474, "2000, 2100"],
  ],
};

Deno.test("the labels below a chart are whole weeks, quarters, years or decades apart", () => {
  for (const [resolution, rows] of Object.entries(LABELS)) {
    for (const [count, labels] of rows) {
      equal(labelsOf(resolution, count), labels, `${count} ${resolution}s`);
    }
  }
});
