/**
 * The parts of a chart's definition, and helpers to write one.
 *
 * @module
 */

import { isLevel, later, type Quantity } from "./sums.ts";

/** The unit of a measure: money, a count, or a share. */
type Unit = "$" | "#" | "%";

/** One measure of a chart. */
export interface Measure {
  /** Its name for people. */
  readonly display_name: string;
  /** Its description, one sentence. */
  readonly description: string;
  /** Its unit. Sums of money are micros of US dollars until they are shown. */
  readonly unit: Unit;
  /** Decimal places to show. */
  readonly decimal_precision: number;
  /** Whether to draw it. All measures are listed. */
  readonly chartable: boolean;
  /** The quantity. */
  readonly value: Quantity;
  /** The divisor of `value`, for a share or an average; 0 divided by 0 is 0. */
  readonly per: Quantity | undefined;
  /** The number of periods until it is known. Before that period starts there is no value. */
  readonly offset: number;
}

/** The source of a chart's filters and segments: the ledger or the customers. */
export type Subject = "ledger" | "customers" | "payers";

/** A chart. */
export interface Definition {
  /** Its name for code. */
  readonly name: string;
  /** The group that it belongs to. */
  readonly category: string;
  /** How to draw it: `line` for levels and shares, `bar` for flows, or `cohort`. */
  readonly display_type: "line" | "bar" | "cohort";
  /** Its name for people. */
  readonly display_name: string;
  /** Its description, a sentence or two. */
  readonly description: string;
  /** The source of its filters and segments. */
  readonly subject: Subject;
  /** Its measures. A cohort has one for its own period and one for each later period. */
  measures(offsets: number): readonly Measure[];
}

/** The most later periods of a cohort. */
export const MOST_OFFSETS = 12;

/** The optional parts of a measure. */
type Options = Partial<Pick<Measure, "chartable" | "decimal_precision">>;

/** A measure that counts. */
export function count(
  display_name: string,
  description: string,
  value: Quantity,
  options: Options = {},
): Measure {
  return measure({ display_name, description, unit: "#", value, ...options });
}

/** A measure of money. */
export function money(
  display_name: string,
  description: string,
  value: Quantity,
  options: Options & Partial<Pick<Measure, "per">> = {},
): Measure {
  return measure({ display_name, description, unit: "$", value, ...options });
}

/** A measure of a share: a part of a whole, in percent. */
export function share(
  display_name: string,
  description: string,
  value: Quantity,
  per: Quantity,
): Measure {
  return measure({ display_name, description, unit: "%", value, per });
}

/** The measures of a cohort, one for each later period. */
export function followed(
  what: "money" | "actives",
  unit: Unit,
  offsets: number,
  per?: Quantity,
): Measure[] {
  return Array.from({ length: offsets + 1 }, (_, offset) =>
    measure({
      display_name: `Period ${offset}`,
      description: offset === 0
        ? "In the same period"
        : `${offset} ${offset === 1 ? "period" : "periods"} later`,
      unit,
      value: later(what, offset),
      per,
      offset,
    }));
}

/** Whether the sum of a measure's periods makes sense. */
export function addsUp({ value, per }: Measure): boolean {
  return per === undefined && !isLevel(value);
}

function measure(
  parts: Pick<Measure, "display_name" | "description" | "unit" | "value"> & Partial<Measure>,
): Measure {
  const decimal_precision = parts.unit === "#" ? 0 : 2;
  return { decimal_precision, chartable: true, per: undefined, offset: 0, ...parts };
}
