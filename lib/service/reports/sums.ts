/**
 * Sums over the ledger and over customers, and the quantities built from them.
 *
 * @module
 */

import type { MovementKind } from "../domain/movements.ts";
import type { MovementSums } from "../store/holding_tables.ts";

/** A column of the ledger. `money` is the part of a payment that the revenue type selects. */
export type Column =
  | Exclude<keyof MovementSums, "gross_usd_micros" | "commission_usd_micros" | "tax_usd_micros">
  | "money";

/** The time that assigns a movement to a period: its own, or that of its payment or subscription. */
export type CountedBy = "at" | "transaction_at" | "started_at" | "paid_since";

/** A sum over movements. */
export interface LedgerSum {
  /** Where it comes from. */
  readonly from: "ledger";
  /** The column to add up. */
  readonly column: Column;
  /** Only movements of these kinds. Undefined for all. */
  readonly kinds: readonly MovementKind[] | undefined;
  /** Whether only positive movements count. */
  readonly gains: boolean;
  /** The time that assigns a movement to a period. */
  readonly by: CountedBy;
  /** The sum of the period, or of all time up to its end or its start. */
  readonly take: "period" | "end" | "start";
}

/**
 * A number of customers, or their payments to date. All but `active` belong to the period in which a
 * customer was first seen.
 */
export interface CustomerSum {
  /** Where it comes from. */
  readonly from: "customers";
  /** New, active or paying customers, or their payments in micros of US dollars. */
  readonly what: "new" | "active" | "paying" | "money";
}

/** A figure of a cohort some periods later. */
export interface LaterSum {
  /** Where it comes from. */
  readonly from: "later";
  /**
   * Payments in the later period, in micros of US dollars, or the subscriptions that are still active
   * at its end.
   */
  readonly what: "money" | "actives";
  /** The number of periods. */
  readonly offset: number;
}

/** A number for each period. */
export type Sum = LedgerSum | CustomerSum | LaterSum;

/** Sums, each times a factor, added up. */
export type Quantity = readonly { readonly sum: Sum; readonly times: number }[];

/** All movements. */
const WHOLE = { from: "ledger", kinds: undefined, gains: false, by: "at" } as const;

/** The movements of the period. */
export function moved(column: Column, kinds?: readonly MovementKind[]): Quantity {
  return movedOf("at", column, kinds);
}

/** Movements at any time, assigned to a period by the given time. */
export function movedOf(
  by: CountedBy,
  column: Column,
  kinds?: readonly MovementKind[],
): Quantity {
  return one({ from: "ledger", column, kinds, gains: false, by, take: "period" });
}

/** Positive movements at any time, assigned to a period by the given time. */
export function gainedOf(
  by: CountedBy,
  column: Column,
  kinds: readonly MovementKind[],
): Quantity {
  return one({ from: "ledger", column, kinds, gains: true, by, take: "period" });
}

/** A level at the end of the period. */
export function level(column: Column): Quantity {
  return one({ ...WHOLE, column, take: "end" });
}

/** A level at the start of the period. */
export function levelBefore(column: Column): Quantity {
  return one({ ...WHOLE, column, take: "start" });
}

/** Customers, or their payments. */
export function customers(what: CustomerSum["what"]): Quantity {
  return one({ from: "customers", what });
}

/** The later figures of the period's customers or subscriptions. */
export function later(what: LaterSum["what"], offset: number): Quantity {
  return one({ from: "later", what, offset });
}

/** The sum of quantities. */
export function plus(...quantities: readonly Quantity[]): Quantity {
  return quantities.flat();
}

/** A quantity times a factor. */
export function times(quantity: Quantity, factor: number): Quantity {
  return quantity.map((term) => ({ ...term, times: term.times * factor }));
}

/** A quantity minus others. */
export function minus(quantity: Quantity, ...others: readonly Quantity[]): Quantity {
  return plus(quantity, times(plus(...others), -1));
}

/** Whether a quantity is a level, so that its periods do not add up. */
export function isLevel(quantity: Quantity): boolean {
  return quantity.some(({ sum }) => sum.from === "ledger" && sum.take !== "period");
}

/** Whether the revenue type applies to a quantity. */
export function isRevenue(quantity: Quantity): boolean {
  return quantity.some(({ sum }) =>
    sum.from === "ledger" ? sum.column === "money" : sum.what === "money"
  );
}

/** The distinct sums behind some quantities. */
export function sumsIn(quantities: readonly Quantity[]): Sum[] {
  return [...new Map(quantities.flat().map(({ sum }) => [nameOfSum(sum), sum])).values()];
}

/** The amount of a quantity over some periods, from the series of its sums by name. */
export function amountOf(
  quantity: Quantity,
  series: ReadonlyMap<string, readonly number[]>,
  periods: readonly number[],
): number {
  return quantity.reduce((total, { sum, times }) => {
    const values = series.get(nameOfSum(sum));
    return periods.reduce((all, period) => all + times * (values?.[period] ?? 0), total);
  }, 0);
}

/** The names of sums, which are asked for with each number. */
const names = new WeakMap<Sum, string>();

/** A name for a sum; equal sums have equal names. */
export function nameOfSum(sum: Sum): string {
  let name = names.get(sum);
  if (name === undefined) names.set(sum, name = JSON.stringify(sum));
  return name;
}

function one(sum: Sum): Quantity {
  return [{ sum, times: 1 }];
}
