/**
 * Running a scenario, step by step. A step that fails does not end the run, so that all failures of
 * a file are seen at once.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";
import {
  accessOf,
  type Bench,
  createBench,
  eventAt,
  followEvents,
  type Hook,
  idOf,
  readFrom,
  timeOf,
} from "./bench.ts";
import { addWebhook, deliverEvent, holdEvents, releaseEvents } from "./deliveries.ts";
import { CannotDo, NoWebhook, Unreached, WrongAnswer } from "../deeds/cannot_do.ts";
import { applyCatalogue } from "../file/catalogue.ts";
import { compare } from "./compare.ts";
import type { DeedRequest } from "../deeds/deed.ts";
import { DEEDS } from "../deeds/mod.ts";
import { advanceClock, previewAdvance } from "../../simulator/clock.ts";
import { refusedBy } from "./refused.ts";
import { failureOf, failuresFrom } from "./failure.ts";
import { itemsOf } from "../file/expectations.ts";
import { differences } from "../file/match.ts";
import type { Failure, Outcome, StepOutcome } from "./outcome.ts";
import type { Scenario, Step } from "../file/scenario.ts";
import type { Refused, Stage } from "./stage.ts";
import { withVariables } from "../values/references.ts";
import { readMoment } from "../values/times.ts";
import { entryOf, type Json, plain } from "../values/tree.ts";

/** How to run a scenario. */
interface RunOptions {
  /** Where it runs. */
  readonly stage: Stage;
  /** The name of the file. */
  readonly file: string;
  /** The values of `${NAME}`. */
  readonly vars: Readonly<Record<string, string>>;
  /** Where events are delivered, whatever the file says. */
  readonly webhook?: string | undefined;
  /** What deliveries are signed with, whatever the file says. */
  readonly secret?: string | undefined;
  /** The SHA-256 of a text, in hexadecimal digits. */
  digest(text: string): string;
}

/** Runs a scenario. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const { stage, file, vars } = options;
  const send = <T>(request: DeedRequest) => readFrom<T>(stage, request);
  const { name, start: { catalogue } } = scenario;
  let webhook: Hook | undefined;
  try {
    if (catalogue) await applyCatalogue(catalogue, stage.project, send);
    webhook = await openWebhook(scenario, options, send);
  } catch (error) {
    if (!(error instanceof CannotDo || error instanceof Unreached)) throw error;
    const failure = failureOf(START, START.at, `Cannot begin: ${error.message}`);
    const step = { ...START, line: START.at.line, failures: [failure], skipped: false };
    const unreached = error instanceof Unreached ? { unreached: error.message } : {};
    return { file, name, steps: [step], events: 0, digest: options.digest(""), ...unreached };
  }
  const bench = await createBench(scenario, stage, { vars, webhook });
  await followEvents(bench, 0);
  bench.before = scenario.start.data ? bench.seen.length : 0;
  bench.checked = bench.seen.length;
  const marks = marksOf(scenario, vars);
  const steps: StepOutcome[] = [];
  for (const step of scenario.steps) steps.push(await runStep(bench, step, marks));
  const told = bench.seen.map(({ fields }) => JSON.stringify(fields)).join("\n");
  return {
    file,
    name,
    steps,
    events: bench.seen.length - bench.before,
    digest: options.digest(told),
  };
}

/** What comes before the first step. */
const START = { number: 0, title: "start", at: { line: 1, column: 1 } };

/** Makes the webhook that events are delivered to, if there is one. */
async function openWebhook(
  { start: { webhook } }: Scenario,
  options: RunOptions,
  send: <T>(request: DeedRequest) => Promise<T>,
): Promise<Hook | undefined> {
  const url = options.webhook ?? webhook?.url;
  if (url === undefined) return undefined;
  const secret = options.secret ?? webhook?.secret;
  const { authorization_header, event_types } = webhook ?? {};
  try {
    return await addWebhook(
      { url, authorization_header, event_types, secret },
      options.stage.project,
      send,
    );
  } catch (error) {
    if (!(error instanceof CannotDo)) throw error;
    const rule = error.message.replace(/^'url' /, "");
    if (/^cannot be reached.*refused/i.test(rule)) {
      throw new Unreached(`nothing listens at ${JSON.stringify(url)}`, { cause: error });
    }
    const why = rule === error.message ? `cannot be used: ${rule}` : rule;
    const Kind = rule.startsWith("cannot be reached") ? Unreached : CannotDo;
    throw new Kind(`the webhook ${JSON.stringify(url)} ${why}`, { cause: error });
  }
}

