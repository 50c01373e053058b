/**
 * Running a scenario, step by step. A step that fails does not end the run, so that all failures of
 * a file are seen at once.
 *
 * @module
 */

import { path } from "../../path.ts";
import { ToolkitError } from "../../errors.ts";
import {
  accessOf,
  type Bench,
  createBench,
  followEvents,
  idOf,
  readFrom,
  timeOf,
} from "./bench.ts";
import { CannotDo } from "../deeds/cannot_do.ts";
import { applyCatalogue } from "../file/catalogue.ts";
import { compare } from "./compare.ts";
import { clockRequest, type DeedRequest, DEEDS } from "../deeds/mod.ts";
import { failureOf, failuresFrom } from "./failure.ts";
import { itemsOf } from "../file/expectations.ts";
import { differences } from "../file/match.ts";
import type { Failure, Outcome, StepOutcome } from "./outcome.ts";
import type { Scenario, Step } from "../file/scenario.ts";
import type { Refused, Stage } from "./stage.ts";
import { readMoment } from "../file/times.ts";
import { entryOf, type Json, plain } from "../file/tree.ts";

/** How to run a scenario. */
export interface RunOptions {
  /** Where it runs. */
  readonly stage: Stage;
  /** The name of the file. */
  readonly file: string;
  /** The values of `${NAME}`. */
  readonly vars: Readonly<Record<string, string>>;
  /** Where events are delivered, whatever the file says. */
  readonly webhook?: string | undefined;
  /** The SHA-256 of a text, in hexadecimal digits. */
  digest(text: string): string;
}

/** Runs a scenario. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const { stage, file, vars } = options;
  const send = <T>(request: DeedRequest) => readFrom<T>(stage, request);
  const { catalogue } = scenario.start;
  if (catalogue) await applyCatalogue(catalogue, stage.project, send);
  const webhook = await addWebhook(scenario, options, send);
  const bench = createBench(scenario, stage, { vars, webhook });
  await followEvents(bench, 0);
  bench.checked = bench.seen.length;
  const marks = marksOf(scenario);
  const steps: StepOutcome[] = [];
  for (const step of scenario.steps) steps.push(await runStep(bench, step, marks));
  const told = bench.seen.map(({ fields }) => JSON.stringify(fields)).join("\n");
  return {
    file,
    name: scenario.name,
    steps,
    events: bench.seen.length,
    digest: options.digest(told),
  };
}

/** Makes the webhook that events are delivered to, if there is one. */
async function addWebhook(
  { start: { webhook } }: Scenario,
  options: RunOptions,
  send: <T>(request: DeedRequest) => Promise<T>,
): Promise<string | undefined> {
  const url = options.webhook ?? webhook?.url;
  if (url === undefined) return undefined;
  const { id } = await send<{ id: string }>({
    method: "POST",
    path: path`/integrations/webhooks`,
    body: {
      name: "scenario",
      url,
      event_types: webhook?.event_types ?? null,
      authorization_header: webhook?.authorization_header,
    },
  });
  return id;
}

/** The past moments that a scenario asks about, and the customers whose access it wants. */
function marksOf({ steps, start: { zone } }: Scenario): Map<number, Set<string>> {
  const marks = new Map<number, Set<string>>();
  const checks = steps.flatMap(({ checks }) => checks).filter(({ kind }) => kind === "past");
  for (const item of checks.flatMap(({ node }) => itemsOf(node))) {
    const at = entryOf(item, "at")?.value;
    const access = entryOf(item, "access")?.value;
    const when = at && readMoment(String(plain(at)), zone);
    if (when === undefined || access?.kind !== "map") continue;
    const customers = marks.get(when) ?? new Set();
    access.entries.forEach(({ key }) => customers.add(key));
    marks.set(when, customers);
  }
  return marks;
}

type Marks = ReadonlyMap<number, ReadonlySet<string>>;

