/**
 * Charts and headline numbers over a large ledger, against the same figures straight from all rows.
 *
 * @module
 */

import { join } from "node:path";
import { sql } from "kysely";
import type { Chart } from "../../lib/resources/charts.ts";
import { DAY_MS, dayOf } from "../../lib/service/domain/calendar.ts";
import { computeChart } from "../../lib/service/reports/chart.ts";
import { CHARTS } from "../../lib/service/reports/all_charts.ts";
import { computeOverview } from "../../lib/service/reports/overview.ts";
import { chartQuery } from "../../lib/service/reports/request.ts";
import {
  acrossProjects,
  inProject,
  openStore,
  type Store,
  type Tx,
} from "../../lib/service/store/mod.ts";
import type { Row } from "../../lib/service/store/tables.ts";
import { NOW, PROJECT, writeLedger } from "./ledger.ts";
import {
  elapsed,
  type Finding,
  inTurns,
  type Measured,
  median,
  plain,
  ratioOf,
} from "./measure.ts";

/** The first day of the last twelve months. */
const YEAR_AGO = Date.UTC(2026, 0, 1);

/** The project's row, as far as reports look at it. */
type Project = Row<"projects">;

const BY_DAY = sql`group by at - at % 86400000`;

/** A figure: as the service computes it, and straight from all rows. Both give one number. */
interface Rival {
  /** What it is. */
  what: string;
  /** The service's way. */
  ours(tx: Tx, project: Project): Promise<number>;
  /** The plain way. */
  naive(tx: Tx): Promise<number>;
  /** The largest ratio, where there is a budget. */
  atMost?: number;
}

const RIVALS: readonly Rival[] = [
  {
    what: "Overview: active subscriptions, one of eight numbers",
    ours: async (tx, project) => {
      const { metrics } = await computeOverview({
        tx: inProject(tx, project.id),
        project,
        now: NOW,
      }, "USD");
      return metrics.find(({ id }) => id === "active_subscriptions")?.value ?? NaN;
    },
    naive: (tx) => sumOf(tx, sql`actives_delta`, sql`1 = 1`),
    atMost: 0.15,
  },
  {
    what: "Revenue, 28 days",
    ours: async (tx, project) => totalOf(await chart(tx, project, "revenue", {})) * 1e6,
    naive: (tx) => sumOf(tx, sql`gross_usd_micros`, sql`at >= ${dayOf(NOW) - 27 * DAY_MS}`, BY_DAY),
  },
  {
    what: "Revenue, 12 months",
    ours: async (tx, project) => {
      return totalOf(await chart(tx, project, "revenue", { period: "month" })) * 1e6;
    },
    naive: (tx) => sumOf(tx, sql`gross_usd_micros`, sql`at >= ${YEAR_AGO}`, BY_DAY),
  },
  {
    what: "MRR, 12 months, by country",
    ours: async (tx, project) => {
      const query = { period: "month", segment: "country", limit_num_segments: "100" };
      return lastOf(await chart(tx, project, "mrr", query)) * 1e6;
    },
    naive: (tx) => sumOf(tx, sql`mrr_delta_micros`, sql`1 = 1`, sql`${BY_DAY}, country`),
  },
  {
    what: "Conversion to paying, 12 months",
    ours: async (tx, project) => {
      const found = await chart(tx, project, "conversion_to_paying", { period: "month" });
      return found.summary?.total?.["Paying Customers"] ?? NaN;
    },
    naive: async (tx) => {
      const { rows: [row] } = await sql<{ n: number }>`
        select count(distinct c.id) as n from movements as m
        join customers as c on c.project_id = m.project_id and c.id = m.customer_id
        where m.project_id = ${PROJECT} and m.environment = 'production'
          and m.payments_delta > 0 and c.first_seen_at >= ${YEAR_AGO}`.execute(tx);
      return row?.n ?? NaN;
    },
  },
];

/** Measures reports over a ledger of about this many rows. */
export async function measureReports(
  { folder, rows, rounds }: { folder: string; rows: number; rounds: number },
): Promise<Measured> {
  const file = join(folder, "ledger.db");
  let count = 0;
  const written = await elapsed(async () => count = await writeLedger(file, rows));
  const store = openStore({ file });
  try {
    const project = await store.read((tx) =>
      acrossProjects(tx).selectFrom("projects").selectAll().where("id", "=", PROJECT)
        .executeTakeFirstOrThrow()
    );
    const days = await store.read((tx) => countOf(tx, "movements_daily"));
    const findings: Finding[] = [];
    for (const rival of RIVALS) findings.push(await compare(store, project, rival, rounds));
    return {
      method: `${count} rows of a ledger and their ${days} daily sums in a file; two years, 17 ` +
        "countries, 3 stores, 9 products. Each figure is computed by the service and, in turn, " +
        "by one query over all rows and nothing else. Both find the same number. For revenue " +
        "and MRR that query groups by what the chart shows, and its sums are added up. By " +
        "country, charts read payments that no sums hold, so they have no budget.",
      findings: [
        plain("Writing the ledger", `${(written / 1000).toFixed(1)} s`),
        ...findings,
        ...await timeOfAll(store, project, rounds),
      ],
    };
  } finally {
    await store.close();
  }
}

