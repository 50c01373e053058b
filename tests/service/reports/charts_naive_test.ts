import { equal, ok } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { type Chart, getChart } from "../../../lib/resources/charts.ts";
import { CHARTS } from "../../../lib/service/reports/all_charts.ts";
import { openDesk } from "../../support/harness.ts";
import { type Ask, checkChart, CUSTOMER_CHARTS, near, PLAIN } from "../../support/naive_charts.ts";
import { readWorld } from "../../support/naive_reports.ts";
import { makePopulation } from "../../support/population_fixture.ts";
import { insertLedger, ledgers, NOW } from "../../support/random_ledger.ts";
import { simulateYear } from "../../support/simulated_year.ts";
import { productNamed, simulate } from "../../support/simulation.ts";

Deno.test("every figure is the sum of all rows of a random ledger", async () => {
  await fc.assert(
    fc.asyncProperty(ledgers, fc.array(asks, { minLength: 6, maxLength: 6 }), async (rows, all) => {
      await using desk = await openDesk({ clock: () => NOW });
      await insertLedger(desk, rows);
      const world = await readWorld(desk.service.store, desk.projectId, NOW);
      for (const ask of all) await checkChart(desk, world, ask);
    }),
    { numRuns: Deno.env.has("LONG_TESTS") ? 200 : 15 },
  );
});

Deno.test("every chart agrees with all rows of the demonstration, for every length of period", async () => {
  await using desk = await openDesk({ clock: () => NOW, buyers: true });
  const world = await readWorld(desk.service.store, desk.projectId, NOW);
  ok(world.moves.length > 5);
  for (const name of CHARTS.keys()) {
    for (const resolution of ["day", "week", "month", "quarter", "year"]) {
      await checkChart(desk, world, { ...PLAIN, name, resolution, from: 100, until: -2 });
    }
    const segment = CUSTOMER_CHARTS.includes(name) ? "country" : "store";
    await checkChart(desk, world, { ...PLAIN, name, resolution: "month", from: 120, segment });
  }
});

Deno.test("every chart agrees with the rows of a simulated year", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const sim = simulate(desk);
  await simulateYear(desk);
  const world = await readWorld(desk.service.store, desk.projectId, await sim.now());
  ok(new Set(world.moves.map(({ kind }) => kind)).size > 15, "the year was dull");
  for (const name of CHARTS.keys()) {
    for (const [resolution, from] of [["day", 30], ["week", 100], ["month", 400]] as const) {
      await checkChart(desk, world, { ...PLAIN, name, resolution, from });
    }
    const segment = CUSTOMER_CHARTS.includes(name) ? "platform" : "product_id";
    await checkChart(desk, world, { ...PLAIN, name, resolution: "month", from: 400, segment });
  }
});

Deno.test("every chart agrees with what a population has left behind", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await makePopulation(desk.service, { customers: 400 });
  const world = await readWorld(desk.service.store, desk.projectId, NOW);
  ok(new Set(world.moves.map(({ kind }) => kind)).size > 12, "the population was dull");
  for (const name of CHARTS.keys()) {
    await checkChart(desk, world, { ...PLAIN, name, resolution: "month", from: 400 });
    const segment = CUSTOMER_CHARTS.includes(name) ? "country" : "store";
    await checkChart(desk, world, { ...PLAIN, name, resolution: "week", from: 100, segment });
  }
});

Deno.test("payments of two customers belong to one customer after a merge", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const sim = simulate(desk);
  const anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef";
  const product_id = (await productNamed(desk, "notes.pro.monthly")).id;
  const buy = { product_id, price: 10, currency: "USD" };
  await sim.subscribe({ ...buy, customer_id: "named" });
  await sim.advance("P40D");
  await sim.subscribe({ ...buy, customer_id: anonymous });
  await sim.post(`/customers/${encodeURIComponent(anonymous)}/aliases`, { alias: "named" });
  const world = await readWorld(desk.service.store, desk.projectId, await sim.now());
  for (const name of CUSTOMER_CHARTS) {
    await checkChart(desk, world, { ...PLAIN, name, resolution: "week", from: 70 });
  }
});

