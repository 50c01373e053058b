/**
 * Reads the sums of a chart: a number for each segment and period.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { DAY_MS, monthOf } from "../domain/calendar.ts";
import type { ProjectCall } from "../records/find.ts";
import { type Dimension, hasOneOf, valueIn } from "./dimensions.ts";
import { indexOfPeriod, type Period } from "./periods.ts";
import { type Column, type CountedBy, type LedgerSum, nameOfSum, type Sum } from "./sums.ts";
import { columnRef } from "../store/column_ref.ts";

/** The part of a payment that counts as revenue. */
export type RevenueType = "revenue" | "revenue_net_of_taxes" | "proceeds";

/** The query of a chart. */
export interface Question extends ProjectCall {
  /** The periods, in order. */
  readonly periods: readonly Period[];
  /** The same periods, and those after them in which cohorts are followed. */
  readonly laterPeriods: readonly Period[];
  /** The allowed column values of dimensions. */
  readonly filters: ReadonlyMap<Dimension, readonly string[]>;
  /** The dimension to segment by. */
  readonly segment: Dimension | undefined;
  /** The part of a payment that counts as revenue. */
  readonly revenue: RevenueType;
}

/** A number for each period. */
export type Series = number[];

/** Series by segment value, then by the sum's name. Without segments the value is empty. */
export type Figures = Map<string, Map<string, Series>>;

/** A row of a query: a day, a segment, and the sums `s0`, `s1` and so on. */
export interface SumRow {
  /** Milliseconds since 1970. */
  day: number;
  /** The segment's value in its column. */
  segment: string;
  [sum: `s${number}`]: number;
}

/** Adds a number to a series. */
export function addFigure(
  figures: Figures,
  row: { segment: string; sum: Sum; period: number; value: number },
  periods: number,
): void {
  let series = figures.get(row.segment);
  if (!series) figures.set(row.segment, series = new Map());
  const name = nameOfSum(row.sum);
  let values = series.get(name);
  if (!values) series.set(name, values = Array(periods).fill(0));
  values[row.period] = (values[row.period] ?? 0) + row.value;
}

/** Adds the rows of a query to the series of its sums. */
export function addRows(
  figures: Figures,
  question: Question,
  rows: readonly SumRow[],
  sums: readonly Sum[],
): void {
  const { periods } = question;
  for (const row of rows) {
    const period = indexOfPeriod(periods, row.day);
    if (period < 0) continue;
    for (const [i, sum] of sums.entries()) {
      const value = row[`s${i}`] ?? 0;
      if (value === 0) continue;
      addFigure(figures, { segment: row.segment, sum, period, value }, periods.length);
    }
  }
}

/** From the first period's start to the last one's end. */
export function spanOf(periods: readonly Period[]): Period {
  return { starts: periods[0]?.starts ?? 0, ends: periods.at(-1)?.ends ?? 0 };
}

/** Reads sums over movements. */
export async function readLedger(
  figures: Figures,
  question: Question,
  sums: readonly LedgerSum[],
): Promise<void> {
  for (const [by, group] of Map.groupBy(sums, (sum) => sum.by)) {
    const moves = await readMoves(question, by, group);
    const before = await readBefore(question, group.filter(({ take }) => take !== "period"));
    for (const segment of new Set([...moves.keys(), ...before.keys()])) {
      const series = figures.get(segment) ?? new Map<string, Series>();
      figures.set(segment, series);
      for (const sum of group) {
        const move = nameOfSum(moveOf(sum));
        const moved = moves.get(segment)?.get(move) ?? Array(question.periods.length).fill(0);
        const level = before.get(segment)?.get(move)?.[0] ?? 0;
        series.set(nameOfSum(sum), taken(sum, moved, level));
      }
    }
  }
}

/** The values of a sum, from the moves in each period and the level before. */
function taken({ take }: LedgerSum, moved: Series, before: number): Series {
  let level = before;
  return moved.map((value) => {
    const start = level;
    level += value;
    return take === "period" ? value : take === "start" ? start : level;
  });
}

/** The sum of the moves behind a level. */
function moveOf(sum: LedgerSum): LedgerSum {
  return { ...sum, take: "period" };
}

