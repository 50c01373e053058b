/**
 * Reads sums over customers, and the later figures of cohorts.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { paidInOneOf } from "../domain/cohorts.ts";
import { MOST_OFFSETS } from "./definition.ts";
import { type Dimension, hasOneOf, ofCustomers } from "./dimensions.ts";
import {
  addFigure,
  addRows,
  columnIn,
  type Figures,
  filtersIn,
  isOfMonths,
  type Question,
  segmentIn,
  spanOf,
  startOfDay,
  sumOf,
  type SumRow,
} from "./figures.ts";
import { indexOfPeriod, type Period } from "./periods.ts";
import type { CustomerSum, LaterSum } from "./sums.ts";

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
    const spans = isQuick(question, question.periods) ? question.periods : [span];
    for (const one of spans) {
      addRows(figures, question, await countCustomers(question, one, counted), counted);
    }
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

/**
 * Up to so many periods, a sum for each is quicker than one query of all days: to group rows by their
 * day, SQLite sorts them.
 */
const FEW_PERIODS = 24;

/** Whether sums can be added up for each period, without sorting. */
function isQuick({ segment }: Question, periods: readonly Period[]): boolean {
  return segment === undefined && periods.length <= FEW_PERIODS;
}

/** The numbers of customers, and of those who have paid, by the day when they were first seen. */
async function countCustomers(
  question: Question,
  { starts, ends }: Period,
  sums: readonly CustomerSum[],
): Promise<SumRow[]> {
  const { tx } = question;
  const columns = sums.map(({ what }, i) => {
    const number = what === "new" ? sql`1` : sql`case when ${hasPaid(question)} then 1 end`;
    return sql`${sumOf(number)} as ${sql.ref(`s${i}`)}`;
  });
  const quick = isQuick(question, question.periods);
  const { rows } = await sql<SumRow>`
    select ${quick ? constant(starts) : startOfDay(sql.ref("c.first_seen_at"))} as day,
      ${segmentOfCustomer(question)} as segment, ${sql.join(columns)}
    from ${tx.rows("customers")} as c
    where c.first_seen_at >= ${starts} and c.first_seen_at < ${ends} and ${
    filtersOfCustomer(question)
  }
    ${quick ? sql`` : sql`group by 1, 2`}`.execute(tx);
  return rows;
}