Deno.test("the parts of movements and levels add up", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await simulateYear(desk);
  const read = (name: string) => getChart(desk.client, name, { period: "month" });
  for (
    const [name, level] of [
      ["actives_movement", "actives"],
      ["mrr_movement", "mrr"],
      ["trials_movement", "trials"],
    ] as const
  ) {
    const movement = table(await read(name));
    const stand = table(await read(level)).map(([value]) => value ?? NaN);
    for (const [i, row] of movement.entries()) {
      const net = row.at(-1) ?? NaN;
      near(row.slice(0, -1).reduce((sum, part) => sum + part, 0), net, `${name} ${i}`);
      if (i > 0) near((stand[i] ?? NaN) - (stand[i - 1] ?? NaN), net, `${level} ${i}`);
    }
  }
  const status = table(await read("subscription_status"));
  const actives = table(await read("actives"));
  for (const [i, row] of status.entries()) {
    equal(row.reduce((sum, part) => sum + part, 0), actives[i]?.[0], `status ${i}`);
    ok(row.every((part) => part >= 0), `status ${i}: ${row}`);
  }
});

/** The numbers of a chart: a row for each period, in it one for each measure. */
function table(chart: Chart): number[][] {
  const rows = [...Map.groupBy(chart.values, ({ cohort }) => cohort).values()];
  return rows.map((row) => row.map(({ value }) => value));
}

const asks: fc.Arbitrary<Ask> = fc.record({
  name: fc.constantFrom(...CHARTS.keys()),
  resolution: fc.constantFrom("day", "week", "month", "quarter", "year"),
  from: fc.nat({ max: 400 }),
  length: fc.nat({ max: 60 }),
  filters: fc.dictionary(
    fc.constantFrom(
      "country",
      "platform",
      "environment",
      "store",
      "offering_id",
      "product_duration",
    ),
    fc.nat({ max: 3 }),
    { maxKeys: 2, noNullPrototype: true },
  ),
  segment: fc.option(
    fc.constantFrom(
      "country",
      "platform",
      "store",
      "product_id",
      "product_duration",
      "environment",
    ),
    { nil: undefined },
  ),
  limit: fc.integer({ min: 1, max: 4 }),
  currency: fc.constantFrom("USD", "EUR", "JPY"),
  revenue: fc.constantFrom("revenue", "revenue_net_of_taxes", "proceeds"),
  asJson: fc.boolean(),
}).map(({ filters, length, ...ask }) => {
  const values: Record<string, string[][]> = {
    country: [["US"], ["DE", "unknown"], ["FR"], ["JP", "US", "JP"]],
    platform: [["iOS"], ["Android", "Web"], ["Other"], ["Roku"]],
    environment: [["production"], ["sandbox"], ["sandbox", "production"], ["sandbox"]],
    store: [["app_store"], ["play_store", "svc_billing"], ["roku"], ["paddle", "app_store"]],
    offering_id: [["none"], ["offering"], ["none", "offering"], ["nope"]],
    product_duration: [["P1M"], ["P1Y", "P200Y"], ["P1W"], ["P200Y"]],
  };
  const byPerson = CUSTOMER_CHARTS.includes(ask.name);
  const hasEnvironment = !["customers_new", "customers_active"].includes(ask.name);
  const may = (id: string) =>
    !byPerson || id === "country" || id === "platform" || id === "environment" && hasEnvironment;
  const chosen = Object.entries(filters).filter(([id]) => may(id))
    .map(([id, i]) => [id, values[id]?.[i] ?? []]);
  const { segment } = ask;
  const split = segment === "country" || segment === "platform" || !byPerson;
  return {
    ...ask,
    until: ask.from - length,
    filters: Object.fromEntries(chosen),
    segment: split ? segment : undefined,
  };
});
