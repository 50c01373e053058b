/**
 * The labels below the x axis.
 *
 * @module
 */

import { visible, width } from "../screen/display.ts";
import type { AxisPoint } from "./series.ts";

/** The part of a plan that places labels. */
interface LabelPlan {
  /** The places, first to last. */
  readonly places: readonly AxisPoint[];
  /** The arrangement of the places: beside each other, or from one end to the other. */
  readonly style: "bars" | "lines";
  /** The possible numbers of places between two labels, smallest first. */
  readonly strides: readonly number[];
  /** Columns of the axis. */
  readonly used: number;
  /** Columns of one place, if they are beside each other. */
  readonly slot: number;
}

/** The first column of a place's label. */
function columnOf(plan: LabelPlan, place: number): number {
  const { style, slot, used, places } = plan;
  if (style === "bars") return place * slot;
  return places.length === 1 ? 0 : Math.round(place * (used - 1) / (places.length - 1));
}

/** Labels, and eras below them if there are any. Labels without room are left out. */
export function labelRows(plan: LabelPlan): string[] {
  const { places, used, strides } = plan;
  const widest = Math.max(...places.map(({ label }) => width(label)));
  const distance = plan.style === "bars" ? plan.slot : used / places.length;
  const needed = (widest + 2) / distance;
  const stride = strides.find((one) => one >= needed) ?? Math.ceil(needed);
  const shown = places.flatMap((place, i) => i % stride === 0 ? [{ place, i }] : []);
  const labels = shown.map(({ place, i }) => ({ text: place.label, at: columnOf(plan, i) }));
  const eras = shown.filter(({ place }, n) =>
    place.era !== undefined && place.era !== shown[n - 1]?.place.era
  ).map(({ place, i }) => ({ text: place.era ?? "", at: columnOf(plan, i) }));
  return [rowOf(labels, used), ...eras.length > 0 ? [rowOf(eras, used)] : []];
}

/** Texts in their columns, moved to the left if they would cross the end. */
function rowOf(texts: readonly { text: string; at: number }[], room: number): string {
  let row = "";
  for (const { text, at } of texts) {
    const label = visible(text);
    const start = Math.min(at, room - width(label));
    const gap = start - width(row);
    if (start < 0 || gap < (row === "" ? 0 : 1)) continue;
    row += " ".repeat(gap) + label;
  }
  return row;
}
