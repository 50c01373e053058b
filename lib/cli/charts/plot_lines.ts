/**
 * Lines of dots; a character has two by four dots.
 *
 * @module
 */

import { axisCells, labelAt, type Plan, type PlotRow, rowsPerStep } from "./plot_bars.ts";
import { BLANK, COLORS, type Glyph } from "./plot_cells.ts";

/** The marks of a series, which distinguish its line. */
export const MARKS: readonly string[] = ["●", "◆", "▲", "■", "○", "◇"];

/** The smallest distance of two marks of a line, in columns. */
const MARK_DISTANCE = 8;

/** A dot: columns count twice, rows four times, from the upper left. */
interface Dot {
  /** Half columns from the left. */
  readonly x: number;
  /** Quarter rows from the top. */
  readonly y: number;
}

/** The rows of a picture of lines, from top to bottom. */
export function lineRows(plan: Plan): PlotRow[] {
  const { scale, ticks, used } = plan;
  const each = rowsPerStep(plan);
  const steps = Math.round((scale.high - scale.low) / scale.step);
  const lowest = Math.round(scale.low / scale.step);
  const height = steps * each;
  const grid = drawLines(plan, height);
  return [
    ...Array.from({ length: height }, (_, i): PlotRow => {
      const edge = (height - i) / each;
      const label = Number.isInteger(edge) ? labelAt(ticks, lowest + edge) : "";
      const row = Array.from({ length: used }, (_, column) => grid[i * used + column] ?? BLANK);
      return { label, joint: label === "" ? "│" : "┤", row };
    }),
    { label: labelAt(ticks, lowest), joint: "┼", row: axisCells(plan) },
  ];
}

/** All cells of the picture, row by row. */
function drawLines(plan: Plan, height: number): (Glyph | undefined)[] {
  const { series, used } = plan;
  const bits: number[] = Array(height * used).fill(0);
  const grid: (Glyph | undefined)[] = Array(height * used);
  for (const [index, { values }] of series.entries()) {
    const color = COLORS[index % COLORS.length];
    const set = ({ x, y }: Dot) => {
      const cell = (y >> 2) * used + (x >> 1);
      const dots = (bits[cell] ?? 0) | (DOTS[y & 3]?.[x & 1] ?? 0);
      bits[cell] = dots;
      grid[cell] = { text: String.fromCharCode(0x2800 + dots), color };
    };
    let before: Dot | undefined;
    for (const [place, value] of values.entries()) {
      const dot = value === null ? undefined : dotOf(plan, height, place, value);
      if (dot) { for (const between of before ? line(before, dot) : [dot]) set(between); }
      before = dot;
    }
  }
  for (const [index] of series.entries()) placeMarks(plan, height, grid, index);
  return grid;
}

/** The bits of a character's dots in the Unicode block of Braille patterns. */
const DOTS = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/** The dot of a value. */
function dotOf({ places, used, scale }: Plan, height: number, place: number, value: number): Dot {
  const x = places.length === 1 ? used - 1 : place * (2 * used - 1) / (places.length - 1);
  const y = (scale.high - value) / (scale.high - scale.low) * (4 * height - 1);
  return { x: Math.round(x), y: Math.round(y) };
}

/** The dots from one to another. */
function line(from: Dot, to: Dot): Dot[] {
  const length = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y), 1);
  return Array.from({ length: length + 1 }, (_, i) => ({
    x: Math.round(from.x + (to.x - from.x) * i / length),
    y: Math.round(from.y + (to.y - from.y) * i / length),
  }));
}

/** Puts marks on a line: on its last point, and on others at a distance. */
function placeMarks(
  plan: Plan,
  height: number,
  grid: (Glyph | undefined)[],
  index: number,
): void {
  const { series, used } = plan;
  const values = series[index]?.values ?? [];
  const last = values.findLastIndex((value) => value !== null);
  // Lines close to each other have their marks at different places.
  let free = Math.floor(index * MARK_DISTANCE / series.length);
  for (const [place, value] of values.entries()) {
    if (value === null) continue;
    const { x, y } = dotOf(plan, height, place, value);
    const column = x >> 1;
    const wanted = place === last ||
      series.length > 1 && column >= free && column <= used - MARK_DISTANCE;
    if (!wanted) continue;
    free = column + MARK_DISTANCE;
    const text = MARKS[index % MARKS.length] ?? "●";
    grid[(y >> 2) * used + column] = { text, color: COLORS[index % COLORS.length] };
  }
}