/** SQL for whether a customer has paid in one of the selected environments. */
function hasPaid({ filters }: Question): RawBuilder<unknown> {
  const chosen = [...filters].find(([{ column }]) => column === "environment")?.[1];
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
      select m.customer_since as day, m.customer_id, sum(${money(question)}) as paid
      from ${tx.rows("movements")} as m
      where m.customer_since >= ${starts} and m.customer_since < ${ends}
        and ${IS_PAYMENT} and ${filtersOfPayment(question)}
      group by m.customer_since, m.customer_id`
    : sql`
      select m.day, null as customer_id, ${money(question)} as paid
      from ${tx.rows("cohort_payments")} as m
      where m.day >= ${starts} and m.day < ${ends} and ${filtersOfPayment(question)}`;
  const { rows } = await sql<SumRow>`
    select ${startOfDay(sql.ref("m.day"))} as day, ${segmentOfCustomer(question)} as segment,
      ${sumOf(sql.ref("m.paid"))} as s0
    from (${payments}) as m ${joinCustomers(question)}
    group by 1, 2`.execute(tx);
  return rows;
}

/** SQL for the part of a payment that counts as revenue. */
function money(question: Question): RawBuilder<number> {
  return columnIn(question, "money", "m");
}

/** Whether a filter or the segment looks at the customers. Sums by cohort do not know them. */
function isOfCustomers({ segment, filters }: Question): boolean {
  return segment !== undefined || [...filters.keys()].some((one) => one.customerColumn);
}

/** A number as a column: of a bare parameter, an engine may not know the type. */
function constant(value: number): RawBuilder<number> {
  return sql`cast(${value} as bigint)`;
}

/** The number of customers who were active in a period, each counted once. */
async function activeCustomers(
  question: Question,
  { starts, ends }: Period,
): Promise<SumRow[]> {
  const { tx } = question;
  const segment = sql`${segmentOfCustomer(question)} as segment`;
  const wanted = filtersOfCustomer(question);
  const customers = sql`${tx.rows("customers")} as c`;
  const within = (time: string) =>
    sql`${sql.ref(time)} >= ${starts} and ${sql.ref(time)} < ${ends}`;
  const isNew = sql`(${within("c.first_seen_at")})`;
  const isSeen = sql`coalesce(${within("c.last_seen_at")}, false)`;
  // Each part excludes the parts before it, so no customer counts twice. Movements know when their
  // customer was first seen, so the last part need not look up who is new.
  const { rows } = await sql<SumRow>`
    select ${constant(starts)} as day, segment, count(*) as s0
    from (
      select ${segment} from ${customers} where ${wanted} and ${within("c.first_seen_at")}
      union all
      select ${segment} from ${customers}
      where ${wanted} and ${within("c.last_seen_at")} and not ${isNew}
      union all
      select ${segment} from (
        select distinct m.customer_id from ${tx.rows("movements")} as m
        where ${within("m.at")} and ${IS_BUYING} and not (${within("m.customer_since")})
      ) as m join ${customers} on c.id = m.customer_id
      where ${wanted} and not ${isSeen}
    ) as active
    group by segment`.execute(tx);
  return rows;
}

/** Reads the later figures of each period's customers or subscriptions. */
export async function readLater(
  figures: Figures,
  question: Question,
  sums: readonly LaterSum[],
): Promise<void> {
  const { periods } = question;
  for (const [what, group] of Map.groupBy(sums, (sum) => sum.what)) {
    const most = Math.max(...group.map(({ offset }) => offset));
    for (const period of periods.keys()) {
      // Each later cohort has reached one period less than the one before.
      const reached = most < MOST_OFFSETS ? Math.max(0, most - period) : most;
      for (const { segment, offset, value } of await readCohort(question, what, period, reached)) {
        for (const sum of group) {
          const counts = what === "money" ? sum.offset === offset : sum.offset >= offset;
          if (counts) addFigure(figures, { segment, sum, period, value }, periods.length);
        }
      }
    }
  }
}

/** A figure of a cohort, some periods after its own. */
interface Brought {
  /** The segment. */
  segment: string;
  /** The number of periods. Earlier movements count for the cohort's own period. */
  offset: number;
  /** The figure. */
  value: number;
}

/** Reads the figures of a period's cohort, in that period and at least so many later ones. */
async function readCohort(
  question: Question,
  what: LaterSum["what"],
  period: number,
  most: number,
): Promise<Brought[]> {
  const { laterPeriods, periods } = question;
  const cohort = periods[period];
  if (!cohort) return [];
  const later = laterPeriods.slice(period, period + most + 1);
  const read = what === "money" ? moneyOfCohort : activesOfCohort;
  if (isQuick(question, later)) {
    const [row] = await read(question, cohort, later);
    // Each sum includes the earlier ones.
    const upTo = later.map((_, i) => row?.[`s${i}`] ?? 0);
    return upTo.map((sum, offset) => ({
      segment: "",
      offset,
      value: sum - (upTo[offset - 1] ?? 0),
    })).filter(({ value }) => value !== 0);
  }
  const rows = await read(question, cohort, undefined);
  return rows.map(({ day, segment, s0 }) => {
    const offset = Math.max(0, indexOfPeriod(laterPeriods, day) - period);
    return { segment, offset, value: s0 ?? 0 };
  });
}

/** Sums of a value over rows: of each day, or of all up to the end of each of some periods. */
function sumsOver(
  { value, time, segment }: Record<"value" | "time" | "segment", RawBuilder<unknown>>,
  upTo: readonly Period[] | undefined,
): { columns: RawBuilder<unknown>; groups: RawBuilder<unknown> } {
  if (!upTo) {
    const columns = sql`${startOfDay(time)} as day, ${segment} as segment, ${sumOf(value)} as s0`;
    return { columns, groups: sql`group by 1, 2` };
  }
  const columns = upTo.map(({ ends }, i) =>
    sql`${sumOf(sql`case when ${time} < ${ends} then ${value} end`)} as ${sql.ref(`s${i}`)}`
  );
  return { columns: sql.join(columns), groups: sql`` };
}

/** Payments of customers first seen in a period. */
async function moneyOfCohort(
  question: Question,
  { starts, ends }: Period,
  upTo: readonly Period[] | undefined,
): Promise<SumRow[]> {
  const { tx, laterPeriods } = question;
  const [value, time] = [sql.ref("m.paid"), sql.ref("m.at")];
  const { columns, groups } = sumsOver({ value, time, segment: segmentOfCustomer(question) }, upTo);
  const until = spanOf(laterPeriods).ends;
  const payments = isOfCustomers(question) || !laterPeriods.every(isOfMonths)
    ? sql`
      select m.at, m.customer_id, ${money(question)} as paid
      from ${tx.rows("movements")} as m
      where m.customer_since >= ${starts} and m.customer_since < ${ends} and m.at < ${until}
        and ${IS_PAYMENT} and ${filtersOfPayment(question)}`
    : sql`
      select m.month as at, ${money(question)} as paid
      from ${tx.rows("cohort_payments")} as m
      where m.day >= ${starts} and m.day < ${ends} and m.month < ${until}
        and ${filtersOfPayment(question)}`;
  const { rows } = await sql<SumRow>`
    select ${columns} from (${payments}) as m ${joinCustomers(question)} ${groups}`.execute(tx);
  return rows;
}

/** Gains and losses of subscriptions first paid for in a period. */
async function activesOfCohort(
  question: Question,
  { starts, ends }: Period,
  upTo: readonly Period[] | undefined,
): Promise<SumRow[]> {
  const { tx, laterPeriods } = question;
  const [value, time] = [sql.ref("actives_delta"), sql.ref("at")];
  const { columns, groups } = sumsOver({ value, time, segment: segmentIn(question) }, upTo);
  const { rows } = await sql<SumRow>`
    select ${columns}
    from ${tx.rows("movements")} as movements
    where paid_since >= ${starts} and paid_since < ${ends}
      and actives_delta <> 0 and at < ${spanOf(laterPeriods).ends} and ${filtersIn(question)}
    ${groups}`.execute(tx);
  return rows;
}

/** Actions of a customer, as opposed to time or a store. It repeats an index's condition exactly. */
const IS_BUYING = sql`m.kind in ('trial_start', 'start', 'resubscription', 'purchase', 'upgrade',
  'downgrade', 'trial_change')`;

/** Payments by their customer's first day. Its first part is the condition of that index. */
const IS_PAYMENT = sql`m.customer_id is not null and m.gross_usd_micros <> 0`;

/** Joins the customers when a filter or segment needs them. */
function joinCustomers(question: Question): RawBuilder<unknown> {
  if (!isOfCustomers(question)) return sql``;
  return sql`join ${question.tx.rows("customers")} as c on c.id = m.customer_id
    where ${filtersOfCustomer(question)}`;
}

function segmentOfCustomer(question: Question): RawBuilder<string> {
  const { segment } = question;
  return segmentIn({ ...question, segment: segment && ofCustomers(segment) }, "c");
}

/** The filters on customers. */
function filtersOfCustomer(question: Question): RawBuilder<unknown> {
  const filters = [...question.filters].filter(([{ customerColumn }]) => customerColumn)
    .map(([dimension, values]): [Dimension, readonly string[]] => [ofCustomers(dimension), values]);
  return filtersIn({ ...question, filters: new Map(filters) }, "c");
}

/** The filters on payments only. */
function filtersOfPayment({ filters }: Question): RawBuilder<unknown> {
  const passed = [...filters].filter(([{ customerColumn }]) => !customerColumn)
    .map(([dimension, values]) => hasOneOf(dimension, values, "m"));
  return passed.length === 0 ? sql`1 = 1` : sql.join(passed, sql` and `);
}
