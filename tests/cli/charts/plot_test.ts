import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import stringWidth from "string-width";
import { drawChart } from "../../../lib/cli/charts/picture.ts";
import { chartColumns, chartRows } from "../../../lib/cli/charts/table.ts";
import { viewChart } from "../../../lib/cli/charts/view.ts";
import { drawPicture, type Picture } from "../../../lib/cli/charts/plot.ts";
import { drawShades } from "../../../lib/cli/charts/plot_shades.ts";
import type { Chart } from "../../../lib/resources/charts.ts";
import { anyText } from "../../support/any_text.ts";

Deno.test("bars stand on the axis, in eighths of a row", () => {
  const picture = pictureOf([[0, 1, 2, 4, 8, 16]]);
  deepStrictEqual(drawPicture(picture, { columns: 40, color: false, rows: 2 }), [
    "One",
    "20 ┤                              ▅▅▅▅▅",
    "10 ┤      ▁▁▁▁▁ ▂▂▂▂▂ ▃▃▃▃▃ ▆▆▆▆▆ █████",
    " 0 ┼────────────────────────────────────",
    "    A     B     C     D     E     F",
  ]);
});

Deno.test("without colours bars differ by texture, and negative ones hang", () => {
  const picture = pictureOf([[2, 4, 0, 0], [2, 0, 4, 0], [-4, 0, -2, -4]], { open: true });
  deepStrictEqual(drawPicture(picture, { columns: 24, color: false, rows: 4 }), [
    "█ One",
    "░ Two",
    "▓ Three",
    " 5 ┤░░░░ ████ ░░░░",
    "   │████ ████ ░░░░",
    " 0 ┼───────────────╌╌╌╌╌",
    "   │▓▓▓▓      ▓▓▓▓ ▓▓▓▓",
    "-5 ┤▓▓▓▓           ▓▓▓▓",
    "    A    B    C    D",
    "╌ incomplete",
  ]);
});

Deno.test("negative values are filled from above, however small", () => {
  const picture = pictureOf([[-0.1, -2.4, -2.5, -5, -7.4, -7.5, -10, -12]]);
  deepStrictEqual(drawPicture(picture, { columns: 28, color: false, rows: 2 }), [
    "One",
    "  0 ┼────────────────",
    "-10 ┤▔ ▔ ▀ ▀ ▀ █ █ █",
    "-20 ┤              ▔",
    "     A   C   E   G",
  ]);
});

Deno.test("with colours all bars are solid", () => {
  const picture = pictureOf([[1, 2], [1, 0]]);
  deepStrictEqual(drawPicture(picture, { columns: 24, color: true, rows: 2 }), [
    "\x1b[36m█\x1b[39m One",
    "\x1b[33m█\x1b[39m Two",
    "2 ┤\x1b[33m███████   \x1b[36m███████\x1b[39m",
    "1 ┤\x1b[36m███████   ███████\x1b[39m",
    "0 ┼────────────────────",
    "   A         B",
  ]);
});

Deno.test("lines are dots, with marks to distinguish them", () => {
  const picture = pictureOf([[0, 4, 8, 4, 0], [8, 8, 4, 4, 4]], { style: "lines" });
  deepStrictEqual(drawPicture(picture, { columns: 40, color: false, rows: 4 }), [
    "● One",
    "◆ Two",
    "10 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀◆       ⢀●",
    "   │          ⠉⢑⣒⠤⢔⣒⠉⠁ ⠉⠑⠒⠤⣀⡀",
    " 5 ┤     ⢀⣀⠤⠔●⠉⠁    ⠉⠑◆⠒⠒⠒⠒⠒⠚⠛◆⠲⠶⣒⡒⠒⠒⠒⠒◆",
    "   │●⠤⠔⠒⠉⠁                        ⠈⠉⠒⠢⠤●",
    " 0 ┼────────────────────────────────────",
    "    A        B        C       D        E",
  ]);
});

