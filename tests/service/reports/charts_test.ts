import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { ApiError } from "../../../lib/errors.ts";
import { type ChartQuery, getChart, getChartOptions } from "../../../lib/resources/charts.ts";
import { deleteCustomer } from "../../../lib/resources/customers.ts";
import { createProduct } from "../../../lib/resources/products.ts";
import { CHARTS } from "../../../lib/service/reports/all_charts.ts";
import { openDesk } from "../../support/harness.ts";
import { buySome, total } from "../../support/chart_sales.ts";
import { DAY, productNamed, simulate } from "../../support/simulation.ts";

/** A Friday. */
const NOW = Date.UTC(2026, 0, 30, 12);

const NAMES = [
  "actives",
  "actives_movement",
  "actives_new",
  "arr",
  "churn",
  "cohort_explorer",
  "conversion_to_paying",
  "customers_active",
  "customers_new",
  "ltv_per_customer",
  "ltv_per_paying_customer",
  "mrr",
  "mrr_movement",
  "refund_rate",
  "revenue",
  "subscription_retention",
  "subscription_status",
  "trial_conversion_rate",
  "trials",
  "trials_movement",
  "trials_new",
];

Deno.test("there are 21 charts, and an unknown name is an invalid parameter", async () => {
  await using desk = await openDesk();
  deepEqual([...CHARTS.keys()], NAMES);
  for (const name of NAMES) {
    const chart = await getChart(desk.client, name);
    ok((chart.measures ?? []).some(({ chartable }) => chartable), name);
    equal(new Set(chart.measures?.map((one) => one.display_name)).size, chart.measures?.length);
  }
  for (const name of ["prediction_explorer", "MRR", "__proto__", "%20"]) {
    const response = await desk.send("GET", `/v2/projects/${desk.projectId}/charts/${name}`);
    const error = await response.json();
    deepEqual([response.status, error.type, error.param], [400, "parameter_error", "chart_name"]);
    match(error.message, /one of actives, actives_movement, .*trials_new$/);
    const options = `/v2/projects/${desk.projectId}/charts/${name}/options`;
    equal((await desk.send("GET", options)).status, 400);
  }
});

Deno.test("without dates a chart shows the last 28 days, 12 weeks or 12 months", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const ends = async (query: ChartQuery) => {
    const chart = await getChart(desk.client, "mrr", query);
    return [chart.resolution, chart.values.length, day(chart.start_date), day(chart.end_date)];
  };
  deepEqual(await ends({}), ["day", 28, "2026-01-03", "2026-01-30"]);
  deepEqual(await ends({ period: "week" }), ["week", 12, "2025-11-10", "2026-01-26"]);
  deepEqual(await ends({ period: "month" }), ["month", 12, "2025-02-01", "2026-01-01"]);
  deepEqual(await ends({ resolution: "2" }), ["month", 12, "2025-02-01", "2026-01-01"]);
  deepEqual(await ends({ resolution: "3" }), ["quarter", 8, "2024-04-01", "2026-01-01"]);
  deepEqual(await ends({ resolution: "year" }), ["year", 5, "2022-01-01", "2026-01-01"]);
  deepEqual((await ends({ period: "quarter" }))[0], "quarter", "beside the specification");
  deepEqual((await ends({ period: "month", resolution: "2" }))[0], "month");
  deepEqual(await ends({ end_date: "2025-12-31" }), ["day", 28, "2025-12-04", "2025-12-31"]);
  deepEqual(await ends({ start_date: "2026-01-29" }), ["day", 2, "2026-01-29", "2026-01-30"]);
  deepEqual(await ends({ start_date: "2026-02-02" }), ["day", 1, "2026-02-02", "2026-02-02"]);
});

