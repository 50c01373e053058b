/**
 * Reads sums over customers.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { paidInOneOf } from "../domain/cohorts.ts";
import {
  filtersOfCustomer,
  filtersOfPayment,
  IS_PAYMENT,
  isOfCustomers,
  joinCustomers,
  moneyIn,
  segmentOfCustomer,
} from "./customer_terms.ts";
import { environment } from "./dimensions.ts";
import {
  addFigure,
  addRows,
  constant,
  type Figures,
  type Question,
  spanOf,
  startOfDay,
  stretchesOf,
  sumOf,
  type SumRow,
} from "./figures.ts";
import type { Period } from "./periods.ts";
import type { CustomerSum } from "./sums.ts";
import { columnRef } from "../store/column_ref.ts";

/** Reads numbers of customers, and their payments. */
export async function readCustomers(
  figures: Figures,
  question: Question,
  sums: readonly CustomerSum[],
): Promise<void> {
  const span = spanOf(question.periods);
  const counted = sums.filter(({ what }) => what === "new" || what === "paying");
  const paid = sums.filter(({ what }) => what === "money");
  const active = sums.filter(({ what }) => what === "active");
  if (counted.length > 0) {
    addRows(figures, question, await countCustomers(question, counted), counted);
  }
  if (paid.length > 0) addRows(figures, question, await moneyOfCustomers(question, span), paid);
  for (const sum of active) {
    for (const [period, { starts, ends }] of question.periods.entries()) {
      for (const { segment, s0 } of await activeCustomers(question, { starts, ends })) {
        const row = { segment, sum, period, value: s0 ?? 0 };
        addFigure(figures, row, question.periods.length);
      }
    }
  }
}

/** The numbers of customers, and of those who have paid, by the time when they were first seen. */
async function countCustomers(
  question: Question,
  sums: readonly CustomerSum[],
): Promise<SumRow[]> {
  const { tx } = question;
  const columns = sums.map(({ what }, i) => {
    const number = what === "new"
      ? sql`count(*)`
      : sql`count(*) filter (where ${hasPaid(question)})`;
    return sql`${number} as ${columnRef(`s${i}`)}`;
  });
  const time = columnRef("c.first_seen_at");
  const all: SumRow[] = [];
  for (const { starts, ends, day, groups } of stretchesOf(question, time)) {
    const { rows } = await sql<SumRow>`
      select ${day} as day, ${segmentOfCustomer(question)} as segment, ${sql.join(columns)}
      from ${tx.rows("customers")} as c
      where ${time} >= ${starts} and ${time} < ${ends} and ${filtersOfCustomer(question)}
      ${groups}`.execute(tx);
    all.push(...rows);
  }
  return all;
}

/** SQL for whether a customer has paid in one of the selected environments. */
function hasPaid({ filters }: Question): RawBuilder<unknown> {
  const chosen = filters.get(environment);
  const wanted = ENVIRONMENTS.filter((one) => chosen?.includes(one) ?? true);
  const values = paidInOneOf(wanted);
  return values.length === 0 ? sql`1 = 0` : sql`c.paid_in in (${sql.join(values.map(sql.lit))})`;
}

const ENVIRONMENTS = ["production", "sandbox"] as const;

/** Payments to date, by the day when their customers were first seen. */
async function moneyOfCustomers(question: Question, { starts, ends }: Period): Promise<SumRow[]> {
  const { tx } = question;
  const payments = isOfCustomers(question)
    ? sql`
      select m.customer_since as day, m.customer_id, sum(${moneyIn(question)}) as paid
      from ${tx.rows("movements")} as m
      where m.customer_since >= ${starts} and m.customer_since < ${ends}
        and ${IS_PAYMENT} and ${filtersOfPayment(question)}
      group by m.customer_since, m.customer_id`
    : sql`
      select m.day, null as customer_id, ${moneyIn(question)} as paid
      from ${tx.rows("cohort_payments")} as m
      where m.day >= ${starts} and m.day < ${ends} and ${filtersOfPayment(question)}`;
  const { rows } = await sql<SumRow>`
    select ${startOfDay(columnRef("m.day"))} as day, ${segmentOfCustomer(question)} as segment,
      ${sumOf(columnRef("m.paid"))} as s0
    from (${payments}) as m ${joinCustomers(question)}
    group by 1, 2`.execute(tx);
  return rows;
}

/** The number of customers who were active in a period, each counted once. */
async function activeCustomers(
  question: Question,
  { starts, ends }: Period,
): Promise<SumRow[]> {
  const { tx } = question;
  const counted = sql`select ${segmentOfCustomer(question)} as segment, count(*) as n`;
  const groups = question.segment ? sql`group by 1` : sql``;
  const wanted = filtersOfCustomer(question);
  const customers = sql`${tx.rows("customers")} as c`;
  const within = (time: string) =>
    sql`${columnRef(time)} >= ${starts} and ${columnRef(time)} < ${ends}`;
  const isNew = sql`(${within("c.first_seen_at")})`;
  const isSeen = sql`coalesce(${within("c.last_seen_at")}, false)`;
  // Each part excludes the parts before it, so no customer counts twice. Movements know when their
  // customer was first seen, so the last part need not look up who is new. Each part counts by itself:
  // all their rows together would be sorted by segment.
  const { rows } = await sql<SumRow>`
    select ${constant(starts)} as day, segment, ${sumOf(columnRef("n"))} as s0
    from (
      ${counted} from ${customers} where ${wanted} and ${within("c.first_seen_at")} ${groups}
      union all
      ${counted} from ${customers}
      where ${wanted} and ${within("c.last_seen_at")} and not ${isNew} ${groups}
      union all
      ${counted} from (
        select distinct m.customer_id from ${tx.rows("movements")} as m
        where ${within("m.at")} and ${IS_BUYING} and not (${within("m.customer_since")})
      ) as m join ${customers} on c.id = m.customer_id
      where ${wanted} and not ${isSeen} ${groups}
    ) as active
    group by segment`.execute(tx);
  return rows;
}

/** Actions of a customer, as opposed to time or a store. It repeats an index's condition exactly. */
const IS_BUYING = sql`m.kind in ('trial_start', 'start', 'resubscription', 'purchase', 'upgrade',
  'downgrade', 'trial_change')`;
