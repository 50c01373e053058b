/**
 * Reads charts, and computes them again in the plainest way.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { type Chart, getChart } from "../../lib/resources/charts.ts";
import { convert } from "../../lib/service/domain/money.ts";
import type { Desk } from "./harness.ts";
import {
  dimensionOf,
  dimensionOfPerson,
  NAIVE,
  type Part,
  type Scene,
  type Span,
  spans,
  type World,
} from "./naive_reports.ts";
import { DAY } from "./simulation.ts";

/** The request of a chart, as a query and with its meaning. */
export interface Ask {
  /** The chart. */
  name: string;
  resolution: string;
  /** Days before now. */
  from: number;
  /** Days before now; negative for the future. */
  until: number;
  filters: Record<string, string[]>;
  segment: string | undefined;
  limit: number;
  currency: string;
  revenue: "revenue" | "revenue_net_of_taxes" | "proceeds";
  /** Whether filters are sent as JSON. */
  asJson: boolean;
}

/** The charts that count customers. */
export const CUSTOMER_CHARTS = [
  "cohort_explorer",
  "conversion_to_paying",
  "customers_active",
  "customers_new",
  "ltv_per_customer",
  "ltv_per_paying_customer",
];

/** A request of all of a chart, without segments. */
export const PLAIN: Omit<Ask, "name" | "resolution" | "from"> = {
  until: 0,
  filters: {},
  segment: undefined,
  limit: 10,
  currency: "USD",
  revenue: "revenue",
  asJson: false,
};

/** Asserts that two numbers are equal but for rounding. */
export function near(actual: number, expected: number, label: string): void {
  const close = Math.abs(actual - expected) <= 1e-6 * Math.max(1, Math.abs(expected));
  ok(close, `${label}: ${actual}, not ${expected}`);
}

/** Reads a chart, and computes it again from all rows. */
export async function checkChart(desk: Desk, world: World, ask: Ask): Promise<void> {
  const { name, currency } = ask;
  const label = JSON.stringify(ask);
  const from = dayBack(world.now, ask.from);
  const until = dayBack(world.now, ask.until);
  const chart = await getChart(desk.client, name, queryOf(ask, from, until));
  const periods = spans(from, until, ask.resolution);
  const more = spans(from, until + 13 * 366 * DAY, ask.resolution);
  const scenes = scenesOf(world, ask, more.slice(0, periods.length + 12), chart);
  const expected: unknown[] = [];
  const actual = chart.values.map(({ value, ...rest }) => ({ ...rest, value }));
  const naive = NAIVE[name] ?? (() => []);
  for (const [i, { start }] of periods.entries()) {
    const parts = scenes.map((scene) => naive(scene, i));
    for (const [measure, part] of (parts[0] ?? []).entries()) {
      const end = more[i + (part.offset ?? 0)] ?? { start: Infinity, end: Infinity };
      if (part.offset && end.start > world.now) continue;
      for (const [segment, one] of parts.entries()) {
        const value = shown(one[measure], currency);
        const got = actual[expected.length]?.value ?? NaN;
        near(got, value, `${label} at ${expected.length}`);
        expected.push({
          cohort: start / 1000,
          incomplete: end.end > world.now,
          measure,
          ...ask.segment !== undefined && { segment },
          value: got,
        });
      }
    }
  }
  deepEqual(actual, expected, label);
  equal(chart.start_date, (periods[0]?.start ?? 0) / 1000);
  equal(chart.end_date, (periods.at(-1)?.start ?? 0) / 1000);
  const [total] = scenes;
  if (total) checkSummary(chart, periods, total, ask, label);
}

