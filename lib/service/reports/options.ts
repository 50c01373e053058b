/**
 * The options of a chart: its periods, filters, segments and selectors.
 *
 * @module
 */

import type { ChartOptions } from "../../resources/charts.ts";
import type { ProjectCall } from "../records/find.ts";
import { choicesOf, readCatalogue } from "./catalogue.ts";
import { hasRevenue } from "./chart.ts";
import type { Definition } from "./definition.ts";
import { filtersOf, segmentsOf } from "./dimensions.ts";
import { RESOLUTIONS } from "./periods.ts";
import { REVENUE_TYPES } from "./request.ts";

/** Reads a chart's filters and segments, with their possible values. */
export async function chartOptions(
  place: ProjectCall,
  definition: Definition,
): Promise<ChartOptions> {
  const { subject } = definition;
  const catalogue = await readCatalogue(place);
  const of = subject === "ledger" ? "ledger" : "customers";
  const filters: ChartOptions["filters"] = [];
  for (const dimension of filtersOf(subject)) {
    const { id, display_name, group_display_name } = dimension;
    const options = await choicesOf(place, dimension, catalogue, of);
    filters.push({
      object: "chart_filter_option",
      id,
      display_name,
      group_display_name,
      options: options.map((option) => ({ id: option.id, display_name: option.display_name })),
    });
  }
  return {
    object: "chart_options",
    resolutions: RESOLUTIONS.map((name, i) => ({
      id: String(i),
      display_name: name.charAt(0).toUpperCase() + name.slice(1),
    })),
    segments: segmentsOf(subject).map(({ id, display_name, group_display_name }) => ({
      object: "chart_segment_option",
      id,
      display_name,
      group_display_name,
    })),
    filters,
    user_selectors: hasRevenue(definition.measures(0)) ? { revenue_type: REVENUE_TYPE } : {},
  };
}

const REVENUE_TYPE = {
  default: "revenue",
  display_name: "Revenue Type",
  options: Object.entries(REVENUE_TYPES).map(([id, display_name]) => ({ id, display_name })),
};