/** The past moments that a scenario asks about, and the customers whose access it wants. */
function marksOf(
  { steps, start: { zone } }: Scenario,
  vars: Readonly<Record<string, string>>,
): Map<number, Set<string>> {
  const marks = new Map<number, Set<string>>();
  const checks = steps.flatMap(({ checks }) => checks).filter(({ kind }) => kind === "past");
  for (const item of checks.flatMap(({ node }) => itemsOf(node))) {
    const at = entryOf(item, "at")?.value;
    const access = entryOf(item, "access")?.value;
    const when = at && readMoment(withVariables(String(plain(at)), vars), zone);
    if (when === undefined || access?.kind !== "map") continue;
    const customers = marks.get(when) ?? new Set();
    access.entries.forEach(({ key }) => customers.add(withVariables(key, vars)));
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
    const known = error instanceof NoWebhook && bench.lacksWebhook;
    if (error instanceof NoWebhook) bench.lacksWebhook = true;
    skipped = known || error instanceof CannotDo && /^the step that makes /.test(error.message);
    const { message } = error;
    const told = error instanceof WrongAnswer ? message : `Cannot do it: ${message}`;
    if (!known) failures.push(failureOf(step, step.at, told));
  }
  await followEvents(bench, number);
  failures.push(...await deliver(bench, step));
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

/** Waits for the deliveries of a step. What the webhook does not take is a failure, once. */
async function deliver(bench: Bench, step: Step): Promise<Failure[]> {
  const { webhook, stage, undelivered } = bench;
  // A handler that has failed would be waited for at each step.
  if (webhook?.id === undefined || undelivered.size > 0) return [];
  return (await stage.delivered(webhook.id)).map((event) => {
    undelivered.add(event.event_id);
    const { event_type, last_status, last_error } = event;
    const why = last_status === null ? last_error ?? "no answer" : `it answered ${last_status}`;
    return failureOf(step, step.at, `The webhook did not take ${event_type}: ${why}`);
  });
}

/** Does what a step says. Returns the refusal of a deed that was refused. */
export async function act(
  bench: Bench,
  step: Pick<Step, "action">,
  marks: Marks,
): Promise<Refused | undefined> {
  const { action } = step;
  const { stage } = bench;
  if (!action) return undefined;
  if (!("deed" in action)) return await advance(bench, action, marks);
  const deed = DEEDS[action.deed];
  if (!deed) throw new CannotDo(`there is no action ${JSON.stringify(action.deed)}`);
  const { simulator, client } = stage;
  try {
    const done = await deed.perform({
      simulator,
      client,
      values: action.values,
      webhook: bench.webhook?.id,
      id: (name) => idOf(bench, name),
      event: (number) => eventAt(bench, number).id,
      deliver: (number, made) => deliverEvent(bench, number, made),
      hold: () => holdEvents(bench),
      release: () => releaseEvents(bench),
      later: (by) => targetOf(bench, { by }),
    });
    if (action.as !== undefined) bench.made.set(action.as, { ...done });
  } catch (error) {
    const refused = refusedBy(error);
    if (refused) return refused;
    throw error;
  }
  return undefined;
}

/** When an advance ends, in milliseconds since 1970. */
async function targetOf({ stage }: Bench, body: { by: string } | { to: number }): Promise<number> {
  return (await previewAdvance(stage.simulator, body)).to;
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
  { simulator }: Stage,
  body: { by: string } | { to: number },
): Promise<Refused | undefined> {
  try {
    await advanceClock(simulator, { ...body, confirmed: true });
    return undefined;
  } catch (error) {
    const refused = refusedBy(error);
    if (refused) return refused;
    throw error;
  }
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