/** The distinct moves behind some sums. */
function movesOf(sums: readonly LedgerSum[]): LedgerSum[] {
  return [...new Map(sums.map(moveOf).map((sum) => [nameOfSum(sum), sum])).values()];
}

/** Reads the moves in each period. */
async function readMoves(
  question: Question,
  by: CountedBy,
  sums: readonly LedgerSum[],
): Promise<Figures> {
  const figures: Figures = new Map();
  const moves = movesOf(sums);
  addRows(figures, question, await sumsByDay(question, by, moves), moves);
  return figures;
}

/** Reads the levels before the first period. */
async function readBefore(question: Question, sums: readonly LedgerSum[]): Promise<Figures> {
  const figures: Figures = new Map();
  if (sums.length === 0) return figures;
  const { starts } = spanOf(question.periods);
  const moves = movesOf(sums);
  const periods = [{ starts: -Infinity, ends: Infinity }];
  addRows(figures, { ...question, periods }, await sumsBefore(question, moves, starts), moves);
  return figures;
}

/**
 * Movements with an index, by the time column of that index. The conditions repeat those of the
 * indexes exactly.
 */
const INDEXED: Readonly<Record<Exclude<CountedBy, "at">, RawBuilder<unknown>>> = {
  transaction_at: sql`refunds_delta <> 0`,
  started_at: sql`(trials_delta <> 0 or kind = 'trial_conversion')`,
  paid_since: sql`actives_delta <> 0`,
};

/** Sums for each day and segment. For movements by their own time there are stored sums. */
async function sumsByDay(
  question: Question,
  by: CountedBy,
  sums: readonly LedgerSum[],
): Promise<SumRow[]> {
  const { tx, periods } = question;
  if (by === "at") {
    const { starts, ends } = spanOf(periods);
    const whole = periods.every(isOfMonths) ? "movements_monthly" : "movements_daily";
    const table = isOfTotals(question) ? "movement_totals" : whole;
    return await addUp(question, sums, { table, starts, ends });
  }
  const time = columnRef(by);
  const all: SumRow[] = [];
  for (const { starts, ends, day, groups } of stretchesOf(question, time)) {
    const { rows } = await sql<SumRow>`
      select ${day} as day, ${segmentIn(question)} as segment, ${sumColumns(question, sums)}
      from ${tx.rows("movements")} as movements
      where ${time} >= ${starts} and ${time} < ${ends}
        and ${INDEXED[by]} and ${filtersIn(question)}
      ${groups}`.execute(tx);
    all.push(...rows);
  }
  return all;
}

/** Whether totals answer a question: it looks at no part of a movement but its environment. */
function isOfTotals({ filters, segment }: Question): boolean {
  return [...filters.keys(), ...segment ? [segment] : []].every(({ id }) => id === "environment");
}

/** Sums of everything before a day, for each segment: whole months, then the days of the last one. */
async function sumsBefore(
  question: Question,
  sums: readonly LedgerSum[],
  before: number,
): Promise<SumRow[]> {
  if (isOfTotals(question)) {
    const table = "movement_totals";
    return await addUp(question, sums, { table, starts: undefined, ends: before });
  }
  const month = monthOf(before);
  const months = { table: "movements_monthly", starts: undefined, ends: month } as const;
  const days = { table: "movements_daily", starts: month, ends: before } as const;
  const rows = await addUp(question, sums, months);
  if (month < before) rows.push(...await addUp(question, sums, days));
  return rows;
}

/** Whether a period begins and ends with a month. */
function isOfMonths({ starts, ends }: Period): boolean {
  return starts === monthOf(starts) && ends === monthOf(ends);
}

/** A table of sums, and the time range to read. */
interface SumsRead {
  /** The table. */
  readonly table: "movements_daily" | "movements_monthly" | "movement_totals";
  /** The first day or month. Undefined for everything before the end, added up as day 0. */
  readonly starts: number | undefined;
  /** The first millisecond after the last day or month. */
  readonly ends: number;
}

