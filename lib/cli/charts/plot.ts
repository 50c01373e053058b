/**
 * Pictures of series for a terminal: bars, lines and shades, made of characters of width one that
 * every terminal font has. Without colours, series differ by texture or marks.
 *
 * @module
 */

import { fit, padEnd, visible, width } from "../screen/display.ts";
import { barRows } from "./plot_bars.ts";
import type { Canvas } from "../screen/output.ts";
import { COLORS, type Glyph, paint, TEXTURES } from "./plot_cells.ts";
import { labelRows } from "./plot_labels.ts";
import { lineRows, MARKS } from "./plot_lines.ts";
import { scaleOf, tickTexts } from "./plot_scale.ts";
import type { AxisPoint, Series } from "./series.ts";

/** A picture of some series of one unit. */
export interface Picture {
  /** Stacked bars, or a line for each series. */
  readonly style: "bars" | "lines";
  /** The series. */
  readonly series: readonly Series[];
  /** The x axis. */
  readonly places: readonly AxisPoint[];
  /** The possible numbers of places between two labels, smallest first. */
  readonly strides: readonly number[];
  /** Whether all numbers are integers. */
  readonly whole?: boolean | undefined;
  /** A number on the y axis, as text. `step` is the distance to the next one. */
  format(value: number, step: number): string;
}

/** The canvas of a plot. */
export interface PlotCanvas extends Canvas {
  /** The approximate number of rows. Default: more on a wide canvas. */
  readonly rows?: number | undefined;
}

/** The smallest width for the numbers; a narrower picture is not drawn. */
const LEAST_ROOM = 12;

/** The largest width of a place. */
const WIDEST_PLACE = 12;

/** Draws a picture: names, numbers, axes. No line is wider than the canvas; none if it is too narrow. */
export function drawPicture(wanted: Picture, canvas: PlotCanvas): string[] {
  const picture = { ...wanted, series: wanted.series.map(bounded) };
  const { series, places, format, whole = false } = picture;
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  const target = canvas.rows ?? (canvas.columns < 70 ? 8 : canvas.columns < 130 ? 10 : 14);
  const stacked = picture.style === "bars" ? stackEnds(series) : values;
  const scale = scaleOf(stacked, { intervals: Math.max(2, Math.round(target / 2)), whole });
  const ticks = tickTexts(scale, format);
  const margin = Math.max(...ticks.map(({ text }) => width(text))) + 2;
  const room = canvas.columns - margin;
  if (room < LEAST_ROOM || places.length === 0 || series.length === 0) return [];

  const grouped = picture.style === "bars" ? groupBars(picture, room) : picture;
  const slot = Math.min(WIDEST_PLACE, Math.max(1, Math.floor(room / grouped.places.length)));
  const used = picture.style === "bars"
    ? slot * grouped.places.length
    : Math.min(room, WIDEST_PLACE * grouped.places.length);
  const plan = { ...grouped, scale, ticks, target, used, slot, color: canvas.color };
  const rows = picture.style === "bars" ? barRows(plan) : lineRows(plan);
  const head = legend(picture, canvas);
  const body = rows.map(({ label, joint, row }) =>
    `${" ".repeat(margin - 2 - width(label))}${label} ${joint}${paint(row, canvas.color)}`.trimEnd()
  );
  const feet = labelRows(plan).map((text) => `${" ".repeat(margin)}${text}`.trimEnd());
  return [...head, ...body, ...feet, ...remarks(picture, grouped, canvas)];
}

/** The largest number, so that sums and distances are finite. */
const LARGEST = 1e100;

/** A series without numbers that no axis has. */
function bounded(series: Series): Series {
  const bound = (value: number) => Math.min(LARGEST, Math.max(-LARGEST, value));
  return { ...series, values: series.values.map((value) => value === null ? null : bound(value)) };
}

/** The ends of stacked bars, above and below zero. */
function stackEnds(series: readonly Series[]): number[] {
  const [first] = series;
  return (first?.values ?? []).flatMap((_, i) => {
    const values = series.map((one) => one.values[i] ?? 0);
    const sum = (sign: 1 | -1) => values.reduce((all, v) => v * sign > 0 ? all + v : all, 0);
    return [sum(1), sum(-1)];
  });
}

/** Adds neighbours until there is a column for each bar. */
function groupBars(picture: Picture, room: number): Picture & { grouped: number } {
  const { series, places } = picture;
  const size = Math.ceil(places.length / room);
  const starts = Array.from({ length: Math.ceil(places.length / size) }, (_, i) => i * size);
  return {
    ...picture,
    grouped: size,
    places: starts.map((start) => ({
      label: places[start]?.label ?? "",
      era: places[start]?.era,
      open: places.slice(start, start + size).some(({ open }) => open),
    })),
    series: series.map((one) => ({
      ...one,
      values: starts.map((start) => sumOf(one.values.slice(start, start + size))),
    })),
  };
}

/** The sum of the known values. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** A line for each series: its mark, its name, and its note. */
function legend({ series, style }: Picture, { columns, color }: PlotCanvas): string[] {
  const names = series.map(({ name }) => visible(name));
  const widest = Math.max(...names.map(width));
  return series.map(({ note }, i) => {
    const mark = series.length === 1 ? undefined : markOf(style, i, color);
    const room = columns - (mark ? 2 : 0);
    const name = names[i] ?? "";
    const text = note === undefined ? name : `${padEnd(name, widest)}  ${visible(note)}`;
    if (mark === undefined) return fit(text, room);
    // A name may join the space before it, and that changes widths.
    const wider = width(`${mark.text} ${fit(text, room)}`) - columns;
    return `${paint([mark], color)} ${fit(text, room - Math.max(0, wider))}`;
  });
}

/** The mark of a series. */
function markOf(style: Picture["style"], series: number, color: boolean): Glyph {
  const texture = color ? "█" : TEXTURES[series % TEXTURES.length] ?? "█";
  const text = style === "bars" ? texture : MARKS[series % MARKS.length] ?? "●";
  return { text, color: COLORS[series % COLORS.length] };
}

/** The legend of the picture, if it needs one. */
function remarks(
  { places }: Picture,
  grouped: Picture & { grouped?: number },
  { columns, color }: PlotCanvas,
): string[] {
  const open = places.some((place) => place.open) ? ["╌ incomplete"] : [];
  const size = grouped.grouped ?? 1;
  const sum = size > 1 ? [`each bar covers ${size}`] : [];
  const text = [...sum, ...open].join("   ");
  if (text === "") return [];
  const dim = color ? ["\x1b[2m", "\x1b[22m"] : ["", ""];
  return [`${dim[0]}${fit(text, columns)}${dim[1]}`];
}