/** Runs one step and checks what is expected after it. */
async function runStep(bench: Bench, step: Step, marks: Marks): Promise<StepOutcome> {
  const { number, title, at: { line } } = step;
  const failures: Failure[] = [];
  let skipped = false;
  try {
    const refused = await act(bench, step, marks);
    failures.push(...judge(bench, step, refused));
  } catch (error) {
    if (!(error instanceof ToolkitError)) throw error;
    skipped = error instanceof CannotDo && /^the step that makes /.test(error.message);
    failures.push(failureOf(step, step.at, `Cannot do it: ${error.message}`));
  }
  await followEvents(bench, number);
  if (bench.webhook !== undefined) await bench.stage.delivered();
  for (const check of step.checks) {
    try {
      failures.push(...await compare(bench, step, check));
    } catch (error) {
      if (!(error instanceof ToolkitError)) throw error;
      failures.push(failureOf(step, check.at, `Cannot check ${check.kind}: ${error.message}`));
    }
  }
  return { number, title, line, failures, skipped };
}

/** Does what a step says. Returns the refusal of a deed that was refused. */
async function act(bench: Bench, step: Step, marks: Marks): Promise<Refused | undefined> {
  const { action } = step;
  const { stage } = bench;
  if (!action) return undefined;
  if (!("deed" in action)) return await advance(bench, action, marks);
  const deed = DEEDS[action.deed];
  if (!deed) throw new CannotDo(`there is no deed ${JSON.stringify(action.deed)}`);
  const requests = await deed.requests({
    project: stage.project,
    values: action.values,
    webhook: bench.webhook,
    id: (name) => idOf(bench, name),
    read: (request) => bench.read(request),
    later: (by) => targetOf(bench, { by }),
  });
  let done: Json = null;
  for (const request of requests) {
    const answer = await stage.send(request);
    if ("refused" in answer) return answer.refused;
    done = answer.done;
  }
  if (
    action.as !== undefined && typeof done === "object" && done !== null && !Array.isArray(done)
  ) {
    bench.made.set(action.as, done as { readonly [key: string]: Json });
  }
  return undefined;
}

/** When an advance ends, in milliseconds since 1970. */
async function targetOf(bench: Bench, body: { by: string } | { to: number }): Promise<number> {
  const place = path`/_sim/projects/${bench.stage.project}/clock/preview`;
  return (await bench.read<{ to: number }>({ method: "POST", path: place, body })).to;
}

/** Moves the clock, and notes on the way who has access at the moments that are asked about. */
async function advance(
  bench: Bench,
  body: { by: string } | { to: number },
  marks: Marks,
): Promise<Refused | undefined> {
  const { stage } = bench;
  if (marks.size === 0) return await move(stage, body);
  const from = await timeOf(bench);
  const target = "to" in body ? body.to : await targetOf(bench, body);
  const on = [...marks].filter(([at]) => at >= from && at < target).sort(([a], [b]) => a - b);
  for (const [at, customers] of on) {
    if (at > from) {
      const refused = await move(stage, { to: at });
      if (refused) return refused;
    }
    const access = new Map<string, readonly string[]>();
    for (const customer of customers) access.set(customer, await accessOf(bench, customer));
    bench.past.set(at, access);
  }
  return await move(stage, { to: target });
}

async function move(
  stage: Stage,
  body: { by: string } | { to: number },
): Promise<Refused | undefined> {
  const answer = await stage.send(clockRequest(stage.project, body));
  return "refused" in answer ? answer.refused : undefined;
}

/** What is otherwise than expected about a refusal, or about there being none. */
function judge(bench: Bench, step: Step, refused: Refused | undefined): Failure[] {
  const expected = step.refused;
  if (!expected) {
    if (!refused) return [];
    const { status, message } = refused;
    return [failureOf(step, step.at, `The service refused the step: ${message} (${status})`)];
  }
  if (!refused) return [failureOf(step, expected.at, "The service did not refuse the step")];
  if (plain(expected) === true) return [];
  const fields: Json = { ...refused };
  const found = differences(fields, expected, bench.match);
  return failuresFrom(step, found, "The refusal differs", []);
}
