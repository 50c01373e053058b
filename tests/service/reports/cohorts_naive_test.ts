import { openDesk } from "../../support/harness.ts";
import { checkChart, CUSTOMER_CHARTS, PLAIN } from "../../support/naive_charts.ts";
import { dimensionOfPerson, readWorld } from "../../support/naive_reports.ts";
import { makePopulation } from "../../support/population_fixture.ts";
import { NOW } from "../../support/random_ledger.ts";

Deno.test("cohorts by week, by day and of some customers agree with all payments", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  await makePopulation(desk.service, { customers: 80 });
  const world = await readWorld(desk.service.store, desk.projectId, NOW);
  const countries = new Set(world.people.map((person) => dimensionOfPerson("country", person)));
  const [country = "unknown"] = [...countries].sort();
  const filters = [{}, { country: [country] }, { platform: ["iOS", "Web"] }];
  for (const name of CUSTOMER_CHARTS) {
    for (const [resolution, from] of [["day", 15], ["week", 120], ["month", 300]] as const) {
      for (const one of resolution === "day" ? filters.slice(0, 2) : filters) {
        await checkChart(desk, world, { ...PLAIN, name, resolution, from, filters: one });
      }
      const segment = resolution === "week" ? "platform" : "country";
      await checkChart(desk, world, { ...PLAIN, name, resolution, from, segment });
    }
    // More periods than are added up one by one.
    await checkChart(desk, world, { ...PLAIN, name, resolution: "day", from: 101 });
  }
});
