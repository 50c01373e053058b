/**
 * `cli subscribers list --all` of many customers: what it takes, and that its memory does not grow with
 * their number.
 *
 * @module
 */

import { join } from "node:path";
import { cliArguments, peakMemory } from "./child.ts";
import { insertCustomers } from "./customers.ts";
import { type Finding, type Measured, plain } from "./measure.ts";
import { startService } from "./programs.ts";

/** Measures the list as CSV and as one JSON value per line: of a tenth of the customers, then of all. */
export async function measureExport(
  options: { customers: number; folder: string; env: Record<string, string> },
): Promise<Measured> {
  const { customers, folder, env } = options;
  {
    await using service = await startService(folder, env);
    await (await fetch(`${service.base_url}/health`)).text();
  }
  insertCustomers(join(folder, "service.db"), customers);
  await using service = await startService(folder, env);
  const variables = {
    ...env,
    CLI_BASE_URL: service.base_url,
    CLI_PROJECT_ID: service.project_id,
    CLI_REFRESH_TOKEN: service.refresh_token,
  };
  const findings: Finding[] = [];
  for (const format of ["csv", "ndjson"]) {
    for (const count of [Math.ceil(customers / 10), customers]) {
      const { seconds, peak } = await list(format, count, variables);
      findings.push(plain(`${count} customers as ${format}`, `${seconds.toFixed(1)} s, ${peak}`));
    }
  }
  return {
    method:
      `${customers} customers in a file. \`cli subscribers list --all\` writes them, in pages ` +
      "of 100, to a file. Time of the whole process, and the most memory that it has had.",
    findings,
  };
}

/** Lists so many customers into a file, and throws unless all are there. */
async function list(
  format: string,
  count: number,
  env: Record<string, string>,
): Promise<{ seconds: number; peak: string }> {
  const words = ["subscribers", "list", "--all", "--limit", `${count}`, "--output", format];
  const args = ["run", ...cliArguments(...words)];
  const child = new Deno.Command(Deno.execPath(), { args, env, stdout: "piped" }).spawn();
  const began = performance.now();
  let lines = 0;
  let peak = "unknown memory";
  let looked = 0;
  for await (const chunk of child.stdout) {
    for (const byte of chunk) if (byte === 10) lines++;
    if (performance.now() - looked < 250) continue;
    peak = await memoryOf(child.pid) ?? peak;
    looked = performance.now();
  }
  const { code } = await child.status;
  const rows = format === "csv" ? lines - 1 : lines;
  if (code !== 0 || rows !== count) {
    throw new Error(`Cannot list ${count} customers as ${format}: ${rows} rows, exit code ${code}`);
  }
  return { seconds: (performance.now() - began) / 1000, peak };
}

/** The most memory that a process has had so far; undefined where the system does not say. */
async function memoryOf(pid: number): Promise<string | undefined> {
  const bytes = await peakMemory(pid);
  return bytes === undefined ? undefined : `${Math.round(bytes / 1_048_576)} MiB at most`;
}
