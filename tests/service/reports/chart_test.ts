import { deepEqual } from "node:assert/strict";
import { getChart } from "../../../lib/resources/charts.ts";
import { openDesk } from "../../support/harness.ts";

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
