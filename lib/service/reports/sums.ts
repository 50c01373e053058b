/**
 * What charts are made of: sums over the ledger and over customers, and what is made out of sums.
 *
 * @module
 */

import type { MovementKind } from "../domain/movements.ts";
import type { MovementSums } from "../store/holding_tables.ts";

/** A column of the ledger. `money` is the part of a payment that the revenue type asks for. */
export type Column =
  | Exclude<keyof MovementSums, "gross_usd_micros" | "commission_usd_micros" | "tax_usd_micros">
  | "money";

/** The time by which a movement counts for a period: its own, or one of what it belongs to. */
export type CountedBy = "at" | "transaction_at" | "started_at" | "paid_since";

/** A sum over movements. */
export interface LedgerSum {
  /** Where it comes from. */
  readonly from: "ledger";
  /** What is added up. */
  readonly column: Column;
  /** Only movements of these kinds. Undefined for all. */
  readonly kinds: readonly MovementKind[] | undefined;
  /** Whether only movements count that add something. */
  readonly gains: boolean;
  /** Which time of a movement counts. */
  readonly by: CountedBy;
  /** What is taken: the sum of the period, or of all time up to its end or its start. */
  readonly take: "period" | "end" | "start";
}

/**
 * A number of customers, or what they have paid until now. All but `active` belong to the period in
 * which a customer was first seen.
 */
export interface CustomerSum {
  /** Where it comes from. */
  readonly from: "customers";
  /** Customers, those who were there, those who have paid, or micros of US dollars. */
  readonly what: "new" | "active" | "paying" | "money";
}

/** What became of those who began in a period, some periods later. */
export interface LaterSum {
  /** Where it comes from. */
  readonly from: "later";
  /**
   * The micros that customers paid in the later period, or the subscriptions that were still paid
   * for at its end.
   */
  readonly what: "money" | "actives";
  /** How many periods later. */
  readonly offset: number;
}

/** A number for each period. */
export type Sum = LedgerSum | CustomerSum | LaterSum;

/** Sums, each times a factor, added up. */
export type Quantity = readonly { readonly sum: Sum; readonly times: number }[];

/** Everything in the ledger. */
const WHOLE = { from: "ledger", kinds: undefined, gains: false, by: "at" } as const;

/** What moved in the period. */
export function moved(column: Column, kinds?: readonly MovementKind[]): Quantity {
  return movedOf("at", column, kinds);
}

/** What moved at any time, for what began in the period: by the time named. */
export function movedOf(
  by: CountedBy,
  column: Column,
  kinds?: readonly MovementKind[],
): Quantity {
  return one({ from: "ledger", column, kinds, gains: false, by, take: "period" });
}

/** What was added at any time to what began in the period. */
export function gainedOf(
  by: CountedBy,
  column: Column,
  kinds: readonly MovementKind[],
): Quantity {
  return one({ from: "ledger", column, kinds, gains: true, by, take: "period" });
}

/** Where a level stood at the end of the period. */
export function level(column: Column): Quantity {
  return one({ ...WHOLE, column, take: "end" });
}

/** Where a level stood when the period began. */
export function levelBefore(column: Column): Quantity {
  return one({ ...WHOLE, column, take: "start" });
}

/** Customers, or what they have paid. */
export function customers(what: CustomerSum["what"]): Quantity {
  return one({ from: "customers", what });
}

/** What became of the period's customers or subscriptions. */
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

/** A quantity less others. */
export function minus(quantity: Quantity, ...others: readonly Quantity[]): Quantity {
  return plus(quantity, times(plus(...others), -1));
}

/** Whether a quantity says how things stand, so that adding up its periods makes no sense. */
export function isLevel(quantity: Quantity): boolean {
  return quantity.some(({ sum }) => sum.from === "ledger" && sum.take !== "period");
}

/** Whether a quantity is made of money that the revenue type applies to. */
export function isRevenue(quantity: Quantity): boolean {
  return quantity.some(({ sum }) =>
    sum.from === "ledger" ? sum.column === "money" : sum.what === "money"
  );
}

/** A name that is the same for sums that are the same. */
export function nameOfSum(sum: Sum): string {
  return JSON.stringify(sum);
}

function one(sum: Sum): Quantity {
  return [{ sum, times: 1 }];
}
