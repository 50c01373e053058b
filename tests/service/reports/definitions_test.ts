import { deepEqual, equal, match } from "node:assert/strict";
import { CHARTS } from "../../../lib/service/reports/all_charts.ts";
import type { Measure } from "../../../lib/service/reports/definition.ts";

/** Each chart: its group, its form and its measures. Those in parentheses are listed, not drawn. */
const DRAWN = [
  "actives: subscriptions, line; Active Subscriptions #0",
  "actives_movement: subscriptions, bar; New #0; Returned #0; " +
  "(Product Changes #0); Churned #0; (Movement #0)",
  "actives_new: subscriptions, bar; New Paid Subscriptions #0; (Direct #0); " +
  "(From Trials #0); (Resubscriptions #0)",
  "arr: revenue, line; ARR $0",
  "churn: subscriptions, line; (Actives #0); (Churned Actives #0); Churn Rate %2",
  "cohort_explorer: retention, cohort; (New Customers #0); Period 0 $2; Period 1 $2",
  "conversion_to_paying: customers, line; (New Customers #0); " +
  "(Paying Customers #0); Conversion Rate %2",
  "customers_active: customers, bar; Active Customers #0",
  "customers_new: customers, bar; New Customers #0",
  "ltv_per_customer: customers, line; (New Customers #0); (Revenue $2); LTV per Customer $2",
  "ltv_per_paying_customer: customers, line; (Paying Customers #0); " +
  "(Revenue $2); LTV per Paying Customer $2",
  "mrr: revenue, line; MRR $0",
  "mrr_movement: revenue, bar; New MRR $2; Returned MRR $2; Expansion MRR $2; " +
  "Contraction MRR $2; Churned MRR $2; (Movement $2)",
  "refund_rate: revenue, line; (Transactions #0); (Refunds #0); Refund Rate %2",
  "revenue: revenue, bar; Revenue $2; (Refunds $2); (Transactions #0)",
  "subscription_retention: retention, cohort; (Subscriptions #0); Period 0 %2; Period 1 %2",
  "subscription_status: subscriptions, line; Set to Renew #0; " +
  "Set to Cancel #0; Billing Issue #0",
  "trial_conversion_rate: trials, line; (Trial Starts #0); (Conversions #0); " +
  "(Expirations #0); (Pending #0); Conversion Rate %2",
  "trials: trials, line; Active Trials #0",
  "trials_movement: trials, bar; New #0; (Product Changes #0); " +
  "Converted #0; Expired #0; (Movement #0)",
  "trials_new: trials, bar; New Trials #0",
];

/** A measure in short, with its decimal places. */
function inShort({ display_name, unit, decimal_precision, chartable }: Measure): string {
  const text = `${display_name} ${unit}${decimal_precision}`;
  return chartable ? text : `(${text})`;
}

Deno.test("each chart has its group, its form and its measures", () => {
  const drawn = [...CHARTS].map(([name, { category, display_type, measures }]) =>
    [`${name}: ${category}, ${display_type}`, ...measures(1).map(inShort)].join("; ")
  );
  deepEqual(drawn, DRAWN);
});

Deno.test("each chart and each measure has a name and whole sentences", () => {
  for (const [name, chart] of CHARTS) {
    equal(chart.name, name);
    for (const { display_name, description } of [chart, ...chart.measures(12)]) {
      match(display_name, /^[A-Z]\w/, name);
      // The answer adds the period after the last sentence.
      match(description, /^(\d+ periods? |[A-Z][\w-]*)[^\n]*[^.\n]$/, `${name}: ${display_name}`);
    }
  }
});
