/**
 * Prints the headline numbers as one line of CSV, to append to a file every night. Amounts are in
 * US dollars, or in the currency given as the argument.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/nightly_metrics.ts >> metrics.csv
 * ```
 *
 * The file's first line, once: `deno run scripts/examples/nightly_metrics.ts header > metrics.csv`
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`.
 *
 * @module
 */

import { connect, getMetricsOverview, ToolkitError } from "../../mod.ts";

/** The columns after the date. A number that the service does not have leaves its column empty. */
const COLUMNS = [
  "active_trials",
  "active_subscriptions",
  "mrr",
  "revenue",
  "new_customers",
  "active_users",
  "lifetime_revenue",
  "conversion",
];

/** The line of today: the day, UTC, and the numbers in the order of the columns. */
async function lineOfToday(currency: string): Promise<string> {
  const client = await connect();
  const { metrics } = await getMetricsOverview(client, { currency });
  const values = new Map(metrics.map(({ id, value }) => [id, value]));
  // The service's own day, so that a line always belongs to its numbers.
  const at = metrics.find((metric) => metric.last_updated_at !== null)?.last_updated_at;
  const day = new Date(at ?? Date.now()).toISOString().slice(0, 10);
  return [day, ...COLUMNS.map((id) => values.get(id) ?? "")].join(",");
}

const [argument = "USD"] = Deno.args;
try {
  console.log(argument === "header" ? ["date", ...COLUMNS].join(",") : await lineOfToday(argument));
} catch (error) {
  if (!(error instanceof ToolkitError)) throw error;
  // Nothing was printed, so the file has no half line.
  console.error([error.message, error.hint].filter((line) => line !== undefined).join("\n"));
  Deno.exitCode = 1;
}
