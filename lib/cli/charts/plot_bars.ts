/**
 * Stacked bars: positive values upwards, negative values downwards.
 *
 * @module
 */

import type { AxisPoint, Series } from "./series.ts";
import { BLANK, COLORS, type Glyph, TEXTURES } from "./plot_cells.ts";
import type { Scale, Tick } from "./plot_scale.ts";

/** The input of a picture's rows. */
export interface Plan {
  /** The series. */
  readonly series: readonly Series[];
  /** The places, first to last. */
  readonly places: readonly AxisPoint[];
  /** The y axis. */
  readonly scale: Scale;
  /** The numbers beside it. */
  readonly ticks: readonly Tick[];
  /** The approximate number of rows. */
  readonly target: number;
  /** Columns of the x axis. */
  readonly used: number;
  /** Columns of one place. */
  readonly slot: number;
  /** Whether there are colours. */
  readonly color: boolean;
}

/** A row of a picture. */
export interface PlotRow {
  /** The number beside it, if any. */
  readonly label: string;
  /** The y axis of this picture. */
  readonly joint: string;
  /** The columns right of the y axis. */
  readonly row: readonly Glyph[];
}

/** Rows from one tick to the next. */
export function rowsPerStep({ ticks, target }: Pick<Plan, "ticks" | "target">): number {
  return Math.max(1, Math.round(target / Math.max(1, ticks.length - 1)));
}

/** The axis itself, broken below incomplete periods. */
export function axisCells({ places, used }: Pick<Plan, "places" | "used">): Glyph[] {
  return Array.from({ length: used }, (_, column) => {
    const place = places[Math.min(places.length - 1, Math.floor(column * places.length / used))];
    return { text: place?.open ? "╌" : "─" };
  });
}

/** The text beside a row: of the tick at its outer edge. */
export function labelAt(ticks: readonly Tick[], steps: number): string {
  return ticks.find((tick) => tick.steps === steps)?.text ?? "";
}

/** The rows of a picture of bars, from top to bottom. */
export function barRows(plan: Plan): PlotRow[] {
  const { scale, ticks } = plan;
  const each = rowsPerStep(plan);
  const above = Math.round(scale.high / scale.step) * each;
  const below = Math.round(-scale.low / scale.step) * each;
  const unit = scale.step / each;
  const row = (band: number, sign: 1 | -1): PlotRow => {
    const label = labelAt(ticks, (band + 1) / each * sign);
    return { label, joint: label === "" ? "│" : "┤", row: bandCells(plan, band, unit, sign) };
  };
  return [
    ...Array.from({ length: above }, (_, i) => row(above - 1 - i, 1)),
    { label: labelAt(ticks, 0), joint: "┼", row: axisCells(plan) },
    ...Array.from({ length: below }, (_, i) => row(i, -1)),
  ];
}

/** One row: the part of every bar in a band, counted from zero outwards. */
function bandCells(plan: Plan, band: number, unit: number, sign: 1 | -1): Glyph[] {
  const { places, slot } = plan;
  const thick = slot < 3 ? Math.max(1, slot - (slot > 1 ? 1 : 0)) : Math.ceil(slot * 0.7);
  return places.flatMap((_, place) => {
    const cell = barCell(plan, place, { from: band * unit, to: (band + 1) * unit }, sign);
    return Array.from({ length: slot }, (_, column) => column < thick ? cell : BLANK);
  });
}

/**
 * The part of one bar in a band: the series with the largest share, as full as all of them
 * together.
 */
function barCell(
  { series, color }: Plan,
  place: number,
  band: { from: number; to: number },
  sign: 1 | -1,
): Glyph {
  let height = 0;
  let covered = 0;
  let best = { index: 0, part: 0 };
  for (const [index, { values }] of series.entries()) {
    const value = (values[place] ?? 0) * sign;
    if (value <= 0) continue;
    const part = Math.min(height + value, band.to) - Math.max(height, band.from);
    height += value;
    if (part <= 0) continue;
    covered += part;
    if (part > best.part) best = { index, part };
  }
  const share = covered / (band.to - band.from);
  // Even a tiny part is visible.
  if (share <= 0 || (band.from > 0 && share < 1 / 16)) return BLANK;
  const texture = TEXTURES[best.index % TEXTURES.length] ?? "█";
  const solid = color || texture === "█" && series.length === 1;
  const text = solid ? filled(share, sign) : share >= 0.5 || band.from === 0 ? texture : " ";
  return { text, color: COLORS[best.index % COLORS.length] };
}

/** A partly filled character, from below or from above. */
function filled(share: number, sign: 1 | -1): string {
  if (sign === 1) return "▁▂▃▄▅▆▇█"[Math.min(7, Math.max(0, Math.round(share * 8) - 1))] ?? "█";
  return share >= 0.75 ? "█" : share >= 0.25 ? "▀" : "▔";
}