Deno.test("bars without a column of their own are added up", () => {
  const picture = pictureOf([Array.from({ length: 60 }, (_, i) => i)]);
  deepStrictEqual(drawPicture(picture, { columns: 25, color: false, rows: 4 }), [
    "One",
    "100 ┤         ▃▆█████████",
    "    │      ▂▅████████████",
    " 50 ┤   ▂▄▇██████████████",
    "    │▁▄▇█████████████████",
    "  0 ┼────────────────────",
    "     A    F    A    F",
    "each bar covers 3",
  ]);
  ok(!drawPicture(picture, { columns: 70, color: false }).join().includes("bar covers"));
});

Deno.test("shades are darker for larger values, and empty for unknown ones", () => {
  const shades = {
    rows: [{ label: "A", values: [4, 3, 2] }, { label: "B", values: [1, 0, null] }],
    labels: ["+0", "+1", "+2"],
    caption: "days later",
    format: String,
  };
  deepStrictEqual(drawShades(shades, { columns: 40, color: false }), [
    "· none  ░ to 1  ▒ to 2  ▓ to 3  █ to 4",
    "A  ████████▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒",
    "B  ░░░░░░░░········",
    "   +0      +1      +2",
    "   days later",
  ]);
});

Deno.test("an empty cohort has no share, in table and chart", () => {
  const measure = (display_name: string, unit: string) => ({
    display_name,
    description: "",
    unit,
    decimal_precision: unit === "%" ? 2 : 0,
    chartable: unit === "%",
    tabulable: true,
  });
  const [sample] = fc.sample(charts, 1);
  ok(sample);
  const values = [[0, 0], [4, 0]].flatMap((row, i) =>
    row.map((value, measure) => ({
      cohort: (20_000 + i) * DAY,
      incomplete: false,
      measure,
      value,
      segment: 0,
    }))
  );
  const view = viewChart({
    ...sample,
    display_type: "cohort",
    resolution: "day",
    measures: [measure("Subscriptions", "#"), measure("Period 0", "%")],
    segments: null,
    values,
  });
  const [, count, share] = chartColumns(view);
  deepStrictEqual(chartRows(view).map((row) => [count?.value(row), share?.value(row)]), [
    ["0", null],
    ["4", "0.00"],
  ]);
  const drawn = drawChart(view, { columns: 60, color: false }).join("\n");
  ok(/^2024-10-04$/m.test(drawn) && /^2024-10-05 +·+$/m.test(drawn), drawn);
});

Deno.test("a higher bar is never drawn lower, and a positive one never as zero", () => {
  const heights = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 2, maxLength: 30 });
  fc.assert(fc.property(heights, fc.integer({ min: 40, max: 120 }), (values, columns) => {
    const lines = drawPicture(pictureOf([values]), { columns, color: false });
    const axis = lines.findIndex((line) => line.includes("┼"));
    const from = (lines[axis] ?? "").indexOf("┼") + 1;
    const slot = Math.min(12, Math.max(1, Math.floor((columns - from) / values.length)));
    const eighths = values.map((_, i) =>
      lines.slice(1, axis).reduce((sum, line) => {
        return sum + " ▁▂▃▄▅▆▇█".indexOf(line[from + i * slot] ?? " ");
      }, 0)
    );
    for (const [i, value] of values.entries()) {
      for (const [j, other] of values.entries()) {
        if (value >= other) ok((eighths[i] ?? 0) >= (eighths[j] ?? 0), `${value} ${other}`);
      }
      equal((eighths[i] ?? 0) > 0, value > 0);
    }
  }));
});

Deno.test("a name that begins with a combining mark makes no line of the legend wider", () => {
  const values = [1];
  const lines = drawPicture({
    style: "lines",
    places: [{ label: "a", open: false }],
    strides: [1],
    format: String,
    series: [{ name: `🏽ำ: ${"x".repeat(30)}`, values }, { name: "b", values }],
  }, { columns: 18, color: false });
  ok(lines.length > 0);
  for (const line of lines) ok(stringWidth(line) <= 18, line);
});