Deno.test("periods are whole, and unfinished ones are incomplete", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const chart = await getChart(desk.client, "revenue", {
    period: "month",
    start_date: "2025-12-24",
    end_date: "2026-03-01",
  });
  const months = chart.values.filter(({ measure }) => measure === 0);
  deepEqual(months.map(({ cohort, incomplete }) => [day(cohort), incomplete]), [
    ["2025-12-01", false],
    ["2026-01-01", true],
    ["2026-02-01", true],
    ["2026-03-01", true],
  ]);
});

Deno.test("an invalid query is refused with the name of the parameter", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const many = Array.from({ length: 501 }, (_, i) => `app_id=${i}`).join("&");
  for (
    const [query, param] of [
      ["start_date=2026-02-30", "start_date"],
      ["start_date=1767225600", "start_date"],
      ["end_date=2026-1-1", "end_date"],
      ["start_date=2026-01-02&end_date=2026-01-01", "end_date"],
      ["start_date=0001-01-01", "start_date"],
      ["period=hour", "period"],
      ["resolution=5", "resolution"],
      ["period=month&resolution=0", "resolution"],
      ["resolution=week&period=2", "resolution"],
      ["currency=CHF", "currency"],
      ["currency=usd", "currency"],
      ["aggregate=median", "aggregate"],
      ["aggregate=total,total", "aggregate"],
      ["aggregate=", "aggregate"],
      ["limit_num_segments=0", "limit_num_segments"],
      ["limit_num_segments=x", "limit_num_segments"],
      ["realtime=maybe", "realtime"],
      ["filters=[{]", "filters"],
      ['filters={"store":["app_store"]}', "filters"],
      ['filters=[{"name":"store","values":"app_store"}]', "filters"],
      ["selectors=[]", "selectors"],
      ['selectors={"revenue_type":"net"}', "selectors"],
      ["store=appstore", "store"],
      ["platform=ios", "platform"],
      ["environment=", "environment"],
      ["country=Germany", "country"],
      ["product_duration=monthly", "product_duration"],
      [many, "app_id"],
    ]
  ) {
    const address = `/v2/projects/${desk.projectId}/charts/revenue?${query}`;
    const response = await desk.send("GET", address);
    const { type, ...error } = await response.json();
    deepEqual([response.status, type, error.param], [400, "parameter_error", param], query);
    match(error.message, new RegExp(`^'${param}`), query);
  }
});

Deno.test("unknown filters and segments are reported, and the rest applies", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const plain = await getChart(desk.client, "revenue");
  equal(plain.unsupported_params, null);
  const odd = await getChart(desk.client, "revenue", {
    placement: ["a", "b"],
    filters: JSON.stringify([{ name: "keyword", values: ["x"] }]),
    segment: "campaign",
    selectors: JSON.stringify({ colour: "red" }),
  });
  deepEqual(odd.unsupported_params, {
    filters: ["placement", "keyword"],
    segment: "campaign",
    selectors: ["colour"],
  });
  deepEqual(odd.values, plain.values);
  equal(odd.segments, null);
  const customers = await getChart(desk.client, "customers_new", { store: "app_store" });
  deepEqual(customers.unsupported_params, { filters: ["store"] });
});

Deno.test("a segment splits the numbers, the largest parts first", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const chart = await getChart(desk.client, "revenue", {
    segment: "store",
    end_date: "2026-01-30",
  });
  deepEqual(chart.segments, [
    { id: "total", display_name: "Total", is_total: true, chartable: true },
    { id: "svc_billing", display_name: "Web Billing", is_total: false, chartable: true },
    { id: "play_store", display_name: "Play Store", is_total: false, chartable: true },
    { id: "app_store", display_name: "App Store", is_total: false, chartable: true },
  ]);
  equal(chart.segments_limit, 10);
  const sums = [0, 1, 2, 3].map((segment) => total(chart, segment));
  deepEqual(sums, [60, 30, 20, 10]);
  deepEqual(chart.summary?.total?.Revenue, 60);

  const few = await getChart(desk.client, "revenue", { segment: "store", limit_num_segments: "1" });
  deepEqual(few.segments?.map(({ id }) => id), ["total", "svc_billing", "other"]);
  equal(total(few, 2), 30);
  const environments = await getChart(desk.client, "revenue", { segment: "environment" });
  deepEqual([0, 1, 2].map((segment) => total(environments, segment)), [60, 60, 5]);
  equal(environments.summary?.total?.Revenue, 60);
  const both = await getChart(desk.client, "revenue", {
    segment: "environment",
    environment: ["production", "sandbox"],
  });
  deepEqual([0, 1, 2].map((segment) => total(both, segment)), [65, 60, 5]);
  const none = await getChart(desk.client, "trials", { segment: "store" });
  deepEqual(none.segments?.map(({ id }) => id), ["total"]);
  ok(none.values.every(({ segment }) => segment === 0));
});

