import { deepEqual, equal } from "node:assert/strict";
import { type ChartQuery, getChart, getChartOptions } from "../../../lib/resources/charts.ts";
import { buySome, total } from "../../support/chart_sales.ts";
import { openDesk } from "../../support/harness.ts";

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
