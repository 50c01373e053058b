/**
 * Measures what design and users care about against budgets, and writes RESULTS.md beside this file.
 *
 * Run it as `deno task bench`; `deno task bench --quick` only shows that it still works, and writes
 * nothing.
 *
 * @module
 */

import { cpus, release, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { homeAt, inTemporaryFolder } from "./child.ts";
import { measureHttp } from "./http.ts";
import { keeps, type Section } from "./measure.ts";
import { measurePrograms, measureStart, startService } from "./programs.ts";
import { measureReports } from "./reports.ts";
import { renderResults } from "./results.ts";
import { measureWalk, measureWrites } from "./store.ts";
import { measureYear } from "./year.ts";

/** How thoroughly to measure. */
export interface BenchSize {
  /** Rounds of everything that do not count, before those that do. */
  warmUp: number;
  /** Runs of each program. */
  runs: number;
  /** Starts of the service. */
  starts: number;
  /** Turns of each server. */
  rounds: number;
  /** How long a turn is, in milliseconds. */
  ms: number;
  /** Customers to walk over. */
  customers: number;
  /** Writes that share commits. */
  writes: number;
  /** Subscriptions that live through a year. */
  subscriptions: number;
  /** Rows of the ledger that charts are made of. */
  ledger: number;
}

/** Enough for medians that hold. */
const FULL: BenchSize = {
  warmUp: 2,
  runs: 21,
  starts: 9,
  rounds: 9,
  ms: 300,
  customers: 100_000,
  writes: 8_000,
  subscriptions: 10_000,
  ledger: 1_000_000,
};

/** Enough to see that it works. */
const QUICK: BenchSize = {
  warmUp: 1,
  runs: 3,
  starts: 1,
  rounds: 1,
  ms: 100,
  customers: 2_000,
  writes: 500,
  subscriptions: 200,
  ledger: 20_000,
};

/** Measures everything. `tell` hears what is being measured. */
export async function bench(size: BenchSize, tell: (what: string) => void): Promise<Section[]> {
  return await inTemporaryFolder(async (folder) => {
    const env = await homeAt(folder);
    const served = await measureService(size, { folder, env, tell });
    tell("the service's start");
    const start = await measureStart({ runs: size.starts, warmUp: size.warmUp, env, folder });
    tell("a walk over all customers");
    const walk = await measureWalk({ folder, customers: size.customers });
    tell("writes that share a commit");
    const writes = await measureWrites({ folder, writes: size.writes });
    tell("a year of subscriptions");
    const year = await measureYear({ folder, subscriptions: size.subscriptions });
    tell("charts over a large ledger");
    const reports = await measureReports({ folder, rows: size.ledger, rounds: size.rounds });
    return [...served, start, walk, writes, year, reports];
  });
}

/** Measures what needs a service that runs. */
async function measureService(
  size: BenchSize,
  place: { folder: string; env: Record<string, string>; tell: (what: string) => void },
): Promise<Section[]> {
  const { folder, env, tell } = place;
  await using service = await startService(join(folder, "service"), env);
  tell("the command line");
  const { runs, rounds, warmUp, ms } = size;
  const programs = await measurePrograms({ runs, warmUp, env, service });
  tell("the service over HTTP");
  const http = await measureHttp({ rounds, warmUp, ms, service });
  return [programs, http];
}

/** The machine and how busy it is with other work, in one line. */
function machine(): string {
  const [first] = cpus();
  const [load = 0] = Deno.loadavg();
  const system = `${type()} ${release().split(/[-+]/)[0]}`;
  return `${first?.model ?? "an unknown processor"}, ${cpus().length} cores, ${system}, ` +
    `Deno ${Deno.version.deno}, load ${load.toFixed(1)} before the run`;
}

if (import.meta.main) {
  const { quick } = parseArgs({ args: Deno.args, options: { quick: { type: "boolean" } } }).values;
  const place = machine();
  const sections = await bench(quick ? QUICK : FULL, (what) => console.error(`Measuring ${what}`));
  const results = renderResults(sections, place);
  console.log(results);
  if (!quick) {
    await Deno.writeTextFile(fileURLToPath(import.meta.resolve("./RESULTS.md")), results);
  }
  const over = sections.flatMap(({ findings }) => findings)
    .filter(({ value, budget }) => value !== undefined && budget && !keeps(value, budget));
  for (const { what } of over) console.error(`Over budget: ${what}`);
}