Deno.test("the duration is the sold one, also after the product changed", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const { client, projectId } = desk;
  const sim = simulate(desk);
  const { app_id } = await productNamed(desk, "notes.pro.monthly");
  const plain = { app_id, store_identifier: "notes.plain" } as const;
  const { id } = await createProduct(client, { ...plain, type: "subscription" });
  await sim.subscribe({ customer_id: "ada", product_id: id, price: 10, duration: "P1M" });
  await sim.subscribe({ customer_id: "bob", product_id: id, price: 30, duration: "P2M" });
  const check = async () => {
    const chart = await getChart(client, "revenue", { segment: "product_duration" });
    deepEqual(chart.segments?.map(({ display_name }) => display_name), [
      "Total",
      "2 months",
      "1 month",
    ]);
    const read = async (product_duration: string) =>
      total(await getChart(client, "revenue", { product_duration }));
    deepEqual(await Promise.all(["P1M", "P2M", "P1Y", "P200Y"].map(read)), [10, 30, 0, 0]);
    const { filters } = await getChartOptions(client, "revenue");
    const durations = filters.find((one) => one.id === "product_duration")?.options;
    deepEqual(durations?.map((one) => one.id), ["P1M", "P1Y", "P200Y", "P2M"]);
  };
  await check();
  const path = `/_sim/projects/${projectId}/products/${id}/price`;
  const Authorization = `Bearer ${desk.service.adminSecret}`;
  const terms = { price: 10, duration: "P1Y" };
  equal((await desk.send("POST", path, terms, { Authorization })).status, 200);
  await check();
});

Deno.test("money is shown in any currency, gross or net", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const read = async (query: ChartQuery) => await getChart(desk.client, "revenue", query);
  const euros = await read({ currency: "EUR" });
  equal(euros.yaxis_currency, "EUR");
  equal(total(euros).toFixed(4), (60 / 1.08).toFixed(4));
  const left = { store: "app_store", selectors: '{"revenue_type":"proceeds"}' };
  const proceeds = await read(left);
  equal(total(proceeds), 7);
  deepEqual(proceeds.user_selectors, { revenue_type: "proceeds" });
  equal((await getChart(desk.client, "mrr")).user_selectors, null);
});

Deno.test("an aggregate is only the requested summary", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const read = async (aggregate: string) =>
    await getChart(desk.client, "revenue", { aggregate, end_date: "2026-01-29" });
  const sum = await read("total");
  deepEqual(sum.values, []);
  deepEqual(Object.keys(sum.summary ?? {}), ["total"]);
  const both = await read("average,total");
  deepEqual(Object.keys(both.summary ?? {}), ["average", "total"]);
});

