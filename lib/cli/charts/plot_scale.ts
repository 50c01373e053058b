/**
 * The y axis: its range and its numbers.
 *
 * @module
 */

import { visible } from "../screen/display.ts";

/** The y axis. It always includes zero. */
export interface Scale {
  /** Its lower end, a multiple of the step. */
  readonly low: number;
  /** Its upper end, a multiple of the step. */
  readonly high: number;
  /** The distance between two ticks. */
  readonly step: number;
}

/** A number beside the axis. */
export interface Tick {
  /** Its number of steps above zero. */
  readonly steps: number;
  /** The number as text. */
  readonly text: string;
}

/** Finds a scale of round numbers that covers all values. */
export function scaleOf(
  values: readonly number[],
  { intervals, whole }: { intervals: number; whole: boolean },
): Scale {
  const bottom = values.reduce((least, value) => Math.min(least, value), 0);
  const top = values.reduce((most, value) => Math.max(most, value), 0);
  const span = top - bottom < 1e-100 ? 1 : top - bottom;
  const rough = roundStep(span / intervals);
  const step = whole ? Math.max(1, rough) : rough;
  const low = Math.floor(bottom / step + 1e-9) * step;
  const high = Math.ceil(top / step - 1e-9) * step;
  return { low, high: low === high ? step : high, step };
}

/** The numbers beside a scale, lowest first. */
export function tickTexts(
  { low, high, step }: Scale,
  format: (value: number, step: number) => string,
): Tick[] {
  const first = Math.round(low / step);
  const last = Math.round(high / step);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const steps = first + i;
    return { steps, text: visible(format(steps * step, step)) };
  });
}

/** The smallest of 1, 2, 5, 10, 20 and so on that is not less. */
function roundStep(least: number): number {
  const unit = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((one) => one * unit >= least * (1 - 1e-9)) ?? 10;
  return factor * unit;
}
