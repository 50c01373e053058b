/**
 * The payments of customers, added up by the day on which their customers were first seen, and the
 * environments in which a customer has paid. Charts of cohorts read these in place of all payments.
 *
 * @module
 */

import type { Environment } from "../store/holding_tables.ts";
import type { Row } from "../store/tables.ts";
import { dayOf, weekInMonthOf } from "./calendar.ts";

/** The parts of a movement that count for a cohort. */
export type CohortMovement = Pick<
  Row<"movements">,
  | "project_id"
  | "at"
  | "customer_id"
  | "customer_since"
  | "environment"
  | "gross_usd_micros"
  | "commission_usd_micros"
  | "tax_usd_micros"
>;

/** The key of a row of cohort sums: every column that is not a sum. */
export const COHORT_KEY = ["project_id", "day", "week", "environment"] as const;

/** Rows of `cohort_payments`, by the text of their keys. */
export type CohortTotals = Map<string, Row<"cohort_payments">>;

/** The number of each environment in `paid_in`. Both together are 3. */
export const PAID_IN: Readonly<Record<Environment, 1 | 2>> = { production: 1, sandbox: 2 };

/** The values of `paid_in` of customers who have paid in at least one of some environments. */
export function paidInOneOf(environments: readonly Environment[]): number[] {
  const wanted = environments.reduce((all, one) => all | PAID_IN[one], 0);
  return [1, 2, 3].filter((paid) => (paid & wanted) !== 0);
}

/**
 * Adds a movement to the sums of its cohort, or takes it out. Only money of a customer who is not
 * deleted counts.
 */
export function addToCohorts(
  totals: CohortTotals,
  movement: CohortMovement,
  how: "add" | "take out" = "add",
): void {
  if (movement.customer_id === null || movement.gross_usd_micros === 0) return;
  const sign = how === "add" ? 1 : -1;
  const row = {
    project_id: movement.project_id,
    day: dayOf(movement.customer_since),
    week: weekInMonthOf(movement.at),
    environment: movement.environment,
  };
  const key = COHORT_KEY.map((name) => row[name]).join("\0");
  const known = totals.get(key);
  totals.set(key, {
    ...row,
    movements: (known?.movements ?? 0) + sign,
    gross_usd_micros: (known?.gross_usd_micros ?? 0) + sign * movement.gross_usd_micros,
    commission_usd_micros: (known?.commission_usd_micros ?? 0) +
      sign * movement.commission_usd_micros,
    tax_usd_micros: (known?.tax_usd_micros ?? 0) + sign * movement.tax_usd_micros,
  });
}
