/**
 * The invariants of the ledger: what customers pay and hold, and the sums of that.
 *
 * @module
 */

import { DAY_MS } from "../domain/calendar.ts";
import { type Levels, levelsOf } from "../domain/movements.ts";
import type { Row } from "../store/tables.ts";
import {
  bySql,
  type Invariant,
  type Moment,
  MOST_FOUND,
  rowsOf,
  type Violation,
} from "./invariant.ts";

/** The columns that the sums of days and months add up. */
const SUMMED = [
  "gross_usd_micros",
  "commission_usd_micros",
  "tax_usd_micros",
  "payments_delta",
  "refunds_delta",
  "mrr_delta_micros",
  "actives_delta",
  "trials_delta",
  "renewing_delta",
  "billing_issues_delta",
] as const;

/** The columns by which days and months are told apart, besides the day. */
const KINDS = [
  ...["kind", "environment", "store", "app_id", "product_id"],
  ...["product_duration", "offering_id", "country", "platform"],
];

/** The first moment of a movement's day. The values are before the year 2970, so nothing overflows. */
const DAY = `at / ${DAY_MS} * ${DAY_MS}`;

/**
 * The groups in which a table of sums differs from the movements: what one has is taken off the other.
 * Sums have the empty text for null.
 */
function differences(table: string, day: string, keys: readonly string[]): string {
  const kinds = keys.filter((name) => name !== "day");
  const kindsOfMovements = kinds.map((name) => `coalesce(${name}, '') as ${name}`).join(", ");
  const added = ["movements", ...SUMMED];
  const group = ["project_id", ...keys].join(", ");
  const plus = ["1 as movements", ...SUMMED].join(", ");
  const minus = added.map((name) => `-${name} as ${name}`).join(", ");
  const sums = added.map((name) => `sum(${name}) as ${name}`).join(", ");
  const odd = added.map((name) => `sum(${name}) <> 0`).join(" or ");
  const days = keys.includes("day") ? [`${day} as day, `, "day, "] : ["", ""];
  return `select ${group}, ${sums} from (
    select project_id, ${days[0]}${kindsOfMovements}, ${plus} from movements
    union all select project_id, ${days[1]}${kinds.join(", ")}, ${minus} from ${table}) as merged
    group by ${group} having ${odd}`;
}

/** The invariants. */
export const ledger: readonly Invariant[] = [
  bySql(
    "daily-sums",
    "The sums of each day are those of its movements",
    differences("movements_daily", DAY, ["day", ...KINDS]),
  ),
  bySql(
    "daily-totals",
    "The totals of each day are those of its movements",
    differences("movement_totals", DAY, ["day", "kind", "environment"]),
  ),
  {
    name: "monthly-sums",
    says: "The sums of each month are those of its movements",
    find: async (moment) => {
      const kinds = await rowsOf(
        moment,
        `${differences("movements_monthly", "0", KINDS)} limit ${MOST_FOUND}`,
      );
      return kinds.length > 0 ? kinds : await oddMonths(moment);
    },
  },
  {
    name: "levels",
    says: "The movements of each subscription add up to its state",
    find: findOddLevels,
  },
  bySql(
    "money",
    "The movements of each subscription and purchase add up to its money",
    `select * from (${moneyOf("subscription", "1 = 1")} union all ${
      moneyOf("purchase", "owner.status = 'owned'")
    }) as odd`,
  ),
  bySql(
    "payments",
    "Each subscription has the money of its payments, and one that is shared has none",
    `select owner.project_id, owner.id, owner.gross_usd_micros, coalesce(paid, 0) as paid
    from subscriptions as owner left join (
      select project_id, subscription_id, sum(gross_usd_micros) as paid from transactions
      where status = 'completed' group by project_id, subscription_id) as payments
    on payments.project_id = owner.project_id and payments.subscription_id = owner.id
    where owner.gross_usd_micros <> coalesce(paid, 0)
      or owner.ownership <> 'purchased' and owner.gross_usd_micros <> 0`,
  ),
  bySql(
    "periods",
    "No period of a subscription is paid for twice",
    `select project_id, subscription_id, purchased_at, expires_at, count(*) as payments
    from transactions where status = 'completed' and expires_at is not null
    group by project_id, subscription_id, purchased_at, expires_at having count(*) > 1`,
  ),
  {
    name: "overdue",
    says: "No step of a subscription is overdue",
    find: (moment) =>
      rowsOf(
        moment,
        `select subscriptions.project_id, subscriptions.id, due_at from subscriptions
        join projects on projects.id = subscriptions.project_id
        where clock_advancing_to is null and due_at <= coalesce(clock_frozen_at, ? + clock_offset)
        ${moment.settled ? "" : "and clock_frozen_at is not null"} limit ${MOST_FOUND}`,
        [moment.now],
      ),
  },
  bySql(
    "future",
    "Nothing has happened after the project's time",
    `select * from (
      select 'events' as found_in, project_id, seq, created_at as at from events
      union all select 'movements' as found_in, project_id, seq, at from movements) as happened
    where exists (select 1 from projects where projects.id = happened.project_id
      and clock_advancing_to is null and happened.at > coalesce(clock_frozen_at, ? + clock_offset))`,
    // The clocks of machines differ.
    ({ now, settled }) => [settled ? now : now + SLACK_MS],
  ),
];

/** How far a machine's clock may be behind, in milliseconds. */
const SLACK_MS = 60_000;

