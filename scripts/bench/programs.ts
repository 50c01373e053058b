/**
 * Whole processes: how long the command line takes, against a script that does nothing.
 *
 * @module
 */

import { join } from "node:path";
import { type Child, CLI_FLAGS, cliArguments, ROOT, runDeno, startDeno } from "./child.ts";
import {
  type Budget,
  elapsed,
  type Finding,
  inTurns,
  type Measured,
  median,
  noiseOf,
  ratioOf,
} from "./measure.ts";

/** How thoroughly to measure. */
export interface ProgramOptions {
  /** Runs of each program. */
  runs: number;
  /** Runs that do not count, before those. */
  warmUp: number;
  /** An environment with a home folder of its own. */
  env: Record<string, string>;
  /** The service that the commands talk to, and a sign-in. */
  service: RunningService;
}

/** A service in a process of its own. */
export interface RunningService extends AsyncDisposable {
  /** Its address. */
  base_url: string;
  /** Its project. */
  project_id: string;
  /** An access token. */
  access_token: string;
  /** A refresh token that does not rotate. */
  refresh_token: string;
  /** The secret of its administrator. */
  admin_secret: string;
  /** The number of its process. */
  pid: number;
}

/** The arguments that run an empty script with the flags of the command line. */
export const NOTHING: readonly string[] = [...CLI_FLAGS, join(ROOT, "scripts/bench/empty.ts")];

/** The environment of commands that talk to the service. */
export function signInOf({ env, service }: ProgramOptions): Record<string, string> {
  return {
    ...env,
    CLI_BASE_URL: service.base_url,
    CLI_PROJECT_ID: service.project_id,
    CLI_REFRESH_TOKEN: service.refresh_token,
  };
}

/** Measures commands as whole processes. */
export async function measurePrograms(options: ProgramOptions): Promise<Measured> {
  const { runs, warmUp } = options;
  const env = signInOf(options);
  const showVersion = cliArguments("--version");
  const listOfferings = cliArguments("offerings", "list");
  const sameRequests = [...CLI_FLAGS, join(ROOT, "scripts/bench/same_requests.ts")];
  const samples = await inTurns({
    empty: () => elapsed(() => runDeno(NOTHING, env)),
    version: () => elapsed(() => runDeno(showVersion, env)),
    same: () => elapsed(() => runDeno(sameRequests, env)),
    list: () => elapsed(() => runDeno(listOfferings, env)),
  }, { rounds: runs, warmUp });
  const { version, list, empty, same } = samples;
  return {
    method:
      `Whole processes, ${runs} runs of each in turn. The commands run from the source, with the ` +
      "flags of `deno task cli` and without the start of the task, as people who change the code " +
      "run them. The service runs in another process. Two requests alone " +
      "(a token, then the list) take most of the time of an empty script, so the budget of the " +
      "source is relative to a program that sends the same requests and does nothing else. " +
      "Against an empty script, the budget is that of the program as people install it.",
    findings: [
      against("`cli --version`", version, "an empty script", empty, { atMost: 1.3 }),
      against("`cli offerings list`", list, "its two requests alone", same, { atMost: 2 }),
      against("`cli offerings list`", list, "an empty script", empty),
      against("Its two requests alone", same, "an empty script", empty),
    ],
  };
}

/** How long a program takes, against another one. */
export function against(
  what: string,
  ours: readonly number[],
  who: string,
  base: readonly number[],
  budget?: Budget,
): Finding {
  return {
    what,
    ours: `${median(ours).toFixed(1)} ms`,
    base: `${median(base).toFixed(1)} ms, ${who}`,
    ...ratioOf(ours, base),
    budget,
  };
}

/** Measures how long the service takes from its start to its first answer. */
export async function measureStart(
  options: { runs: number; warmUp: number; env: Record<string, string>; folder: string },
): Promise<Measured> {
  const { runs, warmUp, env, folder } = options;
  let made = 0;
  const samples = await inTurns({
    anew: () => startToAnswer(join(folder, `start${made++}`), env),
    again: () => startToAnswer(join(folder, "start0"), env),
  }, { rounds: runs, warmUp });
  const finding = (what: string, times: number[], atMost: number): Finding => ({
    what,
    ours: `${median(times).toFixed(0)} ms`,
    base: "",
    value: median(times),
    unit: "ms",
    noise: noiseOf(times),
    budget: { atMost },
  });
  return {
    method: `From the start of the process to the first answer, ${runs} starts of each kind.`,
    findings: [
      finding("On a new data folder, including the demonstration project", samples.anew, 180),
      finding("On an existing data folder", samples.again, 140),
    ],
  };
}

/** Milliseconds from the start of a service to its first answer. */
async function startToAnswer(folder: string, env: Record<string, string>): Promise<number> {
  const args = serviceArguments(folder);
  const start = performance.now();
  await using child = startDeno(args, env);
  const { base_url } = await announcement(child);
  await (await fetch(`${base_url}/health`)).text();
  return performance.now() - start;
}

/** Starts a service on a data folder, and signs in. */
export async function startService(
  folder: string,
  env: Record<string, string>,
  ...flags: string[]
): Promise<RunningService> {
  const child = startDeno([...serviceArguments(folder), ...flags], env);
  const started = await announcement(child);
  return await signedIn(child, started, await Deno.readTextFile(join(folder, "admin.secret")));
}

/** Starts a process of the service on a database on a server, and signs in. */
export async function startShared(
  database: string,
  env: Record<string, string>,
): Promise<RunningService> {
  const secret = "adm_of_all_processes";
  const place = { CLI_SERVICE_DATABASE: database, CLI_SERVICE_ADMIN_SECRET: secret };
  const words = ["service", "start", "--port", "0", "--sign-in", "password", "--output", "json"];
  const child = startDeno(cliArguments(...words), { ...env, ...place });
  return await signedIn(child, await announcement(child), secret);
}

/** A process of the service, with tokens of its owner. */
async function signedIn(
  child: Child,
  { base_url, project_id }: { base_url: string; project_id: string },
  text: string,
): Promise<RunningService> {
  const secret = text.trim();
  const response = await fetch(`${base_url}/_sim/tokens`, {
    method: "POST",
    headers: { "Authorization": `Bearer ${secret}`, "Content-Type": "application/json" },
    body: "{}",
  });
  const { access_token, refresh_token } = await response.json();
  return {
    base_url,
    project_id,
    access_token,
    refresh_token,
    admin_secret: secret,
    pid: child.pid,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** The arguments that start the service on a data folder. */
function serviceArguments(folder: string): string[] {
  return cliArguments("service", "start", "--port", "0", "--data", folder, "--output", "json");
}

/** What a service says when it is ready. */
async function announcement(child: Child): Promise<{ base_url: string; project_id: string }> {
  return JSON.parse(await child.line());
}
