/**
 * Parts of queries about customers and their payments.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { type Dimension, hasOneOf, ofCustomers } from "./dimensions.ts";
import { columnIn, filtersIn, type Question, segmentIn } from "./figures.ts";

/** Whether a filter or the segment looks at the customers. Sums by cohort do not know them. */
export function isOfCustomers({ segment, filters }: Question): boolean {
  return segment !== undefined || [...filters.keys()].some((one) => one.customerColumn);
}

/** Payments by their customer's first day. Its first part is the condition of that index. */
export const IS_PAYMENT = sql`m.customer_id is not null and m.gross_usd_micros <> 0`;

/** SQL for the part of a payment that counts as revenue. */
export function moneyIn(question: Question): RawBuilder<number> {
  return columnIn(question, "money", "m");
}

/**
 * Joins the customers when a filter or segment needs them. Each is looked up by its id: for a plain
 * join, SQLite may walk over all customers.
 */
export function joinCustomers(question: Question): RawBuilder<unknown> {
  if (!isOfCustomers(question)) return sql``;
  return sql`cross join ${question.tx.rows("customers")} as c
    where c.id = m.customer_id and ${filtersOfCustomer(question)}`;
}

/** SQL for the segment of a customer. */
export function segmentOfCustomer(question: Question): RawBuilder<string> {
  const { segment } = question;
  return segmentIn({ ...question, segment: segment && ofCustomers(segment) }, "c");
}

/** The filters on customers. */
export function filtersOfCustomer(question: Question): RawBuilder<unknown> {
  const filters = [...question.filters].filter(([{ customerColumn }]) => customerColumn)
    .map(([dimension, values]): [Dimension, readonly string[]] => [ofCustomers(dimension), values]);
  return filtersIn({ ...question, filters: new Map(filters) }, "c");
}

/** The filters on payments only. */
export function filtersOfPayment({ filters }: Question): RawBuilder<unknown> {
  const passed = [...filters].filter(([{ customerColumn }]) => !customerColumn)
    .map(([dimension, values]) => hasOneOf(dimension, values, "m"));
  return passed.length === 0 ? sql`1 = 1` : sql.join(passed, sql` and `);
}