/** The rows whose money is not that of their movements. */
function moneyOf(object: "subscription" | "purchase", counts: string): string {
  const columns = ["gross_usd_micros", "commission_usd_micros", "tax_usd_micros"];
  const sums = columns.map((name) => `sum(${name}) as ${name}`).join(", ");
  const odd = columns.map((name) =>
    `coalesce(moved.${name}, 0) <> case when ${counts} then owner.${name} else 0 end`
  );
  return `select '${object}' as object, owner.project_id, owner.id, owner.gross_usd_micros,
      coalesce(moved.gross_usd_micros, 0) as moved_usd_micros
    from ${object}s as owner left join (
      select project_id, ${object}_id, ${sums} from movements where ${object}_id is not null
      group by project_id, ${object}_id) as moved
    on moved.project_id = owner.project_id and moved.${object}_id = owner.id
    where ${odd.join(" or ")}`;
}

/** The months whose sums are not those of their days. */
async function oddMonths(moment: Moment): Promise<Violation[]> {
  const sums = ["project_id", "day", "sum(gross_usd_micros) as gross_usd_micros"];
  const counted = (count: string) => [...sums, `${count} as movements`].join(", ");
  const days = await rowsOf<MonthSum>(
    moment,
    `select ${counted("count(*)")} from (select project_id, ${DAY} as day, gross_usd_micros
      from movements) as moved group by project_id, day`,
  );
  const months = await rowsOf<MonthSum>(
    moment,
    `select ${counted("sum(movements)")} from movements_monthly group by project_id, day`,
  );
  const odd = new Map<string, MonthSum>();
  const add = ({ project_id, day, ...row }: MonthSum, sign: 1 | -1) => {
    const date = new Date(day);
    // A day that is not the first of a month stays one of its own.
    const month = sign === 1 ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) : day;
    const name = `${project_id} ${month}`;
    const sum = odd.get(name) ?? { project_id, day: month, gross_usd_micros: 0, movements: 0 };
    sum.gross_usd_micros += sign * row.gross_usd_micros;
    sum.movements += sign * row.movements;
    odd.set(name, sum);
  };
  days.forEach((row) => add(row, 1));
  months.forEach((row) => add(row, -1));
  return [...odd.values()].filter((sum) => sum.gross_usd_micros !== 0 || sum.movements !== 0)
    .map((sum) => ({ ...sum })).slice(0, MOST_FOUND);
}

/** The sums of a month, or of a day. */
interface MonthSum {
  /** The project. */
  project_id: string;
  /** The first moment of the month or the day, in milliseconds since 1970. */
  day: number;
  /** The money, in micros of US dollars. */
  gross_usd_micros: number;
  /** The number of movements. */
  movements: number;
}

/** The columns that add up to the levels, with their names there. */
const LEVELS: readonly (readonly [keyof Levels, string])[] = [
  ["mrr", "mrr_delta_micros"],
  ["actives", "actives_delta"],
  ["trials", "trials_delta"],
  ["renewing", "renewing_delta"],
  ["billing_issues", "billing_issues_delta"],
];

/** Subscriptions that are read at a time. */
const PAGE = 500;

/** The subscriptions whose movements do not add up to their levels. */
async function findOddLevels(moment: Moment): Promise<Violation[]> {
  const sums = LEVELS.map(([name, column]) => `sum(${column}) as ${name}`).join(", ");
  const odd = LEVELS.map(([, column]) => `sum(${column}) <> 0`).join(" or ");
  const moved = await rowsOf<Levels & { project_id: string; id: string }>(
    moment,
    `select project_id, subscription_id as id, ${sums} from movements
    where subscription_id is not null group by project_id, subscription_id having ${odd}`,
  );
  const left = new Map(moved.map((row) => [`${row.project_id} ${row.id}`, row]));
  const found: Violation[] = [];
  for (let rows = await nextSubscriptions(moment); rows.length > 0;) {
    for (const row of rows) {
      const name = `${row.project_id} ${row.id}`;
      const wanted = levelsOf(row);
      const sum = left.get(name);
      left.delete(name);
      if (LEVELS.every(([level]) => (sum?.[level] ?? 0) === wanted[level])) continue;
      found.push(differenceIn(row, wanted, sum));
    }
    if (found.length >= MOST_FOUND) return found;
    rows = rows.length < PAGE ? [] : await nextSubscriptions(moment, rows.at(-1));
  }
  // What is gone leaves nothing.
  return [...found, ...[...left.values()].map((row) => ({ ...row }))].slice(0, MOST_FOUND);
}

async function nextSubscriptions(
  moment: Moment,
  after?: Row<"subscriptions">,
): Promise<Row<"subscriptions">[]> {
  const where = after ? "where (project_id, id) > (?, ?)" : "";
  const values = after ? [after.project_id, after.id] : [];
  return await rowsOf(
    moment,
    `select * from subscriptions ${where} order by project_id, id limit ${PAGE}`,
    values,
  );
}

/** A subscription with its levels, and those of its movements where they differ. */
function differenceIn(
  { project_id, id }: Row<"subscriptions">,
  wanted: Levels,
  sum: Levels | undefined,
): Violation {
  const parts = LEVELS.filter(([level]) => (sum?.[level] ?? 0) !== wanted[level]);
  const values = parts.flatMap(([level]) => [
    [level, wanted[level]],
    [`moved_${level}`, sum?.[level] ?? 0],
  ]);
  return { project_id, id, ...Object.fromEntries(values) };
}
