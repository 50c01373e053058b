/**
 * The invariants of cohorts: the sums of their payments, and the customers who have paid.
 *
 * @module
 */

import { addDuration, DAY_MS, monthOf } from "../domain/calendar.ts";
import { PAID_IN } from "../domain/cohorts.ts";
import {
  bySql,
  type Invariant,
  type Moment,
  MOST_FOUND,
  rowsOf,
  type Violation,
} from "./invariant.ts";

const MONEY = ["gross_usd_micros", "commission_usd_micros", "tax_usd_micros"];

/** Payments less refunds, of customers who are not deleted. */
const COUNTS = "customer_id is not null and gross_usd_micros <> 0";

/** The invariants. */
export const cohorts: readonly Invariant[] = [
  {
    name: "cohort-sums",
    says: "The sums of each cohort are those of its payments",
    find: findOddCohorts,
  },
  bySql(
    "first-days",
    "Each row of the ledger knows when its customer was first seen",
    `select movements.project_id, movements.seq, customer_id, customer_since, first_seen_at from movements
    join customers on customers.project_id = movements.project_id
      and customers.id = movements.customer_id
    where customer_since <> first_seen_at`,
  ),
  bySql(
    "payers",
    "Each customer knows where it has paid",
    `select customers.project_id, id, paid_in, coalesce(paid, 0) as paid
    from customers left join (
      select project_id, customer_id, sum(distinct case environment
        when 'production' then ${PAID_IN.production} else ${PAID_IN.sandbox} end) as paid
      from movements where payments_delta > 0 and ${COUNTS} group by project_id, customer_id
    ) as payments on payments.project_id = customers.project_id
      and payments.customer_id = customers.id
    where paid_in <> coalesce(paid, 0)`,
  ),
];

/**
 * The sums that are not those of their payments. No SQL of both engines finds the month of a moment,
 * so each month of each project is looked at alone.
 */
async function findOddCohorts(moment: Moment): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { project_id, month } of await monthsIn(moment)) {
    const ends = addDuration(month, "P1M");
    const rows = await rowsOf(
      moment,
      DIFFERENCES,
      [month, month, project_id, month, ends, project_id, month, ends],
    );
    found.push(...rows.map((row) => ({ project_id, ...row })));
    if (found.length >= MOST_FOUND) break;
  }
  return found.slice(0, MOST_FOUND);
}

/** The first moment of a movement's week. The first day of 1970 was a Thursday. */
const WEEK = `((at + ${3 * DAY_MS}) / ${7 * DAY_MS} * ${7 * DAY_MS} - ${3 * DAY_MS})`;

/** The groups of a month in which the sums differ from the payments. */
const DIFFERENCES = `select day, week, environment, sum(movements) as movements, ${
  MONEY.map((name) => `sum(${name}) as ${name}`).join(", ")
} from (
  select customer_since / ${DAY_MS} * ${DAY_MS} as day, case
    when ${WEEK} < cast(? as bigint) then cast(? as bigint) else ${WEEK} end as week,
    environment, 1 as movements, ${
  MONEY.join(", ")
} from movements where project_id = ? and at >= ? and at < ? and ${COUNTS}
  union all select day, week, environment, -movements as movements, ${
  MONEY.map((name) => `-${name} as ${name}`).join(", ")
} from cohort_payments where project_id = ? and week >= ? and week < ?) as merged
  group by day, week, environment having ${
  ["movements", ...MONEY].map((name) => `sum(${name}) <> 0`).join(" or ")
} limit ${MOST_FOUND}`;

/** A month of a project. */
interface Month {
  /** The project. */
  project_id: string;
  /** The first moment, in milliseconds since 1970. */
  month: number;
}

/** The months from the first movement of each project to its last one, and those that sums name. */
async function monthsIn(moment: Moment): Promise<Iterable<Month>> {
  const months = new Map<string, Month>();
  const add = (one: Month) => months.set(`${one.project_id} ${one.month}`, one);
  const spans = await rowsOf<{ project_id: string; first: number; last: number }>(
    moment,
    "select project_id, min(at) as first, max(at) as last from movements group by project_id",
  );
  for (const { project_id, first, last } of spans) {
    for (let month = monthOf(first); month <= last; month = addDuration(month, "P1M")) {
      add({ project_id, month });
    }
  }
  const named = await rowsOf<{ project_id: string; week: number }>(
    moment,
    "select distinct project_id, week from cohort_payments",
  );
  for (const { project_id, week } of named) add({ project_id, month: monthOf(week) });
  return months.values();
}
