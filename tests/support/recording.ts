/**
 * Scenarios that are played on a stage which stays open, so that their customers can be recorded.
 *
 * @module
 */

import { parseScenario } from "../../lib/scenario/file/parse.ts";
import { recordHistory, type Recording } from "../../lib/scenario/record/record.ts";
import { failuresOf } from "../../lib/scenario/run/outcome.ts";
import { runScenario } from "../../lib/scenario/run/run.ts";
import { CATALOGUE } from "../../lib/scenario/stories/mod.ts";
import { type OpenStage, openStage } from "../../lib/cli/scenario/stage.ts";
import type { Context } from "../../lib/cli/context.ts";
import { getCustomerHistory } from "../../lib/simulator/history.ts";
import { listEvents } from "../../lib/simulator/events.ts";

/** What a stage needs of a context. */
export const CONTEXT = {
  around: { now: () => Date.UTC(2026, 0, 1), env: () => undefined },
  signal: new AbortController().signal,
} as unknown as Context;

/** A scenario that was played. */
export interface PlayedText extends AsyncDisposable {
  /** Where it was played. */
  readonly stage: OpenStage;
  /** The customer of its first event, or else its first customer. */
  readonly customer: string;
  /** What failed, one line each. */
  readonly failures: readonly string[];
  /** The types of its events, in order. */
  readonly types: readonly string[];
  /** The access of all customers at the end. */
  readonly access: Readonly<Record<string, readonly string[]>>;
}

/** Plays a scenario, and leaves its stage open. */
export async function playText(text: string): Promise<PlayedText> {
  const readFile = () => Promise.resolve(CATALOGUE);
  const { scenario, problems } = await parseScenario(text, { vars: {}, readFile });
  if (!scenario) throw new Error(problems.map(({ message }) => message).join("\n"));
  const options = { at: scenario.start.at, seed: text, delivers: false, allowHost: false };
  const stage = await openStage(CONTEXT, options);
  const outcome = await runScenario(scenario, { stage, file: "", vars: {}, digest: () => "" });
  const { items } = await listEvents(stage.simulator, { limit: 100 });
  const first = scenario.steps.flatMap(({ action }) =>
    action && "deed" in action ? [action.values.customer ?? action.values.id] : []
  ).find((id) => typeof id === "string");
  const customer = String(first);
  const history = await getCustomerHistory(stage.simulator, customer);
  return {
    stage,
    customer,
    failures: failuresOf(outcome).map(({ line, message }) => `${line}: ${message}`),
    types: items.map(({ type }) => type),
    access: Object.fromEntries(history.customers.map(({ id, access }) => [id, access])),
    [Symbol.asyncDispose]: () => stage.close(),
  };
}

/** What a stage has of a customer and of those who are connected with it. */
export async function historyOf(
  { stage }: Pick<PlayedText, "stage">,
  id: string,
): Promise<Pick<PlayedText, "customer" | "types" | "access">> {
  const { customers, events } = await getCustomerHistory(stage.simulator, id);
  return {
    customer: customers[0]?.id ?? id,
    types: events.map(({ type }) => type),
    access: Object.fromEntries(customers.map(({ id, access }) => [id, access])),
  };
}

/** Records a customer of a stage. */
export async function recordFrom(
  { stage }: Pick<PlayedText, "stage">,
  customer: string,
): Promise<Recording> {
  const history = await getCustomerHistory(stage.simulator, customer);
  const options = { seed: "recording", delivers: false, allowHost: false };
  return await recordHistory(history, { open: (at) => openStage(CONTEXT, { at, ...options }) });
}
