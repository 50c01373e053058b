/**
 * The service on PostgreSQL, against the service on SQLite in the same run: requests, years of
 * renewals and deliveries, with one, two and four processes on one database.
 *
 * @module
 */

import { join } from "node:path";
import { findPrograms, OLDEST, type PostgresServer, startPostgres } from "../postgres/server.ts";
import { startScript } from "./child.ts";
import { deliverKilled } from "./delivery.ts";
import { carryOut, type Case, casesFor } from "./http.ts";
import type { Order } from "./load_generator.ts";
import {
  type Budget,
  type Finding,
  inTurns,
  type Measured,
  median,
  plain,
  ratioOf,
  type Samples,
} from "./measure.ts";
import { type RunningService, startService, startShared } from "./programs.ts";
import {
  copyOfYears,
  createDatabase,
  type Place,
  renewalsPerSecond,
  sellYears,
} from "./shared_year.ts";

/** How thoroughly to measure. */
export interface PostgresOptions {
  /** A folder for what is in files. */
  folder: string;
  /** An environment with a home folder of its own. */
  env: Record<string, string>;
  /** Rounds that do not count, before those that do. */
  warmUp: number;
  /** Turns of each kind of requests; a third of them for years and deliveries, which take longer. */
  rounds: number;
  /** How long a turn of requests is, in milliseconds. */
  ms: number;
  /** Subscriptions of each project that live through a year. */
  subscriptions: number;
  /** Events to deliver. */
  events: number;
}

/** What is compared: SQLite in one process, and so many processes on one PostgreSQL. */
type Contender = "sqlite" | "one" | "two" | "four";

const FLEETS = { one: 1, two: 2, four: 4 } as const;

/** How many projects live through a year at once. */
const PROJECTS = 4;

/** How many requests are under way at a time. */
const AT_A_TIME = 64;

/** The budgets for one process. */
const BUDGETS: Readonly<Record<string, Budget>> = {
  "GET by id": { atLeast: 0.35 },
  "POST that creates": { atLeast: 0.15 },
};
const YEAR_BUDGET: Budget = { atLeast: 0.6 };

/** The folder of PostgreSQL's programs, where they are installed and this program may run them. */
export async function runnablePrograms(): Promise<string | undefined> {
  const bin = await findPrograms();
  if (bin === undefined) return undefined;
  const needed = [{ name: "run", command: join(bin, "initdb") }, { name: "sys", kind: "uid" }];
  const states = await Promise.all(
    // The list is of the names that Deno has.
    needed.map((one) => Deno.permissions.query(one as Deno.PermissionDescriptor)),
  );
  return states.every(({ state }) => state === "granted") ? bin : undefined;
}

/** Measures both engines, or says that PostgreSQL is missing. */
export async function measurePostgres(options: PostgresOptions): Promise<Measured> {
  const bin = await runnablePrograms();
  if (bin === undefined) {
    const why = `PostgreSQL's programs, version ${OLDEST} or newer, cannot be run here`;
    console.error(`SKIPPED: the service on PostgreSQL. ${why}`);
    return { method: `SKIPPED: ${why}. There is no verdict.`, findings: [plain("SKIPPED", why)] };
  }
  const server = await startPostgres(bin, ["max_connections=200"]);
  try {
    const place = { bin, server, ...options };
    return {
      method: methodOf(options),
      findings: [
        ...await measureRequests(place),
        ...await measureYears(place),
        ...await measureDeliveries(place),
      ],
    };
  } finally {
    await server.remove();
  }
}

function methodOf({ rounds, ms, subscriptions, events }: PostgresOptions): string {
  return "The same work for one process on a file of SQLite and for one, two and four processes " +
    "on one PostgreSQL, in turns. All of it shares one machine: the processes, PostgreSQL, the " +
    "load generator and the receiver. So more processes take the processor from each other, and " +
    "the ratios say nothing about several machines. PostgreSQL runs with its own settings; each " +
    `commit is on disk (fsync). Requests: ${rounds} turns of ${ms} ms, ${AT_A_TIME} at a time by ` +
    `\`fetch\`, spread evenly over the processes. Years: ${subscriptions} monthly subscriptions in ` +
    `each project, on a new database without ANALYZE, ${turnsOf(rounds)} turns. Deliveries: ` +
    `${events} events to a receiver that takes all, ${
      turnsOf(rounds)
    } turns. That the figures of ` +
    "SQLite itself did not fall is shown by `deno task bench --save FILE` before a change, and " +
    "`--compare FILE` after it.";
}

/** Turns of what takes long. */
function turnsOf(rounds: number): number {
  return Math.ceil(rounds / 3);
}

/** The place of all measurements. */
interface Site extends PostgresOptions {
  /** The folder of PostgreSQL's programs. */
  bin: string;
  /** The server. */
  server: PostgresServer;
}