Deno.test("no line of any chart is wider than its terminal", () => {
  fc.assert(
    fc.property(charts, fc.integer({ min: 1, max: 210 }), fc.boolean(), (chart, columns, color) => {
      for (const line of drawChart(viewChart(chart), { columns, color })) {
        // deno-lint-ignore no-control-regex
        const plain = line.replaceAll(/\x1b\[\d+m/g, "");
        ok(stringWidth(plain) <= columns, `${columns}: ${JSON.stringify(line)}`);
        ok(!/[\p{Cc}]/u.test(plain), JSON.stringify(line));
        if (!color) equal(plain, line);
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("the table of any chart has a row for each period and segment, with all numbers", () => {
  fc.assert(fc.property(charts, (chart) => {
    const view = viewChart(chart);
    const rows = chartRows(view);
    const cohorts = new Set(chart.values.map(({ cohort }) => cohort));
    equal(rows.length, cohorts.size * view.segments.length);
    const columns = chartColumns(view);
    for (const row of rows) for (const column of columns) column.value(row);
  }));
});

/** A picture of some series of whole numbers. */
function pictureOf(
  series: number[][],
  { style = "bars", open = false }: { style?: Picture["style"]; open?: boolean } = {},
): Picture {
  const count = series[0]?.length ?? 0;
  return {
    style,
    series: series.map((values, i) => ({ name: ["One", "Two", "Three"][i] ?? "", values })),
    places: Array.from({ length: count }, (_, i) => ({
      label: "ABCDEFGHIJ".charAt(i % 10),
      open: open && i === count - 1,
    })),
    strides: [1, 2, 5],
    whole: true,
    format: String,
  };
}

const numbers = fc.oneof(
  fc.integer({ min: -1000, max: 100_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e308, -1e308, 5e-324, 1e21),
);

const DAY = 86_400;

/** Charts as no service should send them, and some as it does. */
const charts: fc.Arbitrary<Chart> = fc.record({
  object: fc.constant("chart_data" as const),
  category: anyText,
  display_type: fc.constantFrom("line", "bar", "cohort", "default"),
  display_name: anyText,
  description: anyText,
  documentation_link: fc.constant(null),
  last_computed_at: fc.constant(null),
  start_date: fc.constant(null),
  end_date: fc.constant(null),
  yaxis_currency: fc.constantFrom("USD", "JPY", "SEK", "nonsense", ""),
  filtering_allowed: fc.boolean(),
  segmenting_allowed: fc.boolean(),
  resolution: fc.constantFrom("day", "week", "month", "quarter", "year", "fortnight"),
  values: fc.array(
    fc.record({
      cohort: fc.oneof(
        fc.integer({ min: 20_000, max: 20_400 }).map((day) => day * DAY),
        fc.integer(),
      ),
      incomplete: fc.boolean(),
      measure: fc.nat({ max: 5 }),
      segment: fc.nat({ max: 3 }),
      value: numbers,
    }),
    { maxLength: 120 },
  ),
  summary: fc.constantFrom(null, { average: { a: 1 } }),
  yaxis: fc.constantFrom("$", "#", "%", "km"),
  segments: fc.option(fc.array(
    fc.record({
      id: anyText,
      display_name: anyText,
      is_total: fc.boolean(),
      chartable: fc.boolean(),
    }),
    { maxLength: 4 },
  )),
  segments_limit: fc.constant(null),
  measures: fc.option(fc.array(
    fc.record({
      display_name: anyText,
      description: anyText,
      unit: fc.constantFrom("$", "#", "%", "km"),
      decimal_precision: fc.constantFrom(0, 2, -1, 200, 0.5),
      chartable: fc.boolean(),
      tabulable: fc.boolean(),
    }),
    { maxLength: 6 },
  )),
  user_selectors: fc.constant(null),
  unsupported_params: fc.constant(null),
});
