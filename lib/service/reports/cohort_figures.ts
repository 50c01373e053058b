/**
 * Reads the later figures of cohorts: what customers or subscriptions of a period bring afterwards.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { weekInMonthOf } from "../domain/calendar.ts";
import {
  filtersOfPayment,
  IS_PAYMENT,
  isOfCustomers,
  joinCustomers,
  moneyIn,
  segmentOfCustomer,
} from "./customer_terms.ts";
import { MOST_OFFSETS } from "./definition.ts";
import {
  addFigure,
  type Figures,
  filtersIn,
  type Question,
  segmentIn,
  spanOf,
  sumOf,
} from "./figures.ts";
import type { Period } from "./periods.ts";
import type { LaterSum } from "./sums.ts";
import { columnRef } from "../store/column_ref.ts";

/** Reads the later figures of each period's customers or subscriptions. */
export async function readLater(
  figures: Figures,
  question: Question,
  sums: readonly LaterSum[],
): Promise<void> {
  const { periods, laterPeriods } = question;
  for (const [what, group] of Map.groupBy(sums, (sum) => sum.what)) {
    const most = Math.max(...group.map(({ offset }) => offset));
    for (const [period, cohort] of periods.entries()) {
      // Each later cohort has reached one period less than the one before.
      const reached = most < MOST_OFFSETS ? Math.max(0, most - period) : most;
      const later = laterPeriods.slice(period, period + reached + 1);
      const read = what === "money" ? moneyOfCohort : activesOfCohort;
      for (const { segment, ...brought } of await read(question, cohort, later)) {
        for (const sum of group) {
          const value = broughtBy(sum, brought);
          if (value === 0) continue;
          addFigure(figures, { segment, sum, period, value }, periods.length);
        }
      }
    }
  }
}

/** What a cohort has brought in its own period, `s0`, and in those after it, `s1` and so on. */
interface Brought {
  [sum: `s${number}`]: number;
}

/** The same with the segment's value in its column. */
type BroughtRow = Brought & { segment: string };

/** A later figure. Those who are active at the end of a period came or went up to then. */
function broughtBy({ what, offset }: LaterSum, brought: Brought): number {
  if (what === "money") return brought[`s${offset}`] ?? 0;
  let actives = 0;
  for (let i = 0; i <= offset; i++) actives += brought[`s${i}`] ?? 0;
  return actives;
}

/**
 * Sums of a value in each of some periods: `s0`, `s1` and so on. What came before counts for the first
 * one. One pass adds each row to one sum; grouped by their periods, rows would be sorted first.
 */
function sumsOver(
  value: RawBuilder<unknown>,
  time: RawBuilder<unknown>,
  periods: readonly Period[],
): RawBuilder<unknown> {
  return sql.join(periods.map(({ starts, ends }, i) => {
    const begun = i === 0 ? sql`` : sql`${time} >= ${starts} and `;
    return sql`${sumOf(value, sql`${begun}${time} < ${ends}`)} as ${columnRef(`s${i}`)}`;
  }));
}

/** Whether a period consists of whole weeks within months, as the sums of cohorts do. */
function isOfWeeks({ starts, ends }: Period): boolean {
  return starts === weekInMonthOf(starts) && ends === weekInMonthOf(ends);
}

/** Payments of customers first seen in a period. */
async function moneyOfCohort(
  question: Question,
  { starts, ends }: Period,
  later: readonly Period[],
): Promise<BroughtRow[]> {
  if (isOfCustomers(question)) return await moneyBySegment(question, { starts, ends }, later);
  const { tx } = question;
  const until = spanOf(later).ends;
  const money = moneyIn(question);
  const payments = later.every(isOfWeeks)
    ? sql`
      select '' as segment, ${sumsOver(money, columnRef("m.week"), later)}
      from ${tx.rows("cohort_payments")} as m
      where m.day >= ${starts} and m.day < ${ends} and m.week < ${until}`
    : sql`
      select '' as segment, ${sumsOver(money, columnRef("m.at"), later)}
      from ${tx.rows("movements")} as m
      where m.customer_since >= ${starts} and m.customer_since < ${ends} and m.at < ${until}
        and ${IS_PAYMENT}`;
  const { rows } = await sql<BroughtRow>`${payments} and ${filtersOfPayment(question)}`
    .execute(tx);
  return rows;
}

/**
 * The same by attributes of the customers. The payments of each are added up first, in the order of
 * an index, so that a customer is looked up once.
 */
async function moneyBySegment(
  question: Question,
  { starts, ends }: Period,
  later: readonly Period[],
): Promise<BroughtRow[]> {
  const { tx } = question;
  const sums = later.map((_, i) => sql`sum(${columnRef(`m.s${i}`)}) as ${columnRef(`s${i}`)}`);
  const { rows } = await sql<BroughtRow>`
    select ${segmentOfCustomer(question)} as segment, ${sql.join(sums)}
    from (
      select m.customer_id, ${sumsOver(moneyIn(question), columnRef("m.at"), later)}
      from ${tx.rows("movements")} as m
      where m.customer_since >= ${starts} and m.customer_since < ${ends}
        and m.at < ${spanOf(later).ends} and ${IS_PAYMENT} and ${filtersOfPayment(question)}
      group by m.customer_since, m.customer_id
    ) as m ${joinCustomers(question)}
    group by 1`.execute(tx);
  return rows;
}

/** Gains and losses of subscriptions first paid for in a period. */
async function activesOfCohort(
  question: Question,
  { starts, ends }: Period,
  later: readonly Period[],
): Promise<BroughtRow[]> {
  const { tx, segment } = question;
  const { rows } = await sql<BroughtRow>`
    select ${segmentIn(question)} as segment,
      ${sumsOver(columnRef("actives_delta"), columnRef("at"), later)}
    from ${tx.rows("movements")} as movements
    where paid_since >= ${starts} and paid_since < ${ends}
      and actives_delta <> 0 and at < ${spanOf(later).ends} and ${filtersIn(question)}
    ${segment ? sql`group by 1` : sql``}`.execute(tx);
  return rows;
}