/** Checks the averages and totals of a chart against all parts. */
function checkSummary(
  chart: Chart,
  periods: Span[],
  scene: Scene,
  { name, currency }: Ask,
  label: string,
): void {
  const rows = periods.map((_, i) => NAIVE[name]?.(scene, i) ?? []);
  for (const [m, { display_name }] of (chart.measures ?? []).entries()) {
    const column = rows.flatMap((row, i): [Part, number][] => {
      const part = row[m];
      const span = scene.spans[i + (part?.offset ?? 0)];
      const known = part && span && (!part.offset || span.start <= scene.now);
      return known ? [[part, span.end]] : [];
    });
    const complete = column.filter(([, end]) => end <= scene.now);
    const over = complete.length > 0 ? complete : column;
    const all = (list: [Part, number][]) => {
      const [first] = list.map(([part]) => part);
      const part = list.reduce((sum, [one]) => sum + one.part, 0);
      const whole = list.reduce((sum, [one]) => sum + (one.whole ?? 0), 0);
      return first && { ...first, part, ...first.whole !== undefined && { whole } };
    };
    const average = all(over);
    const isShare = average?.whole !== undefined;
    const mean = shown(average, currency) / (isShare ? 1 : over.length);
    near(chart.summary?.average?.[display_name] ?? NaN, mean, `${label} average ${display_name}`);
    const total = chart.summary?.total?.[display_name];
    if (isShare || average?.level) equal(total, undefined, label);
    else near(total ?? NaN, shown(all(column), currency), `${label} total ${display_name}`);
  }
}

function shown(part: Part | undefined, currency: string): number {
  if (!part) return NaN;
  const { unit, whole } = part;
  const value = unit === "$" ? convert(part.part, "USD", currency) / 1e6 : part.part;
  if (whole === undefined) return value;
  return whole === 0 ? 0 : value / whole * (unit === "%" ? 100 : 1);
}

/** The data of each segment of a chart, the total first. */
function scenesOf(world: World, ask: Ask, periods: Span[], chart: Chart): Scene[] {
  const { segment } = ask;
  if (segment === undefined) {
    equal(chart.segments, null);
    return [sceneOf(world, ask, periods, () => true)];
  }
  const segments = chart.segments ?? [];
  const named = segments.slice(1).map(({ id }) => id).filter((id) => id !== "other");
  ok(named.length <= ask.limit);
  ok(named.length === ask.limit || segments.length === named.length + 1, "there should be no rest");
  deepEqual(segments.map(({ is_total }) => is_total), segments.map((_, i) => i === 0));
  // The total equals the chart without segments.
  const allMoney = segment !== "environment" || ask.filters.environment !== undefined;
  const inTotal = (value: string) => allMoney || value === "production";
  return segments.map(({ id, is_total }) =>
    sceneOf(
      world,
      ask,
      periods,
      (value) => is_total ? inTotal(value) : id === "other" ? !named.includes(value) : value === id,
    )
  );
}

function sceneOf(
  world: World,
  ask: Ask,
  periods: Span[],
  inSegment: (value: string) => boolean,
): Scene {
  const { name, segment, revenue } = ask;
  const byPerson = CUSTOMER_CHARTS.includes(name);
  const filters = { ...ask.filters };
  const hasEnvironment = !["customers_new", "customers_active"].includes(name);
  if (hasEnvironment && segment !== "environment") filters.environment ??= ["production"];
  const wanted = Object.entries(filters);
  const people = world.people.filter((person) =>
    !byPerson ||
    wanted.every(([id, values]) =>
        id === "environment" || values.includes(dimensionOfPerson(id, person))
      ) && (segment === undefined || inSegment(dimensionOfPerson(segment, person)))
  );
  const known = new Set(people.map(({ id }) => id));
  const moves = world.moves.filter((move) =>
    wanted.every(([id, values]) =>
      byPerson && id !== "environment" || values.includes(dimensionOf(id, move))
    ) && (byPerson
      ? move.customer_id !== null && known.has(move.customer_id)
      : segment === undefined || inSegment(dimensionOf(segment, move)))
  );
  return {
    moves,
    people,
    now: world.now,
    spans: periods,
    money: (move) =>
      move.gross_usd_micros - (revenue === "revenue" ? 0 : move.tax_usd_micros) -
      (revenue === "proceeds" ? move.commission_usd_micros : 0),
  };
}

function queryOf(ask: Ask, from: number, until: number): Record<string, string | string[]> {
  const { resolution, segment, limit, currency, revenue, filters, asJson } = ask;
  const list = Object.entries(filters).map(([name, values]) => ({ name, values }));
  return {
    start_date: new Date(from).toISOString().slice(0, 10),
    end_date: new Date(until).toISOString().slice(0, 10),
    period: resolution,
    currency,
    limit_num_segments: String(limit),
    ...segment !== undefined && { segment },
    selectors: JSON.stringify({ revenue_type: revenue }),
    ...asJson ? { filters: JSON.stringify(list) } : filters,
  };
}

function dayBack(now: number, days: number): number {
  return now - now % DAY - days * DAY;
}