/** Computes a figure in both ways, in turns. Both must find the same. */
async function compare(
  store: Store,
  project: Project,
  { what, ours, naive, atMost }: Rival,
  rounds: number,
): Promise<Finding> {
  const found = { ours: NaN, naive: NaN };
  const samples = await inTurns({
    ours: () => elapsed(async () => found.ours = await store.read((tx) => ours(tx, project))),
    naive: () => elapsed(async () => found.naive = await store.read(naive)),
  }, { rounds, warmUp: 1 });
  if (Math.abs(found.ours - found.naive) > 1) {
    throw new Error(`Cannot trust ${what}: ${found.ours} is not ${found.naive}`);
  }
  return {
    what,
    ours: `${median(samples.ours).toFixed(1)} ms`,
    base: `${median(samples.naive).toFixed(1)} ms, all rows`,
    ...ratioOf(samples.ours, samples.naive),
    ...atMost !== undefined && { budget: { atMost } },
  };
}

/**
 * The queries with which all charts are computed, and how long the slowest may take in milliseconds.
 * The last two have no budget; by country, payments are read that no sums hold.
 */
const SPANS: readonly (readonly [string, Record<string, string>, atMost?: number])[] = [
  ["28 days", {}, 120],
  ["12 months", { period: "month" }, 120],
  ["12 months by week", { period: "week", start_date: "2026-01-01" }],
  ["12 months by country", { period: "month", segment: "country" }],
];

/** How long every chart takes: the middle and the slowest of them, for each query. */
async function timeOfAll(store: Store, project: Project, rounds: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [span, query, atMost] of SPANS) {
    const times: { name: string; ms: number }[] = [];
    for (const name of CHARTS.keys()) {
      const samples: number[] = [];
      for (let i = 0; i < rounds; i++) {
        samples.push(await elapsed(() => store.read((tx) => chart(tx, project, name, query))));
      }
      times.push({ name, ms: median(samples) });
    }
    const [last] = times.toSorted((a, b) => b.ms - a.ms);
    const middle = median(times.map(({ ms }) => ms));
    findings.push(
      plain(`All ${times.length} charts, ${span}: the median`, `${middle.toFixed(1)} ms`),
      {
        what: `The slowest of them, ${span}`,
        ours: `${last?.ms.toFixed(1)} ms, ${last?.name}`,
        base: "",
        value: last?.ms,
        unit: "ms",
        ...atMost !== undefined && { budget: { atMost } },
      },
    );
  }
  return findings;
}

/** Computes a chart. */
async function chart(
  tx: Tx,
  project: Project,
  name: string,
  query: Record<string, string>,
): Promise<Chart> {
  const definition = CHARTS.get(name);
  if (!definition) throw new Error(`There is no chart ${name}`);
  const url = new URL(`http://service/?${new URLSearchParams(query)}`);
  return await computeChart(
    { tx: inProject(tx, project.id), project, now: NOW, url, query: chartQuery.parse(query) },
    definition,
  );
}

/** What the first measure comes to. */
function totalOf({ values }: Chart): number {
  return values.filter(({ measure }) => measure === 0).reduce((sum, { value }) => sum + value, 0);
}

/** The last value of the total. */
function lastOf({ values }: Chart): number {
  return values.findLast(({ segment }) => segment === 0)?.value ?? NaN;
}

/** Adds up a column over all rows, in groups. */
async function sumOf(
  tx: Tx,
  column: ReturnType<typeof sql>,
  where: ReturnType<typeof sql>,
  groups: ReturnType<typeof sql> = sql``,
): Promise<number> {
  const { rows } = await sql<{ sum: number }>`
    select sum(${column}) as sum from movements
    where project_id = ${PROJECT} and environment = 'production' and ${where} ${groups}`
    .execute(tx);
  return rows.reduce((all, { sum }) => all + sum, 0);
}

async function countOf(tx: Tx, table: "movements_daily"): Promise<number> {
  const { n } = await acrossProjects(tx).selectFrom(table).select((eb) =>
    eb.fn.countAll<number>().as("n")
  )
    .executeTakeFirstOrThrow();
  return n;
}