Deno.test("options list every filter of the chart, with its values", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  for (const name of NAMES) {
    const { filters, segments, resolutions, user_selectors } = await getChartOptions(
      desk.client,
      name,
    );
    deepEqual(resolutions.map(({ id }) => id), ["0", "1", "2", "3", "4"]);
    const query = Object.fromEntries(
      filters.map(({ id, options }) => [id, options.map((option) => option.id)]),
    );
    for (const { id } of segments) {
      const chart = await getChart(desk.client, name, { ...query, segment: id });
      equal(chart.unsupported_params, null, `${name} ${id}`);
    }
    const chart = await getChart(desk.client, name);
    deepEqual(Object.keys(user_selectors), Object.keys(chart.user_selectors ?? {}));
  }
  const { filters } = await getChartOptions(desk.client, "revenue");
  const values = new Map(filters.map(({ id, options }) => [id, options]));
  deepEqual(values.get("country"), [
    { id: "DE", display_name: "Germany" },
    { id: "US", display_name: "United States" },
  ]);
  deepEqual(values.get("product_duration"), [
    { id: "P1M", display_name: "1 month" },
    { id: "P1Y", display_name: "1 year" },
    { id: "P200Y", display_name: "Lifetime" },
  ]);
  deepEqual(values.get("offering_id")?.map(({ display_name }) => display_name), [
    "Standard prices",
    "Winter sale",
    "No offering",
  ]);
});

Deno.test("reading charts needs its permission, and counts towards the charts' limit", async () => {
  await using desk = await openDesk({ scope: "charts_metrics:overview:read" });
  await rejects(
    getChart(desk.client, "mrr"),
    (error) =>
      error instanceof ApiError && error.status === 403 &&
      /charts_metrics:charts:read/.test(error.message),
  );
  await using other = await openDesk({
    rateLimits: { customers: 9, configuration: 9, charts: 1 },
  });
  await getChart(other.client, "mrr");
  const again = await other.send("GET", `/v2/projects/${other.projectId}/charts/mrr`);
  equal(again.status, 429);
});

Deno.test("no query makes a chart fail", async () => {
  await using desk = await openDesk({ clock: () => NOW, buyers: true });
  const days = fc.constantFrom(
    "0000-01-01",
    "1969-12-31",
    "2025-12-31",
    "2026-01-30",
    "9999-12-31",
  );
  const words = fc.oneof(
    fc.constantFrom(
      ...["day", "month", "year", "3", "app_store", "country", "environment", "unknown", "100000"],
      ...["[]", "{}", '[{"name":"environment","values":[]}]', '{"revenue_type":"proceeds"}', "EUR"],
      ...["__proto__", "constructor", "total", "average,total", "P1M", "none", "Other"],
    ),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  const names = fc.oneof(
    fc.constantFrom(
      ...["start_date", "end_date", "period", "resolution", "segment", "limit_num_segments"],
      ...["aggregate", "filters", "selectors", "store", "country", "platform", "environment"],
      ...["product_duration", "offering_id", "currency", "realtime", "other_filters", "expand"],
    ),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  const parameter = fc.tuple(names, fc.oneof(words, days)).map(([name, value]) =>
    `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`
  );
  const query = fc.array(parameter, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), query, async (name, parameters) => {
      const address = `/v2/projects/${desk.projectId}/charts/${name}?${parameters.join("&")}`;
      const { status } = await desk.send("GET", address);
      ok(status === 200 || status === 400, `${status}: ${address}`);
    }),
    { numRuns: 600 },
  );
});

function day(seconds: number | null): string {
  equal((seconds ?? 1) * 1000 % DAY, 0);
  return new Date((seconds ?? 0) * 1000).toISOString().slice(0, 10);
}

Deno.test("a deleted customer's payments stay in revenue, and leave the charts that count customers, which say so", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const totals = async () => {
    const of = async (name: string) => total(await getChart(desk.client, name));
    return {
      revenue: await of("revenue"),
      cohorts: await of("cohort_explorer"),
      new: await of("customers_new"),
    };
  };
  const before = await totals();
  const { description } = await getChart(desk.client, "cohort_explorer");
  match(description, /Deleted customers and their payments do not count here; charts of revenue/);
  ok(!(await getChart(desk.client, "revenue")).description.includes("Deleted customers"));
  await deleteCustomer(desk.client, "notes.pro.monthly");
  const after = await totals();
  equal(after.revenue, before.revenue);
  ok(after.cohorts < before.cohorts, `${after.cohorts} < ${before.cohorts}`);
  equal(after.new, before.new - 1);
});