/** Adds up a range by day or month, and by segment. */
async function addUp(
  question: Question,
  sums: readonly LedgerSum[],
  { table, starts, ends }: SumsRead,
): Promise<SumRow[]> {
  const { tx, segment } = question;
  const whole = starts === undefined;
  const groups = [...whole ? [] : [sql`1`], ...segment ? [sql`2`] : []];
  const { rows } = await sql<SumRow>`
    select ${whole ? sql`0` : sql`day`} as day, ${segmentIn(question)} as segment,
      ${sumColumns(question, sums)}
    from ${tx.rows(table)} as totals
    where day < ${ends} and ${whole ? sql`1 = 1` : sql`day >= ${starts}`} and ${filtersIn(question)}
    ${groups.length === 0 ? sql`` : sql`group by ${sql.join(groups)}`}`.execute(tx);
  return rows;
}

/**
 * Up to so many periods, a query for each is quicker than one query of all days: to group rows by
 * their day, SQLite sorts them.
 */
const MANY_PERIODS = 100;

/** A part of a chart's time that one query adds up, by periods or by days, and by segments. */
interface Stretch extends Period {
  /** SQL for the column `day`. */
  readonly day: RawBuilder<unknown>;
  /** The end of the query, when the second column is the segment. */
  readonly groups: RawBuilder<unknown>;
}

/** The parts of a chart's time to add up one by one, by a time of rows. */
export function stretchesOf(
  { periods, segment }: Question,
  time: RawBuilder<unknown>,
): readonly Stretch[] {
  if (periods.length > MANY_PERIODS) {
    const groups = segment ? sql`group by 1, 2` : sql`group by 1`;
    return [{ ...spanOf(periods), day: startOfDay(time), groups }];
  }
  const groups = segment ? sql`group by 2` : sql``;
  return periods.map((period) => ({ ...period, day: constant(period.starts), groups }));
}

/** SQL for a number as a column: of a bare parameter, an engine may not know the type. */
export function constant(value: number): RawBuilder<number> {
  return sql`cast(${value} as bigint)`;
}

/** SQL for the first millisecond of a time's day. */
export function startOfDay(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${time} - ${time} % ${sql.lit(DAY_MS)}`;
}

/** SQL for the segment of a row. */
export function segmentIn({ segment }: Question, table?: string): RawBuilder<string> {
  return segment ? valueIn(segment, table) : sql`''`;
}

/** SQL for whether a row passes the filters. */
export function filtersIn({ filters }: Question, table?: string): RawBuilder<unknown> {
  const passed = [...filters].map(([dimension, values]) => hasOneOf(dimension, values, table));
  return passed.length === 0 ? sql`1 = 1` : sql.join(passed, sql` and `);
}

/** SQL for a column of the ledger. */
export function columnIn(
  { revenue }: Question,
  column: Column,
  table?: string,
): RawBuilder<number> {
  const ref = (name: string) => columnRef<number>(table === undefined ? name : `${table}.${name}`);
  if (column !== "money") return ref(column);
  const gross = ref("gross_usd_micros");
  if (revenue === "revenue") return gross;
  const net = sql<number>`(${gross} - ${ref("tax_usd_micros")})`;
  return revenue === "revenue_net_of_taxes"
    ? net
    : sql<number>`(${net} - ${ref("commission_usd_micros")})`;
}

/** SQL for a sum as a floating-point number, which never overflows: of all rows, or of some. */
export function sumOf(value: RawBuilder<unknown>, when?: RawBuilder<unknown>): RawBuilder<number> {
  const some = when ? sql` filter (where ${when})` : sql``;
  return sql`cast(coalesce(sum(${value})${some}, 0) as double precision)`;
}

/** SQL for all sums: `s0`, `s1` and so on. */
function sumColumns(question: Question, sums: readonly LedgerSum[]): RawBuilder<unknown> {
  return sql.join(sums.map(({ column, kinds, gains }, i) => {
    const value = columnIn(question, column);
    const when = [
      ...kinds ? [sql`kind in (${sql.join(kinds)})`] : [],
      ...gains ? [sql`${value} > 0`] : [],
    ];
    const counted = when.length === 0 ? undefined : sql.join(when, sql` and `);
    return sql`${sumOf(value, counted)} as ${columnRef(`s${i}`)}`;
  }));
}
