/**
 * How a chart is defined, and the words in which the tables of charts do it.
 *
 * @module
 */

import { isLevel, later, type Quantity } from "./sums.ts";

/** The unit of a measure: money, a count, or a share. */
export type Unit = "$" | "#" | "%";

/** One measure of a chart. */
export interface Measure {
  /** Its name for people. */
  readonly display_name: string;
  /** What it is, in one sentence. */
  readonly description: string;
  /** Its unit. Sums of money are micros of US dollars until they are shown. */
  readonly unit: Unit;
  /** Digits after the point that are worth showing. */
  readonly decimal_precision: number;
  /** Whether it is meant to be drawn. All measures are meant to be listed. */
  readonly chartable: boolean;
  /** What it is. */
  readonly value: Quantity;
  /** What `value` is divided by, for a share or an average; nothing by nothing is 0. */
  readonly per: Quantity | undefined;
  /** How many periods later it is known: there is no value before that period has begun. */
  readonly offset: number;
}

/** What a chart can be narrowed and split by: what the ledger holds, or what customers have. */
export type Subject = "ledger" | "customers" | "payers";

/** A chart. */
export interface Definition {
  /** Its name for code. */
  readonly name: string;
  /** The group that it belongs to. */
  readonly category: string;
  /** How it is meant to be drawn: `line` for levels and shares, `bar` for flows, or `cohort`. */
  readonly display_type: "line" | "bar" | "cohort";
  /** Its name for people. */
  readonly display_name: string;
  /** What it shows, in a sentence or two. */
  readonly description: string;
  /** What it is about. */
  readonly subject: Subject;
  /** What it measures. Cohorts have one measure for each later period: 0 and so many more. */
  measures(offsets: number): readonly Measure[];
}

/** The most periods that cohorts are followed for. */
export const MOST_OFFSETS = 12;

/** What may be said about a measure besides its quantity. */
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

/** Measures of what became of a cohort, one for each later period. */
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
        ? "In the period itself"
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
