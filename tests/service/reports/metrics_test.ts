import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { ApiError } from "../../../lib/errors.ts";
import { getChart } from "../../../lib/resources/charts.ts";
import { getMetricsOverview } from "../../../lib/resources/metrics.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { readWorld } from "../../support/naive_reports.ts";
import { simulateYear } from "../../support/simulated_year.ts";
import { DAY, productNamed, simulate } from "../../support/simulation.ts";

const NOW = Date.UTC(2026, 0, 30, 9, 45, 0, 123);

Deno.test("the overview has eight numbers, with units, periods and the project's time", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const { object, metrics } = await getMetricsOverview(desk.client);
  equal(object, "overview_metrics");
  deepEqual(metrics.map(({ id, unit, period }) => `${id} ${unit} ${period}`), [
    "active_trials # P0D",
    "active_subscriptions # P0D",
    "mrr $ P28D",
    "revenue $ P28D",
    "new_customers # P28D",
    "active_users # P28D",
    "lifetime_revenue $ P0D",
    "conversion % P28D",
  ]);
  deepEqual(metrics.map(({ name, description }) => `${name}: ${description}`), [
    "Active Trials: In total",
    "Active Subscriptions: In total",
    "MRR: Monthly recurring revenue",
    "Revenue: Last 28 days",
    "New Customers: Last 28 days",
    "Active Customers: Last 28 days",
    "Lifetime Revenue: Since the beginning",
    "Conversion: New customers of the last 28 days who have paid",
  ]);
  for (const metric of metrics) {
    equal(metric.object, "overview_metric");
    equal(metric.last_updated_at, NOW);
    equal(metric.last_updated_at_iso8601, "2026-01-30 09:45:00.123000+00:00");
  }
});

Deno.test("the numbers of an empty project are zero", async () => {
  await using desk = await openDesk({ clock: () => NOW, empty: true });
  const created = await desk.send("POST", "/v2/projects", { name: "New" });
  const { id } = await created.json();
  const { metrics } = await getMetricsOverview(desk.client.with({ projectId: id }));
  deepEqual(metrics.map(({ value }) => value), [0, 0, 0, 0, 0, 0, 0, 0]);
});

Deno.test("purchases, trials, refunds and time show in the overview at once", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const sim = simulate(desk);
  const product_id = (await productNamed(desk, "notes.pro.monthly")).id;
  const before = await numbers(desk);
  const buy = { product_id, price: 10, currency: "USD" };
  const paid = await sim.subscribe({ ...buy, customer_id: "new" });
  await sim.subscribe({ ...buy, customer_id: "tries", trial: "P1W" });
  await sim.subscribe({ ...buy, customer_id: "plays", environment: "sandbox" });
  const after = await numbers(desk);
  deepEqual(changes(before, after), {
    active_subscriptions: 1,
    active_trials: 1,
    active_users: 3,
    conversion: rounded(100 / ((before.new_customers ?? 0) + 3)),
    lifetime_revenue: 10,
    mrr: 10,
    new_customers: 3,
    revenue: 10,
  });
  await sim.advance("P8D");
  deepEqual(changes(after, await numbers(desk)), {
    active_subscriptions: 1,
    active_trials: -1,
    conversion: rounded(100 / (after.new_customers ?? 0)),
    lifetime_revenue: 10,
    mrr: 10,
    revenue: 10,
  });
  const { id } = await sim.act(paid.id, "refund");
  equal(id, paid.id);
  const refunded = await numbers(desk);
  deepEqual([refunded.active_subscriptions, refunded.revenue, refunded.mrr], [1, 10, 10]);
});

Deno.test("the overview agrees with all rows of a year and with the charts", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await simulateYear(desk);
  const now = await simulate(desk).now();
  const { moves, people } = await readWorld(desk.service.store, desk.projectId, now);
  const real = moves.filter(({ environment }) => environment === "production");
  const since = now - now % DAY - 27 * DAY;
  const recent = real.filter(({ at }) => at >= since);
  const sum = (rows: typeof moves, of: (row: typeof moves[number]) => number) =>
    rows.reduce((total, row) => total + of(row), 0);
  const fresh = people.filter(({ first_seen_at }) => first_seen_at >= since);
  const payers = fresh.filter(({ id }) =>
    real.some(({ customer_id, payments_delta }) => customer_id === id && payments_delta > 0)
  );
  const found = await numbers(desk);
  equal(found.active_trials, sum(real, (row) => row.trials_delta));
  equal(found.active_subscriptions, sum(real, (row) => row.actives_delta));
  equal(found.mrr, sum(real, (row) => row.mrr_delta_micros) / 1e6);
  equal(found.revenue, sum(recent, (row) => row.gross_usd_micros) / 1e6);
  equal(found.lifetime_revenue, sum(real, (row) => row.gross_usd_micros) / 1e6);
  equal(found.new_customers, fresh.length);
  equal(found.conversion, payers.length / fresh.length * 100);
  const revenue = await getChart(desk.client, "revenue");
  equal(revenue.summary?.total?.Revenue, found.revenue);
  const customers = await getChart(desk.client, "customers_new");
  equal(customers.summary?.total?.["New Customers"], found.new_customers);
  for (const [chart, metric] of [["mrr", "mrr"], ["trials", "active_trials"]] as const) {
    equal((await getChart(desk.client, chart)).values.at(-1)?.value, found[metric]);
  }
});

Deno.test("the overview in euros is the same at the rate of the euro", async () => {
  await using desk = await openDesk({ clock: () => NOW, buyers: true });
  const dollars = await numbers(desk);
  const euros = await numbers(desk, "EUR");
  equal(euros.mrr?.toFixed(4), ((dollars.mrr ?? 0) / 1.08).toFixed(4));
  equal(euros.active_subscriptions, dollars.active_subscriptions);
  await rejects(
    getMetricsOverview(desk.client, { currency: "CHF" }),
    (error) => error instanceof ApiError && error.status === 400 && error.param === "currency",
  );
});

Deno.test("the overview needs its permission", async () => {
  await using desk = await openDesk({ scope: "charts_metrics:charts:read" });
  await rejects(getMetricsOverview(desk.client), (error) => {
    match(String(error), /charts_metrics:overview:read/);
    return error instanceof ApiError && error.status === 403;
  });
});

/** The numbers by name. */
async function numbers(desk: Desk, currency = "USD"): Promise<Record<string, number>> {
  const { metrics } = await getMetricsOverview(desk.client, { currency });
  return Object.fromEntries(metrics.map(({ id, value }) => [id, value]));
}

/** The changes, by name. */
function changes(
  before: Record<string, number>,
  after: Record<string, number>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).filter(([id, value]) => value !== before[id]).sort()
      .map(([id, value]) => [id, rounded(value - (before[id] ?? 0))]),
  );
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
