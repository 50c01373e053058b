/**
 * Rows of shades: a darker shade is a larger number.
 *
 * @module
 */

import { fit, padStart, visible, width } from "../screen/display.ts";
import { BLANK, COLORS, type Glyph, paint } from "./plot_cells.ts";
import type { PlotCanvas } from "./plot.ts";

/** A table of numbers to draw as shades. */
interface Shades {
  /** The rows, first to last. */
  readonly rows: readonly ShadeRow[];
  /** The labels below the columns. */
  readonly labels: readonly string[];
  /** The caption of the columns. */
  readonly caption: string;
  /** A number as text. */
  format(value: number): string;
}

/** One row of numbers. */
interface ShadeRow {
  /** Its name. */
  readonly label: string;
  /** Its numbers; null for a missing one. */
  readonly values: readonly (number | null)[];
}

const LEVELS: readonly string[] = ["░", "▒", "▓", "█"];

/** The most rows in a picture: the last ones. */
const MOST_ROWS = 31;

/** The largest width of a column. */
const WIDEST = 8;

/** Draws shades. No line is wider than the canvas; none if it is too narrow. */
export function drawShades(
  { rows, labels, caption, format }: Shades,
  canvas: PlotCanvas,
): string[] {
  const { columns, color } = canvas;
  const shown = rows.slice(-MOST_ROWS);
  const margin = Math.max(0, ...shown.map(({ label }) => width(label))) + 2;
  const size = Math.min(WIDEST, Math.floor((columns - margin) / Math.max(1, labels.length)));
  if (size < 1 || shown.length === 0) return [];
  const most = Math.max(0, ...shown.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const lines = shown.map(({ label, values }) => {
    const cells = values.flatMap((value) => Array<Glyph>(size).fill(shadeOf(value, most)));
    return `${padStart(visible(label), margin - 2)}  ${paint(cells, color)}`.trimEnd();
  });
  const left = rows.length - shown.length;
  return [
    legend(most, format, canvas),
    ...left > 0 ? [fit(`The last ${shown.length} of ${rows.length}`, columns)] : [],
    ...lines,
    `${" ".repeat(margin)}${below(labels, size)}`,
    fit(`${" ".repeat(margin)}${caption}`, columns),
  ];
}

/** One number as a shade. */
function shadeOf(value: number | null, most: number): Glyph {
  if (value === null) return BLANK;
  if (value <= 0 || most <= 0) return { text: "·" };
  const level = Math.min(LEVELS.length - 1, Math.ceil(value / most * LEVELS.length) - 1);
  return { text: LEVELS[level] ?? "█", color: COLORS[0] };
}

/** The legend of the shades. */
function legend(
  most: number,
  format: (value: number) => string,
  { columns, color }: PlotCanvas,
): string {
  const texts = LEVELS.map((text, i) => ({
    text,
    upTo: visible(format(most * (i + 1) / LEVELS.length)),
  }));
  const plain = `· none  ${texts.map(({ text, upTo }) => `${text} to ${upTo}`).join("  ")}`;
  if (width(plain) > columns || most <= 0) return fit(most <= 0 ? "· none" : plain, columns);
  const painted = texts.map(({ text, upTo }) =>
    `${paint([{ text, color: COLORS[0] }], color)} to ${upTo}`
  );
  return `· none  ${painted.join("  ")}`;
}

/** Labels of columns, as many as fit. */
function below(labels: readonly string[], size: number): string {
  const widest = Math.max(...labels.map(width)) + 1;
  const stride = Math.ceil(widest / size);
  let row = "";
  for (const [i, label] of labels.entries()) {
    const room = size * labels.length - i * size;
    if (i % stride !== 0 || width(label) > room) continue;
    row += " ".repeat(i * size - width(row)) + label;
  }
  return row;
}
