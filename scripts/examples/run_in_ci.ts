/**
 * Fails a build whose project is not ready for release: without a current offering, or with one
 * without packages. It runs without a browser and stores nothing, as in CI.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/run_in_ci.ts
 * ```
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`. Use a token that does not rotate: a rotating one works for one
 * run only, unless the home folder is writable and kept between runs.
 *
 * @module
 */

import { connect, each, listOfferings, ToolkitError } from "../../mod.ts";

const problems: string[] = [];
try {
  const client = await connect();
  const first = listOfferings(client, { limit: 100, expand: ["items.package"] });
  const offerings = await Array.fromAsync(each(client, first));
  const current = offerings.find(({ is_current }) => is_current);
  if (!current) problems.push("No offering is current");
  else if (!current.packages?.items.length) {
    problems.push(`The current offering "${current.lookup_key}" has no packages`);
  }
} catch (error) {
  // The message is the problem, and the hint the remedy.
  if (!(error instanceof ToolkitError)) throw error;
  problems.push(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`);
}
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log("Ready for release");
Deno.exitCode = problems.length === 0 ? 0 : 1;
