import { deepEqual } from "node:assert/strict";
import { getChart } from "../../../lib/resources/charts.ts";
import { total } from "../../support/chart_sales.ts";
import { openDesk } from "../../support/harness.ts";
import { productNamed, simulate } from "../../support/simulation.ts";

/** A Friday. */
const NOW = Date.UTC(2026, 0, 30, 12);

Deno.test("a chart tells everything that is needed to draw it", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const { values: _, segments: __, summary: ___, ...chart } = await getChart(
    desk.client,
    "revenue",
    {
      start_date: "2026-01-01",
      end_date: "2026-01-02",
      currency: "EUR",
      segment: "store",
      limit_num_segments: "3",
    },
  );
  const both = { tabulable: true, unit: "$", decimal_precision: 2 };
  deepEqual(chart, {
    object: "chart_data",
    category: "revenue",
    display_type: "bar",
    display_name: "Revenue",
    description: "Payments less refunds.",
    documentation_link: null,
    start_date: Date.UTC(2026, 0, 1) / 1000,
    end_date: Date.UTC(2026, 0, 2) / 1000,
    yaxis_currency: "EUR",
    filters: [],
    filtering_allowed: true,
    segmenting_allowed: true,
    resolution: "day",
    yaxis: "$",
    segments_limit: 3,
    measures: [
      {
        ...both,
        display_name: "Revenue",
        description: "Payments less refunds.",
        chartable: true,
      },
      {
        ...both,
        display_name: "Refunds",
        description: "Refunds less reversed refunds.",
        chartable: false,
      },
      {
        display_name: "Transactions",
        description: "Payments greater than zero.",
        unit: "#",
        decimal_precision: 0,
        chartable: false,
        tabulable: true,
      },
    ],
    user_selectors: { revenue_type: "revenue" },
    unsupported_params: null,
    last_computed_at: NOW,
  });
});

Deno.test("a segment with a single trial is shown, and one without any is not", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const sim = simulate(desk);
  const apple = await productNamed(desk, "notes.pro.monthly");
  const google = await productNamed(desk, "notes_pro:annual");
  await sim.subscribe({ customer_id: "ada", product_id: apple.id, trial: "P3D" });
  await sim.advance("P4D");
  await sim.subscribe({ customer_id: "bob", product_id: google.id, trial: "P3D" });
  const chart = await getChart(desk.client, "trials", {
    segment: "store",
    start_date: "2026-02-03",
    end_date: "2026-02-03",
  });
  deepEqual(chart.segments?.map(({ id }) => id), ["total", "play_store"]);
  deepEqual([total(chart, 0), total(chart, 1)], [1, 1]);
});
