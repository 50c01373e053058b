import { deepEqual, equal } from "node:assert/strict";
import { type ChartQuery, getChart, getChartOptions } from "../../../lib/resources/charts.ts";
import { buySome, total } from "../../support/chart_sales.ts";
import { USD_PER_UNIT } from "../../../lib/service/domain/currencies.ts";
import { openDesk } from "../../support/harness.ts";
import { insertLedger } from "../../support/random_ledger.ts";

/** A Friday. */
const NOW = Date.UTC(2026, 0, 30, 12);

Deno.test("filters may be repeated, be JSON, and name an offering by its key", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const read = async (query: ChartQuery) => total(await getChart(desk.client, "revenue", query));
  equal(await read({}), 60);
  equal(await read({ store: "app_store" }), 10);
  equal(await read({ store: ["app_store", "play_store"] }), 30);
  equal(await read({ store: ["app_store", "play_store"], country: "DE" }), 20);
  const list = [{ name: "store", values: ["app_store"] }];
  equal(await read({ filters: JSON.stringify(list) }), 10);
  equal(await read({ filters: JSON.stringify(list), store: "play_store" }), 30);
  equal(await read({ offering_id: "winter_sale" }), 20);
  equal(await read({ offering_id: ["winter_sale", "none"] }), 60);
  equal(await read({ platform: ["Web", "Roku"] }), 30);
  equal(await read({ product_duration: "P1Y" }), 20);
  equal(await read({ environment: "sandbox" }), 5);
  equal(await read({ environment: ["production", "sandbox"] }), 65);
  equal(await read({ product_id: "prodnope" }), 0);
});

Deno.test("a filter is accepted in both forms and both spellings, and the answer echoes it", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const read = async (query: ChartQuery) => {
    const chart = await getChart(desk.client, "revenue", query);
    return [total(chart), chart.filters, chart.resolution];
  };
  const web = (name: string) => [{ name: "store", values: [name] }];
  const json = (name: string) => JSON.stringify(web(name));
  deepEqual(await read({}), [60, [], "day"]);
  for (const name of ["svc_billing", "rc_billing"]) {
    deepEqual(await read({ store: name, period: "week" }), [30, web(name), "week"]);
    deepEqual(await read({ filters: json(name), resolution: "1" }), [30, web(name), "week"]);
    const both = { store: name, filters: json(name), period: "week", resolution: "week" };
    deepEqual(await read(both), [30, web(name), "week"]);
  }
  deepEqual(await read({ store: "app_store", country: "DE", placement: "x" }), [0, [
    { name: "store", values: ["app_store"] },
    { name: "country", values: ["DE"] },
  ], "day"]);
});

Deno.test("options are the same with and without realtime", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const plain = await getChartOptions(desk.client, "revenue");
  for (const realtime of [true, false]) {
    deepEqual(await getChartOptions(desk.client, "revenue", { realtime }), plain);
  }
  const path = `/v2/projects/${desk.projectId}/charts/revenue/options?realtime=perhaps`;
  equal((await desk.send("GET", path)).status, 400);
});

Deno.test("a daily chart reaches back ten years, and no further", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const query = { period: "day", start_date: "2024-01-01", end_date: "2026-11-28" };
  const chart = await getChart(desk.client, "revenue", query);
  equal(chart.values.filter(({ measure }) => measure === 0).length, 1063);
  const address = `/v2/projects/${desk.projectId}/charts/revenue?end_date=2026-01-01&start_date=`;
  equal((await desk.send("GET", `${address}2016-01-01`)).status, 200);
  const refused = await desk.send("GET", `${address}2015-01-01`);
  equal(refused.status, 400);
  equal((await refused.json()).message, "'start_date' must be at most 4000 periods before the end");
});

Deno.test("the filter of a platform has the customers of its segment", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const platforms = ["iOS", "iOS", "android", "WEB", "web", "Web", "Tizen", "Other", null];
  // On a day on which nobody else came.
  const first = Date.UTC(2025, 3, 1);
  const day = { start_date: "2025-04-01", end_date: "2025-04-01" };
  const people = platforms.map((platform) => ({ first, last: first, country: null, platform }));
  await insertLedger(desk, { people, moves: [] });
  const found: [string, number][] = [];
  for (const platform of ["iOS", "Android", "Web", "Roku", "Other"]) {
    const chart = await getChart(desk.client, "customers_new", { ...day, platform });
    found.push([platform, total(chart)]);
  }
  deepEqual(found, [["iOS", 2], ["Android", 1], ["Web", 3], ["Roku", 0], ["Other", 3]]);
  const split = await getChart(desk.client, "customers_new", { ...day, segment: "platform" });
  deepEqual(
    split.segments?.map(({ id }, segment) => [id, total(split, segment)]),
    [["total", 9], ["Other", 3], ["Web", 3], ["iOS", 2], ["Android", 1]],
  );
});

Deno.test("a value that a filter cannot have gets those that it can", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const read = async (query: string) => {
    const path = `/v2/projects/${desk.projectId}/charts/revenue?${query}`;
    return (await (await desk.send("GET", path)).json()).message;
  };
  equal(
    await read("platform=ios"),
    "'platform' must be one of iOS, Android, macOS, tvOS, watchOS, visionOS, Web, Roku, Other",
  );
  equal(await read("environment=test"), "'environment' must be one of production, sandbox");
});

Deno.test("a chart shows money in each of twelve currencies", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await buySome(desk);
  const currencies = "USD EUR GBP AUD CAD JPY BRL KRW CNY MXN SEK PLN".split(" ");
  for (const currency of currencies) {
    const chart = await getChart(desk.client, "revenue", { currency });
    equal(chart.yaxis_currency, currency);
    const dollars = total(chart) * (USD_PER_UNIT.get(currency) ?? NaN);
    equal(dollars.toFixed(4), "60.0000", currency);
  }
});