/** One line for each number of processes. */
function linesOf(
  what: string,
  samples: Partial<Samples<Contender>>,
  budget: Budget | undefined,
): Finding[] {
  const { sqlite = [] } = samples;
  const fleets = Object.entries(FLEETS) as [keyof typeof FLEETS, number][];
  return fleets.flatMap(([name, count]) => {
    const ours = samples[name];
    if (!ours) return [];
    return [{
      what: `${what}; ${count} ${count === 1 ? "process" : "processes"}`,
      ours: `${median(ours).toFixed(0)}/s`,
      base: `${median(sqlite).toFixed(0)}/s, SQLite`,
      ...ratioOf(ours, sqlite),
      better: "more" as const,
      ...count === 1 && budget && { budget },
    }];
  });
}

async function measureRequests(site: Site): Promise<Finding[]> {
  const { folder, env, rounds, warmUp, ms, server } = site;
  await using stack = new AsyncDisposableStack();
  const generator = stack.use(startScript("load_generator.ts"));
  const sqlite = stack.use(await startService(join(folder, "requests"), env));
  const fleet: RunningService[] = [];
  for (let i = 0; i < FLEETS.four; i++) {
    fleet.push(stack.use(await startShared(server.address("postgres"), env)));
  }
  const [first] = fleet;
  if (!first) return [];
  const cases = await requestsTo(sqlite);
  const findings: Finding[] = [];
  for (const [i, { what, request }] of (await requestsTo(first)).entries()) {
    const turn = (services: readonly RunningService[], template: Case["request"]) => async () => {
      const [base_url = "", ...others] = services.map((one) => one.base_url);
      const by = { by: "fetch", connections: AT_A_TIME, ms } as const;
      const order: Order = { base_url, others, request: template, ...by };
      return (await carryOut(generator, order)).per_second;
    };
    const samples = await inTurns({
      sqlite: turn([sqlite], cases[i]?.request ?? request),
      one: turn(fleet.slice(0, FLEETS.one), request),
      two: turn(fleet.slice(0, FLEETS.two), request),
      four: turn(fleet, request),
    }, { rounds, warmUp });
    findings.push(...linesOf(`${what}, per second`, samples, BUDGETS[what]));
  }
  return findings;
}

/** The requests of the section about HTTP that have a page of their own here, and a refresh. */
async function requestsTo(service: RunningService): Promise<Case[]> {
  const usual = await casesFor(service);
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: service.refresh_token,
    client_id: "svc-cli",
  });
  const refresh: Case = {
    what: "Refresh of a token",
    request: {
      method: "POST",
      path: "/oauth2/token",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: String(body),
    },
  };
  return [...usual.filter(({ what }) => what !== "List of 100"), refresh];
}

async function measureYears(site: Site): Promise<Finding[]> {
  const { folder, rounds, subscriptions } = site;
  const projects = Array.from({ length: PROJECTS }, (_, i) => `projyear000${i}`);
  const file: Place = { file: join(folder, "years.db") };
  const shared: Place = { ...site, name: "years" };
  for (const place of [file, shared]) await sellYears(place, projects, subscriptions);
  let copies = 0;
  const turn = (sold: Place, processes: number, own: readonly string[]) => async () => {
    const copy = await copyOfYears(sold, `years${++copies}`);
    const lists = Array.from(
      { length: processes },
      (_, i) => own.filter((_, at) => at % processes === i),
    );
    return await renewalsPerSecond(copy, lists);
  };
  const options = { rounds: turnsOf(rounds), warmUp: 0 };
  const alone = await inTurns({
    sqlite: turn(file, 1, projects.slice(0, 1)),
    one: turn(shared, 1, projects.slice(0, 1)),
  }, options);
  const together = await inTurns({
    sqlite: turn(file, 1, projects),
    one: turn(shared, FLEETS.one, projects),
    two: turn(shared, FLEETS.two, projects),
    four: turn(shared, FLEETS.four, projects),
  }, options);
  return [
    ...linesOf("Renewals per second, one project", alone, YEAR_BUDGET),
    ...linesOf(`Renewals per second, ${PROJECTS} projects`, together, YEAR_BUDGET),
  ];
}

async function measureDeliveries(site: Site): Promise<Finding[]> {
  const { folder, events, rounds, server, bin } = site;
  let runs = 0;
  const turn = (processes: number | undefined) => async () => {
    const name = `deliveries${++runs}`;
    const place = join(folder, name);
    await Deno.mkdir(place);
    if (processes !== undefined) await createDatabase({ bin, server, name });
    const { sending, faults } = await deliverKilled({
      folder: place,
      events,
      fails: 0,
      kill: { requests: Infinity },
      ...processes !== undefined && { processes, database: server.address(name) },
    });
    if (faults.length > 0) throw new Error(`Cannot trust the deliveries: ${faults[0]}`);
    return events / sending;
  };
  const samples = await inTurns({
    sqlite: turn(undefined),
    one: turn(FLEETS.one),
    two: turn(FLEETS.two),
    four: turn(FLEETS.four),
  }, { rounds: turnsOf(rounds), warmUp: 0 });
  return linesOf("Deliveries per second", samples, undefined);
}
